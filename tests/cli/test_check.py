"""Test `hookline check`: a verdict for each line, in order, without side effects."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

HOOKLINE = str(Path(sys.executable).parent / "hookline")
LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCED = "dangerous-command:git-push-force"


def jsonl(*payloads):
    return b"".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in payloads
    )


def check(user, *payloads, words=(), **env):
    ran = user.run("check", "claude-code", "-", *words, stdin=jsonl(*payloads), **env)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def everything(*folders):
    return sorted(str(path) for folder in folders for path in folder.rglob("*"))


def on(event, **entry):
    return {"version": 1, "hooks": {event: [entry]}}


def test_every_line_has_its_verdict_in_order(user):
    said = check(user, user.shell("git push -f"), b"no JSON\n", user.shell("ls"), b"\n", user.payload("Stop"))

    assert [(one["line"], one["event"], one["action"]) for one in said] == [
        (1, "PreToolUse", "block"),
        (2, None, "pass"),
        (3, "PreToolUse", "pass"),
        (4, None, "pass"),
        (5, "Stop", "pass"),
    ]


def test_a_verdict_says_all_of_it(user):
    (blocked,) = check(user, user.shell("git push --force"))
    (passed,) = check(user, user.shell("ls"))
    reason, ms = blocked.pop("reason"), passed.pop("ms")

    assert FORCED in reason
    assert blocked.pop("ms") > 0 < ms
    assert blocked == {
        "line": 1, "event": "PreToolUse", "action": "block", "rules": [FORCED], "context": [], "warnings": [],
    }  # fmt: skip
    assert passed == {
        "line": 1, "event": "PreToolUse", "action": "pass", "rules": [], "reason": "", "context": [],
        "warnings": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"s3cret\n",
        b"\xff s3cret\n",
        b'{"hook_event_name": "PreToolUse", "tool_name": "s3cret"\n',
        b'{"hook_event_name": "PreToolUse", "tool_input": {"command": "s3cret"}}\n',
        b'["s3cret"]\n',
        b'{"s3cret": ' * 50_000 + b"1" + b"}" * 50_000,
    ],
)
def test_a_line_that_cannot_be_read_passes_with_a_warning_that_does_not_repeat_it(user, line):
    (said,) = check(user, line)
    (warning,) = said["warnings"]

    assert (said["event"], said["action"]) == (None, "pass")
    assert warning.startswith("line not judged: ")
    assert "s3cret" not in warning


def test_a_moment_that_is_none_of_ours_passes_without_a_word(user):
    (said,) = check(user, {"hook_event_name": "CwdChanged", "session_id": "s"})

    assert (said["event"], said["action"], said["warnings"]) == (None, "pass", [])


def test_nothing_is_recorded_or_touched(user):
    (user.project / "cases.jsonl").write_bytes(jsonl(user.shell("git push -f"), user.payload("SessionStart")))
    before = everything(user.home, user.project)
    ran = user.run("check", "claude-code", "cases.jsonl")

    assert len(ran.stdout.splitlines()) == 2
    assert everything(user.home, user.project) == before


def test_verdicts_come_while_lines_do(user):
    program = subprocess.Popen(
        [HOOKLINE, "check", "claude-code", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=user.project, env=user.environment(),
    )  # fmt: skip
    with program:
        for number in (1, 2):
            program.stdin.write(jsonl(user.shell("ls")))
            program.stdin.flush()

            assert json.loads(program.stdout.readline())["line"] == number


def test_only_and_without_choose_the_hooks(user):
    forced = user.shell("git push -f")
    actions = [
        check(user, forced, words=words)[0]["action"]
        for words in (
            ["--only", "dangerous-command"],
            ["--only", "audit"],
            ["--without", "dangerous-command"],
        )
    ]

    assert actions == ["block", "pass", "pass"]


def test_a_chosen_hook_that_is_off_is_said(user):
    ran = user.run("check", "claude-code", os.devnull, "--only", "audit", AR_DISABLE_AUDIT="1")

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr == b"hookline: hook 'audit' is off: AR_DISABLE_AUDIT is set\n"


def test_every_line_is_judged_by_itself(user):
    user.write("~/.config/hookline/hooks.json", on("TurnEnd", command="echo not yet >&2; exit 2"))
    said = check(user, *[user.payload("Stop")] * 4)

    assert [one["action"] for one in said] == ["block"] * 4


def test_no_line_begins_the_session(user):
    user.write("~/.config/hookline/hooks.json", on("SessionStart", command="echo welcome"))
    said = check(user, user.shell("ls"), user.payload("SessionStart"))

    assert [one["context"][:1] for one in said] == [[], ["welcome"]]


def test_a_changed_input_is_a_modify(user):
    answer = json.dumps({"action": "modify", "modifiedInput": {"command": "ls -l"}, "reason": "longer"})
    user.write("~/.config/hookline/hooks.json", on("PreToolUse", command=f"echo '{answer}'"))
    (said,) = check(user, user.shell("ls"))

    assert (said["action"], said["reason"]) == ("modify", "longer")


def test_observers_are_not_run(user):
    seen = user.home / "seen"
    user.write("~/.config/hookline/hooks.json", on("PreToolUse", command=f"touch {seen}", observer=True))
    check(user, user.shell("ls"))

    assert not seen.exists()


def test_context_that_must_wait_is_shown(user):
    user.write("~/.config/hookline/hooks.json", on("PostCompact", command="echo '@@INJECT: read the plan'"))
    (said,) = check(user, user.payload("PostCompact"))

    assert said["context"] == ["read the plan"]


def test_what_is_wrong_with_the_configuration_is_said_once_and_beside(user):
    user.write(".hookline/hookline.toml", "profil = 'none'\n")
    ran = user.run("check", "claude-code", "-", stdin=jsonl(*[user.shell("ls")] * 3))

    assert ran.stderr.decode().count("no option named 'profil'") == 1
    assert [json.loads(line)["warnings"] for line in ran.stdout.splitlines()] == [[], [], []]


def test_the_projects_configuration_is_that_of_cwd(user, tmp_path):
    user.write(".hookline/hookline.toml", "profil = 'none'\n")
    (tmp_path / "elsewhere").mkdir()
    ran = user.run("check", "claude-code", os.devnull, "--cwd", str(tmp_path / "elsewhere"))

    assert ran.stderr == b""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["claude-cod", "-"], 2, "no host named 'claude-cod'; did you mean 'claude-code'?"),
        (["claude-code", "nowhere.jsonl"], 1, "nowhere.jsonl: no such file or directory"),
        (
            ["claude-code", "-", "--only", "dangerous"],
            2,
            "no hook named 'dangerous'; did you mean 'dangerous-command'?",
        ),
        (["claude-code", "-", "--cwd", "nowhere"], 1, "nowhere: not a folder"),
        (["claude-code"], 2, "the following arguments are required: FILE.jsonl"),
    ],
)
def test_a_wrong_call_is_one_clear_sentence(user, words, code, said):
    ran = user.run("check", *words)

    assert (ran.returncode, ran.stdout) == (code, b"")
    assert said in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


@pytest.mark.slow
def test_a_long_file_is_judged_to_its_end(user):
    count = 20_000 if LONG else 2_000
    commands = ("ls -la", "git status && git diff", "npm test | tail -5", "git push --force origin main")
    lines = [user.shell(command) for command in commands] + [user.payload("PostToolUse")]
    (user.project / "many.jsonl").write_bytes(jsonl(*lines) * (count // len(lines)))
    verdicts = [
        json.loads(line) for line in user.run("check", "claude-code", "many.jsonl").stdout.splitlines()
    ]

    assert [one["line"] for one in verdicts] == list(range(1, count + 1))
    assert [one["line"] % len(lines) for one in verdicts if one["action"] == "block"] == [4] * (
        count // len(lines)
    )


def test_a_terminal_shows_how_far_the_check_is(user, tmp_path):
    recorded = user.write("recorded.jsonl", "{}\n" * 3)
    out = tmp_path / "out"
    with out.open("w") as file:
        outer, inner = pty.openpty()
        ran = subprocess.run(
            [HOOKLINE, "check", "claude-code", str(recorded)],
            stdout=file,
            stderr=inner,
            env=user.environment(TERM="xterm"),
            check=False,
        )
        seen = os.read(outer, 65536)

    assert ran.returncode == 0
    assert b"3 calls" in seen
    assert len(out.read_text().splitlines()) == 3
