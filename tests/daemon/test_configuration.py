"""Test that a running daemon applies configuration changes, and keeps the last valid configuration."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.test_hostile_network import Receiver, proxies

FORCE = "git push --force"
OWN = {"version": 1, "hooks": {"PreToolUse": [{"command": "echo no >&2; exit 2", "name": "mine"}]}}


def stopped(house, command="ls"):
    return house.ask(house.user.shell(command)).stdout


def test_a_broken_edit_keeps_what_held_before_and_says_so(daemon):
    path = "~/.config/hookline/hooks.json"
    daemon.user.write(path, OWN)
    before = stopped(daemon)
    daemon.user.write(path, json.dumps(OWN)[:-3])
    broken = stopped(daemon)
    daemon.user.write(path, {"version": 1, "hooks": {}})
    after = stopped(daemon)

    assert [b"deny" in one for one in (before, broken, after)] == [True, True, False]
    assert b"its previous content applies until it is fixed" in broken
    assert b"hooks.json" in broken


def test_settings_that_are_broken_keep_what_they_had_switched_off(daemon):
    path = "~/.config/hookline/hookline.toml"
    daemon.user.write(path, "[hooks.dangerous-command]\nenabled = false\n")
    before = stopped(daemon, FORCE)
    daemon.user.write(path, "[hooks.dangerous-command\nenabled = false\n")

    assert b"deny" not in before
    assert b"deny" not in stopped(daemon, FORCE)


def test_what_was_broken_from_the_beginning_holds_nothing(house):
    house.user.write("~/.config/hookline/hookline.toml", "[hooks.dangerous-command\nenabled = false\n")
    house.start()
    said = stopped(house, FORCE)

    assert b"deny" in said
    assert b"it is ignored until it is fixed" in said


def test_edits_one_after_another_all_count(daemon):
    path = "~/.config/hookline/hookline.toml"
    seen = []
    for number in range(12):
        daemon.user.write(path, f"[hooks.dangerous-command]\nenabled = {str(bool(number % 2)).lower()} \n")
        seen.append(b"deny" in stopped(daemon, FORCE))

    assert seen == [bool(number % 2) for number in range(12)]


def test_a_project_that_begins_to_configure_is_heard(daemon):
    before = stopped(daemon, FORCE)
    (daemon.user.project / ".hookline").mkdir()
    daemon.user.write(".hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    after = stopped(daemon, FORCE)

    assert b"deny" in before
    assert b"deny" in after  # the project is not trusted
    assert b"trust" in after


SWITCH = {"AR_DISABLE_DANGEROUS_COMMAND": "1"}
SETTINGS = ".claude/settings.json"


def is_denied(house, session, **env):
    """Return whether a forced push is denied to a host process of its own."""
    client = ("timeout", "60", house.client)
    payload = house.user.shell(FORCE) | {"session_id": session}
    return b'"deny"' in house.ask(payload, client=client, **SWITCH, **env).stdout


def new_session():
    return f"test-{os.urandom(8).hex()}"


@pytest.mark.slow
@pytest.mark.parametrize("first", ["on", "off"])
def test_a_refused_switch_stays_refused_in_any_process(daemon, first):
    session = new_session()
    daemon.user.write(SETTINGS, {"env": SWITCH})
    assert is_denied(daemon, session, HOOKLINE_DAEMON=first)

    (daemon.user.project / SETTINGS).unlink()
    assert is_denied(daemon, session)
    assert is_denied(daemon, session, HOOKLINE_DAEMON="off")
    daemon.kill()
    assert is_denied(daemon, session)
    assert not is_denied(daemon, new_session())
    assert not is_denied(daemon, new_session(), HOOKLINE_DAEMON="off")


HOST = """
import os, subprocess, sys
for path in sys.argv[3:]:
    subprocess.run(["sh", "-c", f"{sys.argv[1]} hook claude-code; true"], stdin=open(path))
    if os.path.exists(sys.argv[2]):
        os.unlink(sys.argv[2])
"""


@pytest.mark.slow
@pytest.mark.parametrize("switch", ["on", "off"])
def test_a_new_session_of_the_same_host_process_keeps_the_record(daemon, switch):
    user = daemon.user
    settings = user.write(SETTINGS, {"env": SWITCH})
    payloads = [user.shell(FORCE) | {"session_id": new_session()} for _ in range(2)]
    paths = [str(user.write(f"~/{at}.json", payload)) for at, payload in enumerate(payloads)]
    ran = subprocess.run(
        [sys.executable, "-c", HOST, str(daemon.client), str(settings), *paths],
        cwd=user.project,
        env=daemon.environment(HOOKLINE_DAEMON=switch, **SWITCH),
        capture_output=True,
        check=True,
    )

    assert ran.stdout.count(b'"deny"') == 2


@pytest.mark.slow
@pytest.mark.parametrize("owner", ["repository", "user"])
def test_telemetry_of_a_daemon_that_was_started_with_a_proxy(house, owner):
    user, payload = house.user, house.user.shell("ls") | {"session_id": new_session()}
    with closing(Receiver()) as receiver, closing(Receiver(502)) as proxy:
        endpoint = f"http://127.0.0.1:{receiver.port}"
        user.write("~/.config/hookline/hookline.toml", f'[sinks.otel]\nendpoint = "{endpoint}"\n')
        if owner == "repository":
            user.write(SETTINGS, {"env": proxies(proxy)})
        house.until(lambda: house.ask(payload, **proxies(proxy)) and house.calls())
        (receiver if owner == "repository" else proxy).wait()
        (daemon,) = house.running()
        # Only root may inspect the daemon.
        inherited = b"" if os.getuid() else Path(f"/proc/{daemon}/environ").read_bytes().lower()

    assert (proxy.got == []) is (owner == "repository")
    assert b"proxy" not in inherited
