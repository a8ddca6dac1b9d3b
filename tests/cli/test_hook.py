"""Test `hookline hook`: for any input, exit code 0 or the blocking code, and no output or a valid reply."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.cli import hook as command

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("HOOKLINE_LONG"))
MOMENTS = sorted((Path(__file__).parent.parent / "captures" / "claude-code").glob("*.json"))


def test_an_ordinary_call_passes_in_silence(user):
    assert user.hook(user.payload("PreToolUse")) == (0, {}, "")


def test_a_forced_push_is_stopped_with_the_reason(user):
    code, reply, _ = user.hook(user.shell("git push --force origin main"))
    answer = reply["hookSpecificOutput"]

    assert code == 0
    assert answer["permissionDecision"] == "deny"
    assert "dangerous-command:git-push-force" in answer["permissionDecisionReason"]


@pytest.mark.parametrize("stem", ["PostToolUse", "PostToolUseFailure.Bash"])
def test_the_countdown_follows_every_tool_call(user, stem):
    _, reply, _ = user.hook(user.payload(stem), AUTORESEARCH_BUDGET_END="1")

    assert reply["hookSpecificOutput"]["hookEventName"] == stem.split(".")[0]
    assert "BUDGET EXPIRED" in reply["hookSpecificOutput"]["additionalContext"]


def test_an_end_that_is_no_number_is_said_once_to_the_user_and_never_to_the_agent(user):
    first = user.hook(user.payload("PostToolUse"), AUTORESEARCH_BUDGET_END="soon")[1]
    second = user.hook(user.payload("PostToolUse"), AUTORESEARCH_BUDGET_END="soon")[1]

    assert "'soon'" in first["systemMessage"]
    assert "hookSpecificOutput" not in first
    assert second == {}


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"  \n",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe s3cret",
        b'{"hook_event_name": "PreToolUse", "tool_name": "s3cret"',
        b'{"hook_event_name": 3, "x": "s3cret"}',
        b'{"hook_event_name": "PreToolUse", "tool_input": {"command": "s3cret"}}',
        b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": "s3cret"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=range(12),
)
def test_what_cannot_be_read_passes_with_a_diagnostic_that_repeats_nothing(user, sent):
    code, reply, stderr = user.hook(sent)

    assert code == 0
    assert "invalid payload" in reply["systemMessage"]
    assert "s3cret" not in json.dumps(reply) + stderr
    assert "Traceback" not in stderr


def test_a_moment_that_is_none_of_ours_is_passed_in_silence(user):
    assert user.hook({"hook_event_name": "MessageDisplay", "delta": "x"}) == (0, {}, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-host"], "no host named 'no-such-host'; available: claude-code"),
        ([], "invalid arguments"),
    ],
)
def test_a_wrong_call_never_blocks_the_host(user, words, said):
    ran = user.run("hook", *words, stdin="{}")

    assert ran.returncode == 0
    assert ran.stdout == b""
    assert said in ran.stderr.decode()


@pytest.mark.parametrize("option", ["--only", "--without"])
def test_a_wrong_hook_name_is_said_and_every_hook_looks(user, option):
    _, reply, _ = user.hook(user.shell("git push --force"), option, "no-such-hook")

    assert "deny" in json.dumps(reply)
    assert "no hook named 'no-such-hook'; available: audit, budget-countdown" in reply["systemMessage"]


def test_only_and_without_choose_the_hooks(user):
    force = user.shell("git push --force")

    assert user.hook(force, "--without", "dangerous-command")[1] == {}
    assert user.hook(force, "--only", "audit")[1] == {}
    assert user.hook(force, "--only", "dangerous-cmd-block")[1] != {}


def test_the_moment_may_be_named_on_the_command_line(user):
    payload = user.shell("git push --force")
    del payload["hook_event_name"]

    assert "deny" in json.dumps(user.hook(payload, "--event", "PreToolUse")[1])


def test_every_event_is_in_the_audit_trail_once(user):
    for stem in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure.Bash", "Stop"):
        user.hook(user.payload(stem, session_id="s"))
    user.hook(user.shell("git push --force") | {"session_id": "s"})
    log = user.log()

    assert [record["event"] for record in log] == [
        "SessionStart",
        "UserPromptSubmit",
        "TurnStart",
        "PreToolUse",
        "PostToolUse",
        "OnError",
        "TurnEnd",
        "Stop",
        "PreToolUse",
    ]
    assert (log[-1]["action"], log[-1]["rules"]) == ("block", ["dangerous-command:git-push-force"])


def test_a_session_that_was_never_announced_starts_with_its_first_event(user):
    user.hook(user.payload("PreToolUse"))
    user.hook(user.payload("PreToolUse"))

    assert [record["event"] for record in user.log()] == ["SessionStart", "PreToolUse", "PreToolUse"]


@pytest.mark.parametrize("broken", ["~/.local/state/hookline", "~/.local/state"])
def test_a_store_that_cannot_be_used_stops_nothing_and_is_said(user, broken):
    user.write(broken, "a file where a folder should be")
    code, reply, _ = user.hook(user.shell("git push --force"))

    assert code == 0
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "store" in reply["systemMessage"]


def test_the_expired_budget_is_an_event_of_its_own_once(user):
    for _ in range(2):
        user.hook(user.payload("PostToolUse", session_id="s"), AUTORESEARCH_BUDGET_END="1")

    assert [record["event"] for record in user.log()].count("OnBudgetExceeded") == 1


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=9,
)
captured = st.sampled_from([json.loads(path.read_text()) for path in MOMENTS])
mutated = st.builds(
    lambda payload, more: {**payload, **more}, captured, st.dictionaries(st.text(max_size=9), json_values)
)
twisted = st.builds(
    lambda payload, key, value: {**payload, sorted(payload)[key % len(payload)]: value},
    captured,
    st.integers(0, 30),
    json_values,
)
stdin = st.one_of(
    st.binary(max_size=200),
    json_values.map(lambda value: json.dumps(value).encode()),
    mutated.map(lambda value: json.dumps(value).encode()),
    twisted.map(lambda value: json.dumps(value).encode()),
    twisted.map(lambda value: json.dumps(value).encode()[:-3]),
)


def in_process(data, user, monkeypatch):
    """Run the command in this process, without the cost of a new one."""
    monkeypatch.setenv("HOME", str(user.home))
    monkeypatch.setenv("TMPDIR", user.environment()["TMPDIR"])
    monkeypatch.chdir(user.project)
    before, file = os.dup(0), os.memfd_create("payload")
    try:
        os.write(file, data)
        os.lseek(file, 0, os.SEEK_SET)
        os.dup2(file, 0)
        return command.main(["claude-code"])
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(file)


@pytest.mark.parametrize("stem", [path.stem for path in MOMENTS])
def test_every_captured_payload_is_answered(stem, user, monkeypatch, capfdbinary):
    for hook in ("SESSION_INIT", "STOP_NOTIFY"):  # these two hooks answer in every session
        monkeypatch.setenv(f"AR_DISABLE_{hook}", "1")
    code = in_process(json.dumps(user.payload(stem)).encode(), user, monkeypatch)

    assert code == 0
    assert capfdbinary.readouterr() == (b"", b"")


@settings(
    max_examples=3000 if LONG else 150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=stdin)
def test_any_bytes_give_nothing_or_a_valid_reply(data, user, monkeypatch, capfdbinary):
    code = in_process(data, user, monkeypatch)
    out, _ = capfdbinary.readouterr()

    assert code in (0, 2)
    reply = json.loads(out) if out.startswith(b"{") else {}
    assert out == b"" or reply or b"hookline" in out or json.loads(data)["hook_event_name"] == "PreCompact"
    assert set(reply) <= {"systemMessage", "hookSpecificOutput", "decision", "reason", "terminalSequence"}
    if "hookSpecificOutput" in reply:
        assert reply["hookSpecificOutput"]["hookEventName"] == json.loads(data)["hook_event_name"]


def test_a_record_that_cannot_be_kept_is_said_in_the_same_reply(user):
    user.hook(user.payload("PreToolUse", session_id="s"))
    spool = user.home / ".local" / "state" / "hookline" / "spool"
    for path in spool.iterdir():
        path.unlink()
    spool.rmdir()
    spool.write_text("a file where the spool should be")
    _, reply, _ = user.hook(user.payload("PreToolUse", session_id="s"))

    assert "the decision was not recorded" in reply["systemMessage"]


def test_a_wrong_event_on_the_command_line_is_said(user):
    _, reply, _ = user.hook(user.shell("git push --force"), "--event", "PreTooluse")

    assert "no event 'PreTooluse'; available: SessionStart" in reply["systemMessage"]


def bash(user, script):
    command = ["bash", "-c", script.replace("HOOKLINE", f"{Path(sys.executable).parent}/hookline")]
    return subprocess.run(command, cwd=user.project, env=user.environment(), capture_output=True, check=False)


@pytest.mark.parametrize("redirect", [">/dev/full", ">&-", "2>&-", ">&- 2>&-", "| true"])
def test_a_deny_that_nobody_reads_blocks_by_exit_code(user, redirect):
    user.write("payload.json", user.shell("git push --force"))
    ran = bash(user, f"set -o pipefail; HOOKLINE hook claude-code <payload.json {redirect}")

    # Whether `true` reads the reply before it exits depends on timing.
    assert ran.returncode in {"2>&-": (0,), "| true": (0, 2)}.get(redirect, (2,))
    assert b"Traceback" not in ran.stderr
    assert redirect != "2>&-" or b"deny" in ran.stdout


def test_a_folder_that_was_deleted_is_no_reason_not_to_judge(user):
    user.write("../payload.json", {**user.shell("git push --force"), "cwd": "/no/such/folder"})
    ran = bash(
        user, "mkdir x && cd x && exec 3< ../../payload.json && rmdir ../x && HOOKLINE hook claude-code <&3"
    )

    assert b"deny" in ran.stdout


def test_the_help_has_examples_and_exit_codes(user):
    told = user.run("hook", "--help").stdout.decode()

    assert "examples:" in told
    assert "exit codes:" in told


@pytest.mark.parametrize("number", [15, 1])
def test_what_a_hook_started_does_not_outlive_a_terminated_call(user, number):
    mark = f"4711.{number:02}"
    entry = {"command": f"sleep {mark}", "timeout": 30}
    user.write("~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": [entry]}})
    user.write("payload.json", user.payload("PreToolUse"))
    with (user.project / "payload.json").open() as payload:
        command = [str(Path(sys.executable).parent / "hookline"), "hook", "claude-code"]
        process = subprocess.Popen(
            command, stdin=payload, stdout=-3, stderr=-3, cwd=user.project, env=user.environment()
        )
    until = time.monotonic() + 10
    while not running(mark) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(10)

    assert gone(mark)


def gone(word):
    """Wait until the killed process has ended, and return whether it has."""
    until = time.monotonic() + 5
    while running(word) and time.monotonic() < until:
        time.sleep(0.05)
    return not running(word)


def running(word):
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [place] if word.encode() in place.read_bytes() else []
        except OSError:
            continue
    return found
