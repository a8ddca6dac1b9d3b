"""Test that wrappings of a call in code do not change the verdict of the guard."""

from tests.corpus.code_wrappings import rows

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.dangerous_command import dangerous_command
from hookline.testing import pre_tool_use

STATE = State(now=0.0, facts=Facts({"root": lambda: "/home/test/project", "home": lambda: "/home/test"}))


def stops(line):
    response = dangerous_command.judge(pre_tool_use(line, cwd="/home/test/project"), STATE)
    return response is not None and response.verdict in ("block", "ask")


def test_harmful_code_is_stopped():
    assert [line for line, is_harmful in rows() if is_harmful and not stops(line)] == []


def test_harmless_code_is_not_stopped():
    assert [line for line, is_harmful in rows() if not is_harmful and stops(line)] == []
