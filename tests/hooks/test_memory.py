"""Test memory: what earlier sessions learned reaches the next one in time and within its token limit."""

import json

import pytest

from hookline.core.events import PostCompact, PreCompact, SessionEnd
from hookline.core.hook import configure
from hookline.core.ranking import CHARS_PER_TOKEN
from hookline.core.records import Memory
from hookline.core.response import Learn, Response, SummaryPart
from hookline.core.state import Facts, State
from hookline.hooks import load as built_in
from hookline.hooks._memory import AGENT_HINT, UNSURE_NOTE
from hookline.hooks.memory import memory
from hookline.hosts import load
from hookline.language.statements import find_statements, may_have_statement
from hookline.runtime.runtime import Runtime
from hookline.system.git_facts import parse_issue
from hookline.testing import session_start, stop, user_prompt_submit
from hookline.testing.events import any_event

CLAUDE = load("claude-code")


def known(*memories, **notes):
    def recall(text, most):
        return [one for one in memories if not text or text in one.text][:most]

    return State(now=1.0, memory=notes, facts=Facts({"recall": lambda: recall}))


def one(name, text="t", **more):
    return Memory(**({"id": name, "at": 1.0, "text": text, "project": "/p", "source": "user:s"} | more))


def test_memories_of_agents_are_marked():
    said = memory(session_start(), known(one("a", "cents"), one("b", "tabs", source="mcp")))

    assert said.context[0].splitlines()[1:] == ["- fact: cents", "- fact: tabs (by an agent)"]


def test_a_session_begins_with_the_pinned_then_its_branch_then_the_rest():
    said = memory(
        session_start(),
        known(one("a", "cents"), one("b", "tabs", branch="x"), one("c", "small", pinned=True)),
    )

    assert said.context[0].splitlines()[1:] == ["- fact: small", "- fact: tabs (branch x)", "- fact: cents"]
    assert said.memory["memory.told"] == ("c", "b", "a")


def test_nothing_known_nothing_said():
    assert memory(session_start(), known()) is None
    assert memory(session_start(), State(now=1.0)) is None


def test_it_keeps_to_its_tokens():
    many = [one(str(n), f"{n} " + "word " * 30) for n in range(60)]

    for tokens in (300, 1200):
        said = configure(memory, {"tokens": tokens})(session_start(), known(*many))
        assert len(said.context[0]) <= tokens * CHARS_PER_TOKEN


def test_what_was_contradicted_is_not_told():
    said = memory(session_start(), known(one("a", "old"), one("b", "new", relations=(("contradicts", "a"),))))

    assert said.context[0].splitlines()[1:] == ["- fact: new"]


def test_what_a_person_said_is_told_though_an_agent_contradicts_it():
    mine = one("a", "never push to main", source="user")
    contradicting = {"relations": (("contradicts", "a"),)}
    agents = memory(session_start(), known(mine, one("b", "push", source="mcp", **contradicting)))
    own = memory(session_start(), known(mine, one("b", "push", source="user", **contradicting)))

    assert agents.context[0].splitlines()[1:] == [
        "- fact: never push to main",
        "- fact: push (by an agent)",
    ]
    assert own.context[0].splitlines()[1:] == ["- fact: push"]


def test_the_first_prompt_brings_what_it_is_about_once():
    state = known(one("a", "use cents"), one("b", "use tabs"), **{"memory.told": ("b",)})
    said = memory(user_prompt_submit("use"), state)

    assert said.context[0].splitlines()[1:] == ["- fact: use cents"]
    assert memory(user_prompt_submit("use"), known(one("a", "use"), **{"memory.asked": True})) is None


def test_after_a_compaction_it_is_told_again_once():
    before = memory(any_event(PreCompact), known())
    state = known(one("a"), **before.memory)

    assert memory(any_event(PostCompact), state).context
    again = memory(session_start("compact"), state)
    assert memory(any_event(PostCompact), known(one("a"), **again.memory)) is None


def test_it_learns_where_there_is_a_recording():
    lesson = Learn(session="s", host="claude-code", transcript="/t")
    given = {"session": "s", "host": "claude-code", "transcript": "/t"}

    assert memory(any_event(SessionEnd, **given), known()).effects == (lesson,)
    assert memory(stop(**given), known()).effects == (SummaryPart(part="memory"), lesson)
    assert configure(memory, {"learn": False})(stop(**given), known()) == Response()


def test_prompts_of_another_agent_count_as_its_words():
    state = State(now=1.0, facts=Facts({"prompted_by_agent": lambda: True}))
    of_transcript, of_prompt = (
        Learn(session="s", host="claude-code", transcript="/t", by_agent=True),
        Learn(session="s", host="claude-code", transcript="", prompt=PNPM, by_agent=True),
    )
    session = {"session": "s", "host": "claude-code"}

    assert memory(any_event(SessionEnd, transcript="/t", **session), state).effects == (of_transcript,)
    assert of_prompt in memory(user_prompt_submit(PNPM, **session), state).effects


def test_it_learns_nothing_of_what_the_engine_tells_its_agents():
    given = {"session": "s", "host": "claude-code", "transcript": "/t"}
    state = State(now=1.0, env={"HOOKLINE_RUN": "r:1:/j"})

    assert memory(stop(**given), state) == Response()
    assert memory(any_event(SessionEnd, **given), state) == Response()


@pytest.mark.parametrize(
    ("branch", "number"),
    [
        ("412-round", "412"),
        ("ana/412-round", "412"),
        ("fix-412", "412"),
        ("issue/412", "412"),
        ("hookline/sort-261115", ""),
        ("chore/react-18", ""),
        ("release-2024", ""),
    ],
)
def test_the_issue_of_a_branch(branch, number):
    assert parse_issue(branch) == number


@pytest.fixture
def runtime():
    runtime = Runtime()
    for name in ("audit", "memory"):
        runtime.register(built_in(name))
    yield runtime
    runtime.close()


def recorded(path, *texts):
    lines = [
        {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": text}} for text in texts
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return {"session": "s1", "host": "claude-code", "transcript": str(path)}


def asked(runtime, native, event):
    reply = json.loads(runtime.answer(CLAUDE, native, event).stdout or "{}")
    runtime.run_deferred_work()
    return reply


def test_what_one_session_learns_the_next_one_knows(runtime, tmp_path):
    given = recorded(
        tmp_path / "t.jsonl",
        "We never use tabs in this repo",
        "password=hunter2hunter2 is used: never log it",
    )
    asked(runtime, "Stop", stop(**given))
    shown = asked(runtime, "Stop", stop(**given))
    begun = asked(runtime, "SessionStart", session_start(session="s2"))

    assert (
        "remembered: We never use tabs in this repo (convention); undo: `hookline memory forget "
        in shown["systemMessage"]
    )
    assert "- convention: We never use tabs in this repo" in begun["hookSpecificOutput"]["additionalContext"]
    assert asked(runtime, "Stop", stop(**given)) == {}


def test_the_end_of_the_first_turn_names_the_rule_of_its_prompt(runtime):
    session = {"session": "s1", "host": "claude-code"}
    asked(
        runtime,
        "UserPromptSubmit",
        user_prompt_submit("we use pnpm in this repo, never npm. fix it", **session),
    )
    shown = asked(runtime, "Stop", stop(**session))

    assert "remembered: we use pnpm in this repo, never npm (convention)" in shown["systemMessage"]
    assert "undo: `hookline memory forget " in shown["systemMessage"]
    assert asked(runtime, "Stop", stop(**session)) == {}


PERSONAL = "We always send the release notes to anna.berger@mailbox.org, never to the list."


def test_the_end_of_a_turn_reports_a_rule_with_personal_data_once_without_repeating_it(runtime):
    session = {"session": "s1", "host": "claude-code"}
    asked(runtime, "UserPromptSubmit", user_prompt_submit(PERSONAL, **session))

    shown = asked(runtime, "Stop", stop(**session))

    assert "not remembered: a statement that may contain personal data; " in shown["systemMessage"]
    assert "anna" not in shown["systemMessage"]
    assert asked(runtime, "Stop", stop(**session)) == {}


def test_a_rule_with_personal_data_that_the_user_added_is_not_reported(runtime):
    session = {"session": "s1", "host": "claude-code"}
    runtime.store.remember(Memory(id="m1", at=1.0, text=PERSONAL, source="user"))
    asked(runtime, "UserPromptSubmit", user_prompt_submit(PERSONAL, **session))

    assert asked(runtime, "Stop", stop(**session)) == {}


def test_a_secret_is_not_reported_as_personal_data(runtime):
    session = {"session": "s1", "host": "claude-code"}
    rule = (
        "In this repo we always connect to postgres://app:hunter2secret@db.acme.com/prod, not to localhost."
    )
    asked(runtime, "UserPromptSubmit", user_prompt_submit(rule, **session))

    shown = asked(runtime, "Stop", stop(**session))

    assert "remembered: In this repo we always connect to" in shown["systemMessage"]
    assert "not remembered" not in shown["systemMessage"]


PNPM, NPM = "in this repo we always use pnpm, never npm", "in this repo we always use npm, never pnpm"


def said_by(text):
    return {"type": "assistant", "sessionId": "s1", "message": {"role": "assistant", "content": text}}


def test_a_transcript_does_not_bring_back_a_rule_that_was_replaced(runtime, tmp_path):
    session = {"session": "s1", "host": "claude-code"}
    for prompt in (NPM, PNPM):
        asked(runtime, "UserPromptSubmit", user_prompt_submit(prompt, **session))
    shown = asked(runtime, "Stop", stop(**recorded(tmp_path / "t.jsonl", NPM, PNPM)))
    fork = recorded(tmp_path / "fork.jsonl", NPM)
    asked(runtime, "Stop", stop(**{**fork, "session": "s2"}))

    assert f"remembered: {PNPM} (convention, replaces “{NPM}”); undo: " in shown["systemMessage"]
    assert known_at_start(runtime, "s3").splitlines()[1:] == [f"- convention: {PNPM}"]


def test_a_forked_transcript_brings_back_no_earlier_wording(runtime, tmp_path):
    prompts = ("In this repo always use npm.", "We always use npm in this repository.", PNPM)
    for prompt in prompts:
        asked(runtime, "UserPromptSubmit", user_prompt_submit(prompt, session="s1", host="claude-code"))
    for prompt in prompts[:2]:
        fork = recorded(tmp_path / "fork.jsonl", prompt)
        asked(runtime, "Stop", stop(**{**fork, "session": prompt}))

    assert known_at_start(runtime, "s3").splitlines()[1:] == [f"- convention: {PNPM}"]


def test_a_prompt_brings_back_a_rule_that_was_replaced(runtime):
    for prompt in (NPM, PNPM, NPM):
        asked(runtime, "UserPromptSubmit", user_prompt_submit(prompt, session="s1", host="claude-code"))

    assert known_at_start(runtime, "s2").splitlines()[1:] == [f"- convention: {NPM}"]


def test_what_the_only_turn_of_a_session_taught_is_shown_in_the_next_session(runtime, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(said_by("We decided to store amounts as integer cents.")) + "\n")
    first = asked(runtime, "Stop", stop(session="s1", host="claude-code", transcript=str(path)))
    shown = asked(runtime, "Stop", stop(session="s2", host="claude-code"))

    assert first == {}
    assert "store amounts as integer cents (decision, by an agent); undo: " in shown["systemMessage"]


def test_an_agent_does_not_end_the_blocker_of_the_user(runtime, tmp_path):
    prompt = user_prompt_submit("We are blocked by the frozen schema.", session="s1", host="claude-code")
    asked(runtime, "UserPromptSubmit", prompt)
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(said_by("We are no longer blocked by the frozen schema.")) + "\n")
    asked(runtime, "Stop", stop(session="s2", host="claude-code", transcript=str(path)))

    assert "- blocker: We are blocked by the frozen schema" in known_at_start(runtime, "s3")


def known_at_start(runtime, session):
    begun = asked(runtime, "SessionStart", session_start(session=session))
    return begun.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_a_blocker_is_told_until_somebody_says_that_it_is_gone(runtime, tmp_path):
    blocked = recorded(tmp_path / "a.jsonl", "We are blocked by the frozen schema.")
    asked(runtime, "Stop", stop(**blocked))
    assert "- blocker: We are blocked by the frozen schema" in known_at_start(runtime, "s2")

    over = recorded(
        tmp_path / "b.jsonl", "We are blocked by the missing key.", "Now we are no longer blocked."
    )
    asked(runtime, "Stop", stop(**{**over, "session": "s3"}))
    assert "blocked" not in known_at_start(runtime, "s4")


def unsure_prompt():
    """Return a prompt of which the classifier is unsure, whatever its weights are."""
    candidates = (
        "usually tabs",
        "no npm here",
        "pnpm over npm for me",
        "pnpm instead of npm",
        "prefer tabs maybe",
        "pnpm please",
        "tabs are preferred",
        "commits in english please",
        "we usually squash",
        "tabs not spaces please",
        "mostly tabs here",
        "short answers in general",
    )
    return next(text for text in candidates if may_have_statement(text) and not find_statements(text))


def test_an_agent_is_asked_at_the_end_of_a_turn_only_if_that_is_set_and_the_classifier_may_have_statement():
    asking = configure(memory, {"ask_agent": True})
    unsure, order = user_prompt_submit(unsure_prompt()), user_prompt_submit("fix the failing test")
    noted = State(now=1.0, memory=asking(unsure, State(now=1.0)).memory)

    assert asking(stop(), noted).reason == AGENT_HINT
    assert asking(stop(), State(now=1.0, memory=asking(stop(), noted).memory)).verdict == "pass"
    assert asking(order, noted).memory == {UNSURE_NOTE: False}
    assert memory(unsure, State(now=1.0)) is None
    assert asking(order, State(now=1.0)) is None


def test_the_agent_is_asked_once_per_turn():
    runtime = Runtime()
    runtime.register(configure(memory, {"ask_agent": True}))
    session = {"session": "s1", "host": "claude-code"}
    asked(runtime, "UserPromptSubmit", user_prompt_submit(unsure_prompt(), **session))
    replies = [asked(runtime, "Stop", stop(**session)) for _ in range(2)]
    runtime.close()

    assert replies == [{"decision": "block", "reason": AGENT_HINT}, {}]
