"""`hookline init --user --http`: an address and a secret in the user's settings, and who answers there."""

import json
import os
import pty
import stat
from dataclasses import replace

import pytest
from tests.conftest import HOOKLINE
from tests.daemon.over_http import Asking

from hookline import hosts, installing
from hookline.daemon import control, port
from hookline.daemon.paths import find
from hookline.daemon.registered import asks
from hookline.events import ALLOW, ASK, BLOCK, MODIFY

SETTINGS = ".claude/settings.json"


@pytest.fixture
def home(user, tmp_path):
    """A user with a place for a daemon, which ends with the test."""
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    user.env |= {"XDG_RUNTIME_DIR": str(runtime), "HOOKLINE_DAEMON": "on"}
    yield user
    assert control.stop(find(user.environment()))


def init(user, *words):
    return user.run("init", "--user", "--yes", "--host", "claude-code", *words)


def said(ran):
    return ran.stdout.decode() + ran.stderr.decode()


def wired(user):
    """What is started or asked at each moment: a command, or how it is asked."""
    table = json.loads((user.home / SETTINGS).read_text())["hooks"]
    return {moment: [one for entry in entries for one in entry["hooks"]] for moment, entries in table.items()}


def over_http(user):
    return {moment for moment, those in wired(user).items() for one in those if one["type"] == "http"}


def uninstall(user):
    """At a terminal, as a person does it."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(user.project)
        os.execve(HOOKLINE, [str(HOOKLINE), "uninstall", "--user", "--yes"], user.environment())
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("name", [name for name in hosts.names() if asks(name)])
def test_nothing_that_can_be_stopped_or_changed_goes_over_http_unless_the_host_stops_it_then(name):
    host = hosts.load(name)
    http = host.wiring.way.http

    assert {*http.watched, *http.guards, *http.never} <= set(host.moments)
    assert not {*http.watched, *http.guards} & set(http.never)
    for moment in http.watched:
        assert not host.moments[moment].can & {BLOCK, ASK, ALLOW, MODIFY}
    for moment in http.guards:
        over = port.Kept(port=1, secret="s").address()
        entry = host.wiring.way.entry(
            next(one for one in entries(host, over) if one.moment == moment and one.stops)
        )
        assert "block" in json.dumps(entry)


def entries(host, over):
    return installing.entries(host, "hookline", replace(over, guards=True))


def test_only_what_is_watched_is_asked_over_http(home):
    ran = init(home, "--http")
    kept = port.kept(home.environment())

    assert ran.returncode == 0, said(ran)
    assert over_http(home) == {"PostCompact", "SubagentStart", "Notification", "StopFailure"}
    assert wired(home)["Notification"] == [
        {
            "type": "http",
            "url": f"http://127.0.0.1:{kept.port}/claude-code",
            "headers": {"Authorization": f"Bearer {kept.secret}"},
            "timeout": 60,
        }
    ]
    assert set(wired(home)) == set(hosts.load("claude-code").moments)
    assert port.trouble(home.environment()) == ""


def test_guards_are_asked_over_http_only_where_the_host_stops_if_nobody_answers(home):
    init(home, "--http=guards")

    assert "PreToolUse" in over_http(home)
    assert wired(home)["PreToolUse"][0]["onFailure"] == "block"
    assert wired(home)["PostToolUse"][0]["type"] == "command"
    assert wired(home)["UserPromptSubmit"][0]["type"] == "command"


def test_the_secret_is_for_nobody_elses_eyes(home):
    path = home.write(f"~/{SETTINGS}", {"model": "x"})
    path.chmod(0o644)
    ran = init(home, "--http")
    kept = port.kept(home.environment())

    assert kept.secret in path.read_text()
    assert kept.secret not in said(ran)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_in_a_projects_file_there_is_no_secret(home):
    ran = home.run("init", "--yes", "--http", "--host", "claude-code")

    assert (ran.returncode, "--http goes with --user" in said(ran)) == (1, True)
    assert not (home.project / SETTINGS).exists()
    assert port.kept(home.environment()) is None


def test_without_a_daemon_nothing_is_changed(home):
    ran = home.run("init", "--user", "--yes", "--http", "--host", "claude-code", HOOKLINE_DAEMON="off")

    assert (ran.returncode, "needs the daemon" in said(ran)) == (1, True)
    assert not (home.home / SETTINGS).exists()


@pytest.mark.parametrize("how", ["--dry-run", "--print"])
def test_to_look_leaves_nothing_behind(home, how):
    ran = home.run("init", "--user", "--http", "--host", "claude-code", how)

    assert ran.returncode == 0
    assert '"type": "http"' in said(ran)
    assert list(home.home.rglob("*.json")) == []
    assert not (home.home / ".local").exists()


def test_again_it_changes_nothing_and_without_the_word_it_starts_commands(home):
    init(home, "--http=guards")
    first = (home.home / SETTINGS).read_bytes()
    init(home, "--http=guards")
    assert (home.home / SETTINGS).read_bytes() == first

    init(home, "--http")
    assert "PreToolUse" not in over_http(home)
    init(home)
    assert over_http(home) == set()
    assert {len(those) for those in wired(home).values()} == {1}


def test_upgrade_keeps_what_is_asked_over_http(home):
    init(home, "--http=guards")
    path = home.home / SETTINGS
    path.write_text(path.read_text().replace("Bearer ", "Bearer 0"))
    ran = home.run("upgrade", "--yes")

    assert ran.returncode == 0, said(ran)
    assert "PreToolUse" in over_http(home)
    assert f"Bearer {port.kept(home.environment()).secret}" in path.read_text()


def test_uninstall_takes_it_out_and_leaves_what_is_the_users(home):
    theirs = {"type": "http", "url": "http://127.0.0.1:20000/mine", "timeout": 5}
    path = home.write(f"~/{SETTINGS}", {"hooks": {"Notification": [{"hooks": [theirs]}]}})
    before = path.read_bytes()
    init(home, "--http=guards")
    assert wired(home)["Notification"][0] == theirs

    assert uninstall(home) == 0
    assert path.read_bytes() == before


def test_doctor_asks_as_the_host_would(home):
    init(home, "--http")
    well = said(home.run("doctor", "--host", "claude-code"))
    assert "answers over http at" in well
    assert "not wired at" not in well

    assert control.stop(find(home.environment()))
    ran = home.run("doctor", "--host", "claude-code", HOOKLINE_DAEMON="off")
    assert (ran.returncode, "nobody listens on port" in said(ran)) == (1, True)


def test_a_command_that_answers_by_itself_tells_of_its_session(home):
    """Whoever comes next over http is known, whether or not a daemon was there before."""
    init(home, "--http=guards")
    home.hook(home.payload("SessionStart"), HOOKLINE_DAEMON="off")
    kept = port.kept(home.environment())
    with Asking(kept) as line:
        assert b"deny" in line.ask(home.shell("git push --force"))[2]


def test_where_nobody_asks_over_http_nothing_is_told(home):
    home.hook(home.payload("SessionStart"), HOOKLINE_DAEMON="off")

    assert not (home.home.parent / "run" / "hookline" / "sessions").exists()


def test_an_agent_that_cannot_ask_over_http_is_said_to_start_commands(home):
    ran = home.run("init", "--user", "--yes", "--host", "codex", "--http")

    assert "codex cannot ask over http, so every moment of it starts a command" in ran.stdout.decode()
