"""Test `hookline rotate`: the content of the handoff, and the message if there is nothing to hand over."""

import json
import sys

import pytest

pytestmark = pytest.mark.slow

PROMPT = {"prompt": "Mend the parser of issue #7.", "session_id": "s1"}


def recorded(user, *said):
    """Run a turn of a Claude Code session with a transcript, and return the fields of its payloads."""
    lines = [{"type": "user", "message": {"role": "user", "content": PROMPT["prompt"]}}]
    lines += [{"type": "assistant", "message": {"role": "assistant", "content": text}} for text in said]
    path = user.home.parent / "s1.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    given = {"session_id": "s1", "transcript_path": str(path)}
    user.hook(user.payload("UserPromptSubmit", **{**given, **PROMPT}))
    user.hook(user.payload("Stop", **given))
    return given


def test_the_newest_session_hands_over_and_the_next_one_goes_on(user):
    given = recorded(user, "Blockers: the grammar is not decided\nNext step: write the lexer")
    ran = user.run("rotate")
    user.hook(user.payload("SessionEnd", **given))
    _, reply, _ = user.hook(user.payload("SessionStart", session_id="s2", source="startup"))
    context = reply["hookSpecificOutput"]["additionalContext"]

    assert ran.returncode == 0, ran.stderr
    assert b"**Next step:** write the lexer" in ran.stdout
    assert b"end session s1, and start a new one here" in ran.stdout
    for part in ("#7", "main", "Mend the parser", "the grammar is not decided", "write the lexer"):
        assert part in context
    assert "You continue a session that was rotated" in context


@pytest.mark.parametrize(("words", "whole"), [((), True), (("and the docs",), False)])
def test_who_clears_the_conversation_after_it_goes_on_unless_they_went_on_before(user, words, whole):
    given = recorded(user, "Next step: write the lexer")
    user.run("rotate")
    for prompt in words:
        user.hook(user.payload("UserPromptSubmit", **{**given, "prompt": prompt}))
    user.hook(user.payload("SessionEnd", **given))
    _, reply, _ = user.hook(user.payload("SessionStart", session_id="s2", source="clear"))

    assert ("You continue a session that was rotated" in json.dumps(reply)) == whole


def test_who_is_rotated_by_a_person_need_not_have_ended_nor_left_a_step(user):
    recorded(user, "I looked around.")
    user.run("rotate")
    starts = [
        user.hook(user.payload("SessionStart", session_id=one, source="clear"))[1] for one in ("s2", "s3")
    ]

    assert ["You continue a session that was rotated" in json.dumps(one) for one in starts] == [True, False]


def test_what_was_handed_over_last_is_shown(user):
    recorded(user, "Next step: write the lexer")
    made = json.loads(user.run("rotate", "--json").stdout)
    shown = json.loads(user.run("rotate", "--show", "--json").stdout)

    assert made == shown
    assert (shown["details"]["why"], shown["details"]["issue"]) == ("rotation", "7")


def test_on_a_host_without_a_recording_the_trail_tells(user):
    for event in (
        {"hook": "UserPromptSubmit", "prompt": "Mend the parser."},
        {"hook": "TurnEnd", "lastAssistantText": "Next step: write the lexer"},
    ):
        user.run("hook", "envelope", stdin=json.dumps({**event, "sessionId": "e1", "cwd": str(user.project)}))
    made = json.loads(user.run("rotate", "--json").stdout)["details"]

    assert (made["task"], made["next"]) == ("Mend the parser.", ["write the lexer"])


def test_only_what_is_left_over_is_offered_to_the_next(user):
    given = recorded(user, "All is done.")
    user.hook(user.payload("SessionEnd", **given))
    _, reply, _ = user.hook(user.payload("SessionStart", session_id="s2", source="startup"))

    assert "[Handoff]" not in json.dumps(reply)


def test_a_hook_of_the_users_own_adds_to_it(user):
    more = {"next": ["ask for the grammar"], "status": "half done", "files": 3, "unknown": "x"}
    answer = json.dumps({"version": 1, "action": "passThrough", "metadata": {"handoff": more}})
    declared = {"version": 1, "hooks": {"PreCompact": [{"command": f"echo '{answer}'", "name": "mine"}]}}
    user.write("~/.config/hookline/hooks.json", declared)
    recorded(user, "Next step: write the lexer")
    made = json.loads(user.run("rotate", "--json").stdout)

    assert made["details"]["next"] == ["ask for the grammar", "write the lexer"]
    assert made["details"]["status"] == "half done"
    assert "- ask for the grammar" in made["text"]
    assert "x" not in made["details"].values()


@pytest.mark.parametrize(("source", "told"), [("startup", True), ("clear", False), ("fork", False)])
def test_who_clears_the_conversation_is_not_offered_it_again(user, source, told):
    given = recorded(user, "Next step: write the lexer")
    user.hook(user.payload("SessionEnd", **given))
    replies = [
        user.hook(user.payload("SessionStart", session_id=one, source=source))[1] for one in ("s2", "s3")
    ]

    assert ["[Handoff]" in json.dumps(one) for one in replies] == [told, False]


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        ((), "", "nothing to rotate: no session in"),
        (("--session", "x"), "", "nothing to rotate: no session with id 'x'"),
        (("--show",), "", "no handoff in this project"),
        (("--continue",), "", "a command requires --run"),
        (("--run",), "x", "missing command after --"),
        (("--run", "--", "true"), " ", "no prompt on stdin"),
        (("--run", "--continue", "--", "true"), "", "no handoff to continue from"),
        (("--run", "--max-sessions", "0", "--", "true"), "x", "invalid number of sessions '0'"),
        (("--run", "--max-sessions", "-3", "--", "true"), "x", "invalid number of sessions '-3'"),
        (("--run", "--grace", "nan", "--", "true"), "x", "invalid number of seconds 'nan'"),
        (("--run", "--grace", "-1", "--", "true"), "x", "invalid number of seconds '-1'"),
    ],
)
def test_where_nothing_can_be_rotated_it_says_why(user, words, stdin, said):
    ran = user.run("rotate", *words, stdin=stdin)

    assert ran.returncode == 2
    assert said in ran.stderr.decode()


def test_a_session_without_a_prompt_has_nothing_to_hand_over(user):
    user.hook(user.payload("SessionStart", session_id="s1", source="startup"))
    ran = user.run("rotate")

    assert ran.returncode == 2
    assert "session 's1' has no content for a handoff" in ran.stderr.decode()


def test_a_command_that_nobody_heard_of_runs_once_and_says_so(user):
    script = "import sys; print(sys.stdin.read().upper()); sys.exit(3)"
    ran = user.run("rotate", "--run", "--", sys.executable, "-c", script, stdin="mend it")

    assert (ran.returncode, ran.stdout) == (3, b"MEND IT\n")
    assert "run `hookline doctor`" in ran.stderr.decode()
    assert user.run("rotate", "--run", "--", "no-such-program", stdin="x").returncode == 1


def test_what_the_agent_is_told_of_its_own_options_is_left_as_it_is(user):
    script = "import sys; print(sys.argv[1:])"
    ran = user.run("rotate", "--run", "--", sys.executable, "-c", script, "-p", "--", "x", stdin="mend it")

    assert ran.stdout == b"['-p', '--', 'x']\n"


@pytest.mark.parametrize(
    "words", [(), ("--show",), ("--run", "--", "true"), ("--run", "--continue", "--", "true")]
)
def test_without_a_store_it_says_that_and_starts_nothing(user, words):
    (user.home / ".local").mkdir()
    (user.home / ".local" / "state").write_text("in its place")
    ran = user.run("rotate", *words, stdin="x")

    assert ran.returncode == 1
    assert ran.stderr.startswith(b"hookline: the store cannot be used: ")
