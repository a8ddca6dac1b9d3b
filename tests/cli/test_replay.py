"""Test `hookline replay`: recorded sessions of each format against the policy, and against another policy."""

import json
import os
from pathlib import Path

import pytest

RECORDED = Path(__file__).parent / "recordings" / "claude-code.jsonl"
"""Transcript of Claude Code 2.1.325 without its prompts; the folder was replaced by /home/test/project."""
FORCED = "dangerous-command:git-push-force"
LONG = bool(os.environ.get("HOOKLINE_LONG"))
SECRET = "ghp_" + "CIDNb76xxP8McqTxLZbqVCxJKbEyOBnL6T0a"


def jsonl(*lines):
    return b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)


def used(call, tool="Bash", session="s1", **given):
    block = {"type": "tool_use", "id": call, "name": tool, "input": given}
    return {"type": "assistant", "sessionId": session, "cwd": "/w", "message": {"content": [block]}}


def came_back(call, output, session="s1", **more):
    block = {"type": "tool_result", "tool_use_id": call, "content": "told", **more}
    line = {"type": "user", "sessionId": session, "message": {"content": [block]}}
    return {**line, "toolUseResult": output}


def item(**payload):
    return {"timestamp": "2026-01-02T03:04:05Z", "type": "response_item", "payload": payload}


def ran(call, **arguments):
    return item(type="function_call", name="exec_command", call_id=call, arguments=json.dumps(arguments))


def replay(user, *lines, words=(), code=0, **env):
    """Replay *lines* and return the report."""
    done = user.run("replay", "-", "--json", *words, stdin=jsonl(*lines), **env)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def groups(report):
    return [(one["action"], one["of"], one["rules"], one["times"]) for one in report["groups"]]


def everything(*folders):
    return sorted(str(path) for folder in folders for path in folder.rglob("*"))


def test_a_real_transcript_is_read_whole(user):
    report = replay(user, RECORDED.read_bytes())

    assert (report["calls"], report["results"], report["sessions"]) == (6, 6, 1)
    assert ("block", "call", [FORCED], 1) in groups(report)
    assert report["unread"] == {"lines": 0, "first": []}
    assert report["failed"] == {}


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/w/.env", [("ask", "call", ["privacy-block:sensitive-path"], 1)]), ("/w/.env.example", [])],
)
def test_a_file_that_was_opened_is_judged_as_a_command_is(user, path, expected):
    report = replay(user, used("r1", "Read", file_path=path), came_back("r1", {"type": "text"}))

    assert (report["calls"], groups(report)) == (1, expected)
    assert [one["calls"][0]["what"] for one in report["groups"]] == [path] * len(expected)


def test_calls_of_a_rollout_are_judged_and_counted_once(user):
    ended = {"type": "exec_command_end", "call_id": "c1", "command": ["bash", "-lc", "git push -f"]}
    report = replay(
        user,
        {"type": "session_meta", "payload": {"id": "t1", "cwd": "/w"}},
        ran("c1", cmd="git push -f"),
        {"type": "event_msg", "payload": ended},
        item(type="function_call_output", call_id="c1", output="ok"),
    )

    assert (report["calls"], report["results"], report["sessions"]) == (1, 1, 1)
    assert groups(report) == [("block", "call", [FORCED], 1)]
    (call,) = report["groups"][0]["calls"]
    assert FORCED in call.pop("reason")
    assert call == {"file": "-", "line": 2, "session": "t1", "what": "git push -f"}


def test_what_a_fork_repeats_counts_once(user):
    report = replay(
        user,
        used("c1", command="git push -f"),
        used("c1", command="git push -f", session="fork"),
        used("c1", command="git push -f origin", session="another that counts from one"),
    )

    assert report["calls"] == 2


@pytest.mark.slow
def test_the_trail_is_a_recording_too(user):
    user.hook(user.shell("git push -f"))
    user.hook(user.shell("ls && echo " + "x" * 400))
    trail = user.run("log", "--json").stdout
    (user.project / "co?y #1.db").write_bytes((user.home / ".local/state/hookline/hookline.db").read_bytes())
    before = everything(user.project)
    from_lines = replay(user, trail)
    from_store = json.loads(user.run("replay", "--json", "co?y #1.db").stdout)

    assert (from_lines["calls"], from_lines["results"], from_lines["partial"]) == (2, 0, 1)
    assert groups(from_lines) == groups(from_store) == [("block", "call", [FORCED], 1)]
    assert everything(user.project) == before


PUSHES = ["git push -f", "git push --force", "git push -f", "git push -f a", "git push -f b"]


def pushes():
    return [used(f"c{n}", command=command, session=f"s{n % 2}") for n, command in enumerate(PUSHES)]


def test_groups_have_their_count_and_every_call_with_its_reason(user):
    removals = [used(f"r{n}", command=f"git branch -D b{n}") for n in range(2)]
    group, *others = replay(user, *pushes(), *removals, used("ok", command="ls"))["groups"]

    assert (group["times"], group["sessions"]) == (5, 2)
    assert [call["what"] for call in group["calls"]] == PUSHES
    assert all(FORCED in call["reason"] for call in group["calls"])
    for call in (call for other in others for call in other["calls"]):
        assert any(rule in call["reason"] for rule in others[0]["rules"])


def test_three_different_calls_of_a_group_are_shown_unless_all_are_requested(user):
    def shown(*words):
        output = user.run("replay", "-", *words, stdin=jsonl(*pushes())).stdout.decode()
        return [line.split("  ")[-1] for line in output.splitlines() if line.startswith("    ")]

    assert shown() == [PUSHES[0], PUSHES[1], PUSHES[3]]
    assert shown("--all") == PUSHES


def test_the_setting_that_is_shown_lets_the_calls_pass(user):
    lines = jsonl(
        *pushes(), used("r1", "Read", file_path="/w/.env"), used("n1", command="cat node_modules/a/*")
    )
    output = user.run("replay", "-", stdin=lines).stdout.decode()
    settings = [line.partition("hookline.toml: ")[2] for line in output.splitlines() if "let these" in line]
    (user.project / "other.toml").write_text("\n".join(settings))
    report = json.loads(user.run("replay", "-", "--json", "--against", "other.toml", stdin=lines).stdout)

    assert len(settings) == 3
    assert report["actions"]["call"]["pass"] == 0
    assert report["against"]["call"] == {"block": 0, "ask": 0, "modify": 0, "warn": 0, "pass": 7}


@pytest.mark.parametrize("command", ["rm -rf ~", "rm -rf /home/ana", "rm -rf $HOME"])
def test_the_home_is_that_of_the_recorded_user(user, command):
    line = {**used("c1", command=command), "cwd": "/home/ana/work"}

    assert groups(replay(user, line))[0][:3] == ("block", "call", ["dangerous-command:rm-home"])


def test_a_result_is_judged_after_the_call(user):
    answer = json.dumps({"action": "modify", "modifiedOutput": {"stdout": "less"}, "reason": "too long"})
    hooks = {"version": 1, "hooks": {"PostToolUse": [{"name": "cut", "command": f"echo '{answer}'"}]}}
    user.write("~/.config/hookline/hooks.json", hooks)
    report = replay(user, used("c1", command="ls"), came_back("c1", {"stdout": "more"}))

    assert groups(report) == [("modify", "result", ["cut"], 1)]
    assert report["actions"]["result"] == {"block": 0, "ask": 0, "modify": 1, "warn": 0, "pass": 0}


def test_a_failed_call_is_judged_as_one(user):
    failed = {"version": 1, "hooks": {"OnError": [{"name": "seen", "command": "exit 7"}]}}
    user.write("~/.config/hookline/hooks.json", failed)
    worked = replay(user, used("c1", command="ls"), came_back("c1", {"stdout": ""}))
    report = replay(user, used("c1", command="ls"), came_back("c1", "Error", is_error=True))

    assert worked["failed"] == {}
    assert list(report["failed"].values()) == [1]


def test_a_result_without_its_call_is_nothing(user):
    report = replay(user, came_back("c0", {"stdout": ""}), used("c1", command="ls"))

    assert (report["calls"], report["results"]) == (1, 0)


def test_advice_by_a_rule_is_a_warning(user):
    report = replay(user, used("c1", command="git push --force-with-lease"))

    assert groups(report) == [("warn", "call", ["dangerous-command:git-push-lease"], 1)]


@pytest.mark.parametrize(
    ("settings", "command", "change", "after"),
    [
        ("enabled = false", "git push -f", "no longer blocked", "pass"),
        ('lease = "block"', "git push --force-with-lease", "newly blocked", "block"),
        ('allow = ["git-push-lease"]', "git push --force-with-lease", "changed", "pass"),
    ],
)
def test_two_policies_are_told_apart(user, settings, command, change, after):
    user.write("other.toml", f"[hooks.dangerous-command]\n{settings}\n")
    lines = [used("c1", command=command), used("c2", command="ls"), used("c3", command="git reset --hard")]
    report = replay(user, *lines, words=["--against", "other.toml", "--only", "dangerous-command"])
    found = {group["change"]: group for group in report["groups"]}

    assert found[change]["against"]["action"] == after
    assert command in [call["what"] for group in report["groups"] for call in group["calls"]]
    assert report["actions"]["call"]["pass"] >= 1 <= report["against"]["call"]["pass"]


def test_policies_that_agree_show_no_change(user):
    user.write("same.toml", "")
    report = replay(user, used("c1", command="git push -f"), words=["--against", "same.toml"])

    assert report["groups"] == []
    assert report["against"] == report["actions"]


def test_the_rest_of_the_users_configuration_stays_in_a_comparison(user):
    on = {"version": 1, "hooks": {"PreToolUse": [{"name": "mine", "command": "echo no >&2; exit 2"}]}}
    user.write("~/.config/hookline/hooks.json", on)
    user.write("~/.config/hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    user.write("other.toml", "")
    report = replay(user, used("c1", command="ls"), words=["--against", "other.toml"])

    assert report["against"]["call"]["block"] == report["actions"]["call"]["block"] == 1
    assert report["groups"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[hooks.dangerous-comand]\nenabled = false\n", "other.toml:1: no hook named 'dangerous-comand'"),
        ("x = = 1\n", "other.toml:1: invalid TOML"),
    ],
)
def test_settings_that_do_not_hold_are_not_compared(user, text, said):
    user.write("other.toml", text)
    done = user.run("replay", "-", "--against", "other.toml")

    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()


def test_nothing_is_recorded_or_left_behind(user, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    user.write("other.toml", "")
    (user.project / "s.jsonl").write_bytes(RECORDED.read_bytes())
    before = everything(user.home, user.project)
    done = user.run("replay", "s.jsonl", "--against", "other.toml", TMPDIR=str(scratch))

    assert done.returncode == 0
    assert everything(user.home, user.project) == before
    assert everything(scratch) == []


def test_secrets_are_not_shown(user):
    lines = jsonl(used("c1", command=f"git push -f https://me:{SECRET}@host.example/x.git"))
    shown = (
        user.run("replay", "-", stdin=lines).stdout + user.run("replay", "-", "--json", stdin=lines).stdout
    )

    assert shown.count(b"git push -f") >= 2
    assert SECRET.encode() not in shown


def test_what_a_person_sees(user):
    (user.project / "s.jsonl").write_bytes(jsonl(used("c1", command="git push -f"), used("c2", command="ls")))
    done = user.run("replay", "s.jsonl", "--only", "dangerous-command")
    lines = done.stdout.decode().splitlines()

    assert done.stderr == b""
    assert lines[0].split() == ["action", "type", "rule", "count", "sessions"]
    assert lines[1].split() == ["block", "call", FORCED, "1", "1"]
    assert "    s.jsonl:1  git push -f" in lines
    assert lines[-3].startswith("2 calls and 0 results of 1 session in ")
    assert lines[-2:] == [
        "calls: 1 block, 0 ask, 0 modify, 0 warn, 1 pass",
        "results: 0 block, 0 ask, 0 modify, 0 warn, 0 pass",
    ]


def test_what_steers_a_terminal_is_made_visible(user):
    shown = user.run("replay", "-", stdin=jsonl(used("c1", command="git push -f # \x1b[2J"))).stdout

    assert b"\x1b" not in shown
    assert "␛[2J" in shown.decode()


def test_a_bar_is_drawn_where_somebody_watches_and_nowhere_else(user, at_terminal):
    (user.project / "s.jsonl").write_bytes(jsonl(*(used(f"c{n}", command="ls") for n in range(300))))
    code, seen = at_terminal("replay", "s.jsonl")
    quiet = user.run("replay", "s.jsonl")

    assert code == 0
    assert "100%" in seen
    assert "300 calls" in seen
    assert (quiet.returncode, quiet.stderr) == (0, b"")
    assert b"100%" not in quiet.stdout


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (jsonl(used("c9", command="git push -f"))[:-30] + b"\n", "invalid JSON"),
        (b"\x00\xff\xfe\x1b[31m\n", "invalid JSON"),
        (b"[1, 2]\n", "not a JSON object"),
        (b'{"a": ' * 50_000 + b"1" + b"}" * 50_000 + b"\n", "nested too deeply"),
        (b'{"n": ' + b"9" * 5000 + b"}\n", "invalid JSON"),
    ],
)
def test_a_line_that_cannot_be_read_is_counted_and_named(user, line, why):
    report = replay(user, used("c1", command="ls"), line, used("c2", command="git push -f"))

    assert report["unread"] == {"lines": 1, "first": [{"file": "-", "line": 2, "why": why}]}
    assert report["calls"] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        {"type": "assistant", "sessionId": "s", "message": "text"},
        {"type": "assistant", "sessionId": 3, "message": {"content": [None, 7, {"type": "tool_use"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": {"a": 1}}]}},
        {"type": "response_item", "payload": {"type": "function_call", "arguments": "{{{", "name": 4}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "[]"}},
        {"type": "response_item", "payload": {"type": "local_shell_call", "action": {"command": [1, None]}}},
        {"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch"}},
        {"type": "event_msg", "payload": {"type": "exec_command_end"}},
        {"session": 1, "event": "PreToolUse", "action": [], "trail": {}, "summary": None, "host": 5},
        {"type": "something new", "sessionId": "s", "payload": 3},
    ],
)
def test_fields_may_be_anything(user, line):
    report = replay(user, line, used("c1", command="git push -f"))

    assert groups(report) == [("block", "call", [FORCED], 1)]


def test_a_line_without_end_is_skipped(user, monkeypatch):
    from hookline.cli._replay import calls as _replay_lines

    monkeypatch.setattr(_replay_lines, "MAX_BYTES", 1000)
    path = user.project / "long.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"x" * 3500 + b"\n" + b'{"b": 2}\n' + b"y" * 1001)
    read = [*_replay_lines.read_lines(str(path))]

    assert [(line.number, line.value, line.wrong) for line in read] == [
        (1, {"a": 1}, ""),
        (2, None, "over 1,000 bytes"),
        (3, {"b": 2}, ""),
        (4, None, "over 1,000 bytes"),
    ]
    assert sum(line.size for line in read) == path.stat().st_size


@pytest.mark.parametrize("content", [b"", b'{"name": "package", "version": "1"}\n', b"\x7fELF\x00\n"])
def test_a_file_that_is_no_recording_is_said(user, content):
    (user.project / "other").write_bytes(content)
    (user.project / "s.jsonl").write_bytes(jsonl(used("c1", command="git push -f")))
    done = user.run("replay", "other", "s.jsonl")

    assert done.returncode == 1
    assert "other: no recorded session in a known format" in done.stdout.decode()
    assert FORCED in done.stdout.decode()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nowhere.jsonl"], 1, "nowhere.jsonl: no such file or directory"),
        (["."], 1, ".: is a directory"),
        (["-", "--against", "nowhere.toml"], 1, "nowhere.toml: no such file or directory"),
        (["-", "--only", "dangerous"], 2, "no hook named 'dangerous'; did you mean 'dangerous-command'?"),
        (["-", "--cwd", "nowhere"], 1, "nowhere: not a folder"),
        ([], 2, "the following arguments are required: FILE"),
    ],
)
def test_a_wrong_call_is_one_clear_sentence(user, words, code, said):
    done = user.run("replay", *words)

    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_broken_store_is_one_clear_sentence(user):
    (user.project / "store.db").write_bytes(b"SQLite format 3\x00" + b"\x00" * 5000)
    done = user.run("replay", "store.db")

    assert done.returncode == 1
    assert b"the store 'store.db' cannot be read" in done.stderr


@pytest.mark.slow
def test_what_is_the_same_is_judged_once(user):
    """Check that equal calls are judged once, unless the user has hooks, which may keep state."""
    lines = [used(f"c{n}", command="ls") for n in range(3)]
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"name": "count", "command": "echo x >> ../count"}]}}
    user.write("~/.config/hookline/hooks.json", hooks)
    replay(user, *lines)

    assert (user.project.parent / "count").read_text() == "x\n" * 3
