"""Test hook files that several hosts run: the caller is recognised, and answered once in its format."""

import json

import pytest
from tests.conftest import CAPTURES
from tests.runtime.test_dedupe import CAPTURED

from hookline import hosts
from hookline.core.payload import decode
from hookline.core.values import replace
from hookline.runtime import answer, dedupe
from hookline.runtime.answer import find_caller

CLAUDE = hosts.load("claude-code")
MARKS = {
    "claude-code": {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "@"},
    "copilot-cli": {"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "/repo", "CLAUDE_PROJECT_DIR": "/repo"},
    "cursor": {"CURSOR_VERSION": "2026.09", "CLAUDE_PROJECT_DIR": "/repo"},
    "factory-droid": {"DROID_PROJECT_DIR": "/repo", "CLAUDE_PROJECT_DIR": "/repo"},
    "gemini-cli": {"GEMINI_SESSION_ID": "@", "CLAUDE_PROJECT_DIR": "/repo"},
    "qwen-code": {"QWEN_CODE_SESSION_ID": "@", "QWEN_PROJECT_DIR": "/repo"},
    "reasonix": {"REASONIX_PLUGIN_ROOT": "/plugin", "CLAUDE_PLUGIN_ROOT": "/plugin"},
    "codex": {},
    "vscode": {},
}
"""Environment variables that each host sets for its hooks; @ is the session id."""


def payload(path):
    return json.loads(path.read_text())


def environment(name, sent, **more):
    session = str(sent.get("session_id") or sent.get("sessionId") or "")
    return {key: session if value == "@" else value for key, value in MARKS[name].items()} | more


def own(path):
    """Return whether *path* has the payload format that Copilot uses for other hosts' files."""
    return path.parent.name != "copilot-cli" or path.stem[0].isupper()


THROUGH = [path for path in CAPTURED if path.parent.name in MARKS and own(path)]
CLAUDES = [path for path in CAPTURED if path.parent.name == "claude-code"]


def sent_by(name):
    """Yield (file, payload) pairs of a host."""
    for path in THROUGH:
        if path.parent.name == name:
            sent = payload(path)
            if path.stem.startswith("PermissionRequest.pascal"):
                sent["timestamp"] = sent.get("timestamp", 1)
            yield path, sent


@pytest.mark.parametrize("name", MARKS)
def test_every_captured_event_is_traced_to_its_sender(name):
    for path, sent in sent_by(name):
        assert find_caller(CLAUDE, sent, environment(name, sent)).name == name, path


@pytest.mark.parametrize("outer", [name for name in MARKS if MARKS[name] and name != "claude-code"])
def test_claude_code_inside_another_agent_is_recognised(outer):
    for path in CLAUDES:
        sent = payload(path)
        inherited = dict(MARKS[outer]) | environment("claude-code", sent)
        assert find_caller(CLAUDE, sent, inherited) is CLAUDE, path


@pytest.mark.parametrize("name", [name for name in MARKS if name not in ("claude-code", "vscode")])
def test_another_agent_inside_claude_code_is_recognised(name):
    """Check all hosts except VS Code, which sets no variable, so that inherited ones hide it."""
    inherited = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "another"}
    for path, sent in sent_by(name):
        assert find_caller(CLAUDE, sent, environment(name, sent, **inherited)).name == name, path


@pytest.mark.parametrize("value", [None, [], "x", 3, {}])
def test_what_is_no_payload_is_whoevers_it_is_said_to_be(value):
    assert find_caller(CLAUDE, value, {"COPILOT_CLI": "1"}) is CLAUDE


def test_no_other_host_is_loaded_for_an_ordinary_call(monkeypatch):
    monkeypatch.setattr(answer, "hosts", None)
    sent = payload(CAPTURES / "claude-code" / "PreToolUse.json")

    assert find_caller(CLAUDE, sent, environment("claude-code", sent)) is CLAUDE


def through(user, name, stem, host="claude-code", **changes):
    """Return the reply when the host *name* runs an entry that was installed for another *host*."""
    sent = {**payload(CAPTURES / name / f"{stem}.json"), "cwd": str(user.project), **changes}
    if name == "cursor":
        sent["workspace_roots"] = [str(user.project)]
    env = {
        key: str(user.project) if value == "/repo" else value
        for key, value in environment(name, sent).items()
    }
    ran = user.run("hook", host, stdin=json.dumps(sent), **env)
    assert ran.returncode in (0, 2 if name == "reasonix" else 0)
    return ran.stdout.decode() or ran.stderr.decode()


FORCED = {
    "copilot-cli": ("PreToolUse.pascal", {"tool_input": {"command": "git push --force"}}),
    "cursor": ("preToolUse.Shell", {"tool_input": {"command": "git push --force"}, "cwd": ""}),
    "factory-droid": ("PreToolUse", {"tool_input": {"command": "git push --force"}}),
    "vscode": ("PreToolUse", {"tool_input": {"command": "git push --force"}}),
    "qwen-code": ("PreToolUse", {"tool_input": {"command": "git push --force"}}),
    "codex": ("PreToolUse", {"tool_input": {"command": "git push --force"}}),
    "reasonix": ("PreToolUse", {"tool_input": {"command": "git push --force"}}),
}


def stopped(name, text):
    if name == "reasonix":  # reasonix reads the exit code and the reason only
        return "git-push-force" in text
    told = json.loads(text)
    nested = told.get("hookSpecificOutput", {})
    said = (told.get("permissionDecision"), told.get("permission"), nested.get("permissionDecision"))
    return "deny" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", FORCED)
def test_who_is_not_wired_itself_is_answered_in_its_own_words(user, name):
    stem, changes = FORCED[name]
    text = through(user, name, stem, **changes)

    assert stopped(name, text)
    assert [(r["host"], r["action"]) for r in user.log() if r["event"] == "PreToolUse"] == [(name, "block")]


def test_cursors_words_are_its_own_and_copilots_are_flat(user):
    cursor = json.loads(through(user, "cursor", *FORCED["cursor"][:1], **FORCED["cursor"][1]))
    copilot = json.loads(through(user, "copilot-cli", "PreToolUse.pascal", **FORCED["copilot-cli"][1]))

    assert set(cursor) == {"permission", "user_message", "agent_message"}
    assert "hookSpecificOutput" not in copilot


@pytest.mark.slow
@pytest.mark.parametrize("scope", [[], ["--user"]])
@pytest.mark.parametrize("name", [name for name in FORCED if name != "reasonix"])
def test_who_is_wired_itself_is_stopped_here_all_the_same(user, name, scope):
    """Check that an own installation does not skip the call: the host may not run that file."""
    assert user.run("init", "--host", name, "--yes", *scope).returncode == 0
    stem, changes = FORCED[name]

    assert stopped(name, through(user, name, stem, **changes))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "content"),
    [
        (
            ".cursor/hooks.json",
            {"version": 1, "hooks": {"preToolUse": [{"command": "hookline hook cursor"}]}},
        ),
        (".cursor/hooks.json", {"hooks": {"preToolUse": [{"command": "/gone/hookline hook cursor"}]}}),
        ("~/.cursor/hooks.json", {"hooks": {"preToolUse": [{"command": "/gone/hookline hook cursor"}]}}),
    ],
)
def test_no_file_can_silence_us_by_saying_that_it_calls_us_too(user, path, content):
    user.write(path, content)

    assert stopped("cursor", through(user, "cursor", "preToolUse.Shell", **FORCED["cursor"][1]))


def test_a_hooks_file_that_calls_nobody_silences_nobody(user):
    user.write(".github/hooks/hookline.json", {"version": 1, "hooks": {}})

    assert stopped(
        "copilot-cli", through(user, "copilot-cli", "PreToolUse.pascal", **FORCED["copilot-cli"][1])
    )


def test_what_arrives_by_its_own_files_and_anothers_is_one_event(user):
    """Check that both payload formats have the same identity, so that one of them is recorded."""
    here, host = {"cwd": "/repo", "session_id": "s", "sessionId": "s"}, hosts.load("copilot-cli")
    own = {**payload(CAPTURES / "copilot-cli" / "preToolUse.json"), **here, "toolArgs": {"command": "ls"}}
    guest = {
        **payload(CAPTURES / "copilot-cli" / "PreToolUse.pascal.json"),
        **here,
        "tool_input": {"command": "ls"},
    }
    one, other = decode(host, own, "preToolUse")[1], decode(host, guest)[1]

    assert dedupe.identify_event(one) == dedupe.identify_event(other) != ""
    assert dedupe.identify_event(one) != dedupe.identify_event(replace(other, input={"command": "ls -l"}))


def test_a_moment_that_the_other_does_not_know_is_judged_as_the_one_that_was_called(user):
    sent = user.shell("git push --force")
    del sent["prompt_id"]
    _, reply, _ = user.hook(sent, GEMINI_SESSION_ID=sent["session_id"])

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_repository_cannot_make_claude_code_look_like_another(user):
    """Set the variables of another installed host, with other tool names, in the repository's settings."""
    user.run("init", "--host", "factory-droid", "--user", "--yes")
    user.write(".claude/settings.json", {"env": {"DROID_PROJECT_DIR": "/x"}})
    old = user.shell("git push --force")
    del old["prompt_id"], old["permission_mode"]
    _, reply, _ = user.hook(old, DROID_PROJECT_DIR="/x")

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.slow
@pytest.mark.parametrize(("called", "caller"), [("copilot-cli", "vscode"), ("vscode", "copilot-cli")])
def test_the_files_in_github_hooks_are_run_by_both_of_their_hosts(user, called, caller):
    stem, changes = FORCED[caller]

    assert stopped(caller, through(user, caller, stem, host=called, **changes))
    user.run("init", "--host", caller, "--yes")
    assert stopped(caller, through(user, caller, stem, host=called, **changes))


def test_an_event_named_by_the_entry_is_not_taken_for_anothers(user):
    sent = {**payload(CAPTURES / "vscode" / "PreToolUse.json"), "tool_input": {"command": "git push --force"}}
    ran = user.run("hook", "copilot-cli", "--event", "preToolUse", stdin=json.dumps(sent))

    assert stopped("vscode", ran.stdout)


def test_text_that_begins_with_a_mark_of_its_encoding_is_read(user):
    sent = json.dumps({**payload(CAPTURES / "cursor" / "preToolUse.Shell.json"), **FORCED["cursor"][1]})
    ran = user.run("hook", "claude-code", stdin=b"\xef\xbb\xbf" + sent.encode())

    assert stopped("cursor", ran.stdout)
