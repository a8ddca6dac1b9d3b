"""Test the helper command of memory: its input, the parts of its output that are kept, and its failures."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.core.events import SessionEnd
from hookline.core.hook import configure
from hookline.core.memory_kinds import KINDS
from hookline.core.records import Memory
from hookline.core.response import Enrich
from hookline.core.state import State
from hookline.hooks.memory import memory
from hookline.memory.extract import MAX_AGENT_CONFIDENCE, MemoryScope
from hookline.memory.helper_messages import (
    MAX_ENTRY_LENGTH,
    MAX_PER_REPLY,
    MAX_TRANSCRIPT_LENGTH,
    encode_request,
    parse_reply,
)
from hookline.testing import stop
from hookline.testing.events import any_event

WHOSE = MemoryScope(at=5.0, project="/p", branch="412-rounding", source="s")


def kept(text):
    return parse_reply(text, WHOSE, lambda text: text)


def test_the_command_is_told_what_was_said_and_done():
    talk = [
        Message(by="person", text="use cents"),
        ToolUse(call="1", tool="Bash", kind="shell", command="make"),
        ToolResult(call="1", error="no rule"),
        ToolUse(call="2", tool="Edit", kind="edit", path="a.py"),
        ToolResult(call="2"),
    ]
    said = json.loads(encode_request(talk, [Memory(id="m", at=1.0, text="tabs")], WHOSE, str.upper))

    assert said["talk"] == [{"person": "USE CENTS"}, {"ran": "MAKE"}, {"failed": "NO RULE"}, {"edit": "A.PY"}]
    assert (said["version"], said["branch"]) == (1, "412-ROUNDING")
    assert said["known"] == [{"kind": "fact", "text": "TABS"}]
    assert "JSON object per line" in said["task"]


def test_where_nobody_said_anything_it_is_not_asked():
    assert encode_request([ToolUse(call="1", tool="Bash", command="ls")], [], WHOSE, str) == ""


def test_it_is_told_the_newest_within_a_limit():
    talk = [Message(by="agent", text=f"{number} " + "x" * 5000) for number in range(50)]
    said = json.loads(encode_request(talk, [], WHOSE, str))["talk"]

    assert said[-1]["agent"].startswith("49 ")
    assert max(len(one["agent"]) for one in said) == MAX_ENTRY_LENGTH + 1
    assert sum(len(one["agent"]) for one in said) <= MAX_TRANSCRIPT_LENGTH


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "decision", "text": "Amounts are integer cents"}\n\n',
        '[{"kind": "decision", "text": "Amounts are\\n integer cents"}]',
        '```json\n{"kind": "decision", "text": "Amounts are integer cents"}\n```',
    ],
)
def test_its_answer_is_lines_or_a_list(text):
    (one,) = kept(text)

    assert (one.kind, one.text, one.project, one.half_life) == (
        "decision",
        "Amounts are integer cents",
        "/p",
        180.0,
    )


def test_it_is_believed_less_than_a_person_and_little_of_it_is_kept():
    many = "\n".join(
        json.dumps({"text": f"something number {n}", "confidence": 1 + n}) for n in range(3 * MAX_PER_REPLY)
    )

    assert [one.confidence for one in kept(many)] == [MAX_AGENT_CONFIDENCE] * MAX_PER_REPLY
    assert kept("") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Sure! Here are the memories:", "expected one JSON object per line"),
        ("[1, 2]", "expected objects such as"),
        ('{"kind": "rumour", "text": "something else"}', "invalid kind 'rumour': expected one of"),
        ('{"text": 5}', "`text` must be a string"),
        ('{"text": "short"}', "invalid text of 5 characters: expected 8 to 400"),
        ('{"text": "long enough it is", "confidence": "very"}', "a number from 0 to 1"),
    ],
)
def test_an_answer_that_is_none_is_told(text, why):
    with pytest.raises(ValueError, match=why):
        kept(text)


@given(st.one_of(st.text(), st.lists(st.dictionaries(st.sampled_from(["kind", "text", "confidence"]),
       st.one_of(st.text(), st.sampled_from(KINDS), st.floats(), st.none())))))  # fmt: skip
def test_whatever_it_prints_is_kept_or_refused_in_a_sentence(answer):
    found = []
    with suppress(ValueError):
        found = kept(answer if isinstance(answer, str) else json.dumps(answer))

    assert all(0 <= one.confidence <= MAX_AGENT_CONFIDENCE and one.kind in KINDS for one in found)


def asked(event, at=1000.0, **notes):
    hook = configure(memory, {"enrich": "./ask"})
    said = hook(event, State(now=at, memory=notes))
    return [one for one in said.effects if isinstance(one, Enrich)], said.memory


def test_it_is_asked_after_turns_now_and_then_and_always_at_an_end():
    given = {"session": "s", "host": "claude-code", "transcript": "/t"}
    first, notes = asked(stop(**given))

    assert first == [Enrich(command="./ask", within=60.0, session="s", host="claude-code", transcript="/t")]
    assert asked(stop(**given), 1300.0, **notes)[0] == []
    assert asked(stop(**given), 1601.0, **notes)[0]
    assert asked(any_event(SessionEnd, **given), 1001.0, **notes)[0]


def eventually(look, seconds=30.0):
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


@pytest.fixture
def turn(user, tmp_path):
    """Return a function that ends a turn with *command* configured as the helper."""
    recording = tmp_path / "talk.jsonl"

    def ended(command, text="The parser has three passes", **settings):
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        user.write(
            "~/.config/hookline/hookline.toml",
            f"[hooks.memory]\nenrich = {json.dumps(command)}\nenrich_every = 0\n{lines}",
        )
        line = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": text}}
        with recording.open("a") as file:
            file.write(json.dumps(line) + "\n")
        return user.hook(user.payload("Stop", transcript_path=str(recording)))

    return ended


def listed(user):
    return [json.loads(line) for line in user.run("memory", "list", "--json").stdout.splitlines()]


def troubles(user):
    return [row["summary"] for row in user.log() if "enrich failed" in row["summary"]]


@pytest.mark.slow
def test_what_it_says_is_remembered_and_the_user_told(turn, user):
    answer = '{"kind": "decision", "text": "Rounding happens once, at the end"}'
    code, _, err = turn(f"cat > asked.json; env > env.txt; echo '{answer}'")
    found = eventually(lambda: listed(user))
    asked = json.loads((user.project / "asked.json").read_text())
    _, reply, _ = turn("true", "and on")

    assert (code, err) == (0, "")
    assert [(one["kind"], one["text"], one["confidence"]) for one in found] == [
        ("decision", "Rounding happens once, at the end", 0.5)
    ]
    assert asked["talk"] == [{"person": "The parser has three passes"}]
    assert "HOOKLINE_DISABLE_MEMORY=1" in (user.project / "env.txt").read_text()
    assert "remembered: Rounding happens once" in reply["systemMessage"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo no such model >&2; exit 3", "exited with status 3: no such model"),
        ("echo Sure", "expected one JSON object per line, or a list of objects"),
        ("sleep 60", "timed out after 0.5 s"),
        ("yes x", "enrich failed: "),
    ],
)
def test_its_failure_is_in_the_trail_and_told(turn, user, command, why):
    code, _, err = turn(command, enrich_within=0.5)
    found = eventually(lambda: troubles(user))
    _, reply, _ = turn("true", "and on")

    assert (code, err, listed(user)) == (0, "", [])
    assert why in found[0]
    assert why in reply["systemMessage"]


@pytest.mark.slow
def test_nobody_waits_for_it(turn, user):
    code, _, err = turn("cat > began; sleep 3; touch done; echo")
    there = (user.project / "done").exists()

    assert (code, err, there) == (0, "", False)
    assert eventually((user.project / "done").exists)


def test_a_repository_cannot_have_a_command_run(user, tmp_path):
    user.write(".hookline/hookline.toml", '[hooks.memory]\nenrich = "touch ran"\ntokens = 300\n')
    (tmp_path / "t").write_text(
        '{"type": "user", "sessionId": "s", "message": {"role": "user", "content": "use cents, please"}}\n'
    )
    user.hook(user.payload("Stop", transcript_path=str(tmp_path / "t")))
    waiting = user.run("trust", "--show").stdout.decode()
    time.sleep(1.0)

    assert "enrich" in waiting
    assert not (user.project / "ran").exists()
