"""What a command told of its session is known to those who ask over http, and to the next daemon."""

import json
import stat

import pytest

from hookline import hosts
from hookline.daemon.registered import MOST, Sessions, tell

CLAUDE = hosts.load("claude-code")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sessions"


def told(session="s", **more):
    begun = {CLAUDE.names_event: "SessionStart", CLAUDE.common["session"]: session}
    return json.dumps({**begun, **more}).encode()


def note(sessions, session="s", host="claude-code", cwd="/repo", **env):
    sessions.note(host, told(session), {"HOME": "/home/user", **env}, cwd)


def find(sessions, session="s", host=CLAUDE):
    return sessions.find(host, {CLAUDE.common["session"]: session})


def the_file(path):
    (found,) = path.iterdir()
    return found


def test_what_was_told_is_known(path):
    sessions = Sessions(str(path))
    note(sessions, AR_DISABLE_AUDIT="1", OF_THE_USER="x")
    found = find(sessions)

    assert (found.cwd, found.env["AR_DISABLE_AUDIT"], found.env["OF_THE_USER"]) == ("/repo", "1", "x")


def test_what_was_told_last_holds(path):
    sessions = Sessions(str(path))
    note(sessions, AR_DISABLE_AUDIT="1")
    note(sessions)

    assert "AR_DISABLE_AUDIT" not in find(sessions).env
    assert "AR_DISABLE_AUDIT" not in find(Sessions(str(path))).env


def test_nobody_else_is_known(path):
    sessions = Sessions(str(path))
    note(sessions)

    assert find(sessions, "another") is None
    assert find(sessions, host=hosts.load("qwen-code")) is None
    for payload in (None, [], 1, {}, {CLAUDE.common["session"]: 1}, {CLAUDE.common["session"]: ""}):
        assert sessions.find(CLAUDE, payload) is None


def test_what_outlives_the_daemon_is_what_we_go_by(path):
    kept = {
        "AR_DISABLE_AUDIT": "1",
        "AUTORESEARCH_BUDGET_END": "100",
        "HOOKLINE_STORE": "memory",
        "XDG_STATE_HOME": "/state",
        "PATH": "/bin",
        "CLAUDE_PROJECT_DIR": "/repo",
        "CLAUDE_CODE_SESSION_ID": "s",
        "QWEN_PROJECT_DIR": "/repo",
    }
    note(Sessions(str(path)), **kept, API_KEY="hunter2", AWS_SECRET_ACCESS_KEY="hunter3")

    assert find(Sessions(str(path))).env == {"HOME": "/home/user", **kept}
    assert "hunter" not in the_file(path).read_text()
    assert stat.S_IMODE(the_file(path).stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_what_belongs_to_one_call_is_not_kept(path):
    sessions = Sessions(str(path))
    note(sessions, HOOKLINE_CALL="1.2.3")

    assert "HOOKLINE_CALL" not in find(sessions).env


def test_bytes_that_are_no_text_are_kept_as_they_are(path):
    note(Sessions(str(path)), XDG_STATE_HOME="/st\udcff", cwd="/r\udcfe")
    found = find(Sessions(str(path)))

    assert (found.env["XDG_STATE_HOME"], found.cwd) == ("/st\udcff", "/r\udcfe")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"{}", b'{"env": []}', b'{"env": {}}', b"\xff", b"[" * 99_999]
)
def test_a_file_that_cannot_be_read_is_as_none(path, content):
    note(Sessions(str(path)))
    the_file(path).write_bytes(content)
    sessions = Sessions(str(path))

    assert find(sessions) is None
    note(sessions)
    assert find(sessions) is not None
    assert find(Sessions(str(path))) is not None


def test_what_a_command_left_that_the_daemon_did_not_answer_is_known(path):
    sessions = Sessions(str(path))
    tell(str(path), "claude-code", told(), {"AR_DISABLE_AUDIT": "1"}, "/repo")
    assert find(sessions).env == {"AR_DISABLE_AUDIT": "1"}

    note(sessions, OF_THE_USER="x")
    assert find(sessions).env == {"HOME": "/home/user", "OF_THE_USER": "x"}

    tell(str(path), "claude-code", told(), {"AR_DISABLE_AUDIT": "2"}, "/repo")
    assert find(sessions).env == {"AR_DISABLE_AUDIT": "2"}


def test_what_a_command_leaves_that_is_known_already_takes_nothing_away(path):
    sessions = Sessions(str(path))
    note(sessions, OF_THE_USER="x")
    tell(str(path), "claude-code", told(), {"HOME": "/home/user"}, "/repo")

    assert find(sessions).env["OF_THE_USER"] == "x"


def test_no_session_can_name_a_file_elsewhere(path):
    sessions = Sessions(str(path))
    for name in ("../out", "/etc/x", "a\0b", "x" * 100_000, "\ud800"):
        note(sessions, name)
        assert find(sessions, name) is not None

    assert sorted(one.parent for one in path.parent.rglob("*") if one.is_file()) == [path] * 5


def test_where_nothing_can_be_written_it_is_known_as_long_as_we_live(tmp_path):
    (tmp_path / "file").touch()
    sessions = Sessions(str(tmp_path / "file" / "sessions"))
    note(sessions)

    assert find(sessions) is not None


def test_the_oldest_are_forgotten(path):
    sessions = Sessions(str(path))
    for number in range(MOST + 1):
        note(sessions, str(number))
        note(sessions, "0", AR_NUMBER=str(number))

    assert find(sessions, "0") is not None
    assert find(sessions, "1") is None
    assert find(sessions, str(MOST)) is not None
    assert len(list(path.iterdir())) == MOST


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"1", b"{}", b'{"session_id": 1}', b"[" * 99_999])
def test_what_names_no_session_is_let_go(path, payload):
    Sessions(str(path)).note("claude-code", payload, {}, "/")

    assert not path.exists()


def test_of_hosts_that_only_start_commands_nothing_is_kept(path):
    sessions = Sessions(str(path))
    note(sessions, host="codex")
    note(sessions, host="nobody")

    assert not path.exists()


def test_who_speaks_for_a_session_later_has_no_say_in_how_it_is_guarded(path):
    sessions = Sessions(str(path))
    note(sessions)
    later = told(**{CLAUDE.names_event: "Notification", "message": "SessionStart"})
    sessions.note("claude-code", later, {"AR_DISABLE_DANGEROUS_COMMAND": "1"}, "/repo")
    tell(str(path), "claude-code", later, {"AR_DISABLE_DANGEROUS_COMMAND": "1"}, "/repo")

    assert find(sessions).env == find(Sessions(str(path))).env == {"HOME": "/home/user"}
