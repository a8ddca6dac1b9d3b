"""Test that up to three wrappers around a command do not change its verdict.

A sample is tested by default; HOOKLINE_LONG=1 tests every command in every wrapper.
"""

import base64
import itertools
import json
import os
import random
import re
import shlex
from pathlib import Path

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.dangerous_command import dangerous_command
from hookline.testing import pre_tool_use

LONG = bool(os.environ.get("HOOKLINE_LONG"))
ROWS = [
    json.loads(line) for line in Path(__file__).with_name("dangerous_commands.jsonl").read_text().splitlines()
]
STATE = State(now=0.0, facts=Facts({"root": lambda: "/home/test/project", "home": lambda: "/home/test"}))
DEPTH = 3


def quote(code):
    return shlex.quote(code)


def perl_string(text):
    """Return *text* in double quotes, in which Perl would replace its own variables."""
    return re.sub("([$@])", r"\\\1", json.dumps(text, ensure_ascii=False))


WRAPPERS = {
    "bash -c": lambda code: f"bash -c {quote(code)}",
    "sh -lc": lambda code: f"/bin/sh -lc {quote(code)}",
    "eval": lambda code: f"eval {quote(code)}",
    "sudo": lambda code: f"sudo -E bash -c {quote(code)}",
    "env": lambda code: f"env -u B A=1 bash -c {quote(code)}",
    "nohup timeout": lambda code: f"timeout 5 sh -c {quote(code)}",
    "xargs": lambda code: f"echo x | xargs -I@@ bash -c {quote(code)}",
    "here-string": lambda code: f"bash <<< {quote(code)}",
    "pipe": lambda code: f"printf '%s' {quote(code)} | sh",
    "base64": lambda code: f"echo {base64.b64encode(code.encode()).decode()} | base64 -d | bash",
    "variable": lambda code: f'code={quote(code)}; eval "$code"',
    "function": lambda code: f"run_it() {{ eval {quote(code)}; }}; run_it",
    "alias": lambda code: f"alias zz={quote('eval ' + quote(code))}; zz",
    "parentheses": lambda code: f"({code}\n)",
    "braces": lambda code: f"{{ {code}\n}}",
    "substitution": lambda code: f'echo "$(bash -c {quote(code)})"',
    "process substitution": lambda code: f"cat <(eval {quote(code)})",
    "condition": lambda code: f"if true; then\n{code}\nfi",
    "loop": lambda code: f"for once in 1; do\n{code}\ndone",
    "and": lambda code: f"true &&\n{code}",
    "behind text": lambda code: f"echo 'it is fine';\n{code}",
    "script": lambda code: f"echo {quote(code)} > s.sh; bash s.sh",
    "source": lambda code: f"echo {quote(code)} > s.sh; . ./s.sh",
    "trap": lambda code: f"trap {quote(code)} EXIT",
    "python": lambda code: f"python3 -c {quote('import os; os.system(' + repr(code) + ')')}",
    "perl": lambda code: "perl -e " + quote(f"system({perl_string(code)})"),
    "find -exec": lambda code: f"find build -maxdepth 0 -exec sh -c {quote(code)} ';'",
    "git alias": lambda code: f"git -c {quote('alias.zz=!' + code)} zz",
    "tmux": lambda code: f"tmux new-session -d {quote(code)}",
}
UNFIT = ("<<", "\0", "'unclosed", "EOF")
"""Text that some wrappers cannot contain unchanged: here-documents and incomplete commands."""


def judged(line):
    response = dangerous_command.judge(pre_tool_use(line, cwd="/home/test/project"), STATE)
    return response is not None and response.verdict in ("block", "ask")


def plain(row):
    """Return whether *row* is not yet disguised, so that three wrappers stay within the parsing depth."""
    return row["tier"] in ("rules", "benign") and row["id"].startswith(("rule", "safe"))


COMMANDS = [
    (row["cmd"], row["expect"] == "block")
    for row in ROWS
    if plain(row) and not any(sign in row["cmd"] for sign in UNFIT)
]
STACKS = [
    stack
    for depth in range(1, DEPTH + 1)
    for stack in itertools.product(WRAPPERS, repeat=depth)
    if stack.count("trap") <= 1  # bash does not run a trap that a trap sets for EXIT
]


def wrapped(command, stack):
    for name in stack:
        command = WRAPPERS[name](command)
    return command


def changed(pairs):
    return [(stack, command) for stack, (command, bad) in pairs if judged(wrapped(command, stack)) != bad]


@pytest.mark.parametrize("name", WRAPPERS)
def test_one_wrapper_changes_nothing(name):
    commands = COMMANDS if LONG else COMMANDS[:: 1 + len(COMMANDS) // 60]

    assert changed([((name,), command) for command in commands]) == []


def test_stacks_of_wrappers_change_nothing():
    """The long suite draws a new random sample in each run."""
    rng = random.Random(None if LONG else 7)
    pairs = [(rng.choice(STACKS), rng.choice(COMMANDS)) for _ in range(40_000 if LONG else 600)]

    assert changed(pairs) == []


@pytest.mark.long
def test_every_command_in_every_pair_of_wrappers():
    pairs = itertools.product((stack for stack in STACKS if len(stack) == 2), COMMANDS)

    assert changed(pairs) == []
