"""Test that the timeout of an installed entry is found in the settings of each host."""

import json

import pytest

from hookline import hosts
from hookline.core.events import PreToolUse
from hookline.core.install_table import SettingsFile
from hookline.install import install_hooks, settings_files
from hookline.install.installed_timeout import extend_timeouts, find_timeout
from hookline.system.paths import find_places

HOSTS = [
    name
    for name in hosts.names()
    if (way := hosts.load(name).install)
    and isinstance(way.layout, SettingsFile)
    and way.layout.user
    and name != "windsurf"  # its entries have no timeout
]


def install(host, tmp_path, seconds):
    env = {"HOME": str(tmp_path)}
    places = find_places(env, str(tmp_path))
    waits = extend_timeouts(host, seconds) if seconds else host
    with settings_files.lock_records(places.state):
        for plan in install_hooks.plan_host(waits, "user", places, env, "hookline-client"):
            install_hooks.apply_plan(plan, places, "hookline-client")
    return places, env


def tool_moment(host):
    return next(name for name, row in host.moments.items() if row.event is PreToolUse)


@pytest.mark.parametrize("seconds", [0, 300])
@pytest.mark.parametrize("name", HOSTS)
def test_the_timeout_is_the_installed_one(name, seconds, tmp_path):
    host = hosts.load(name)
    places, env = install(host, tmp_path, seconds)

    expected = max(host.timeout, seconds) + install_hooks.EXTRA_SECONDS
    assert find_timeout(host, tool_moment(host), places, env) == expected


def test_an_entry_without_a_timeout_has_the_hosts_default(tmp_path):
    host = hosts.load("claude-code")
    places, env = install(host, tmp_path, 300)
    path = tmp_path / ".claude/settings.json"
    content = json.loads(path.read_text())
    del content["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"]
    path.write_text(json.dumps(content))

    assert find_timeout(host, "PreToolUse", places, env) == 600


def test_a_host_whose_entries_have_no_timeout_is_given_hooklines_own(tmp_path):
    host = hosts.load("windsurf")
    places, env = install(host, tmp_path, 300)

    assert find_timeout(host, tool_moment(host), places, env) == host.timeout


def test_the_shortest_of_several_timeouts_counts(tmp_path):
    host = hosts.load("claude-code")
    places, env = install(host, tmp_path, 300)
    local = tmp_path / ".claude/settings.local.json"
    entry = {"type": "command", "command": "hookline hook claude-code", "timeout": 20}
    local.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))

    assert find_timeout(host, "PreToolUse", places, env) == 20


@pytest.mark.parametrize("content", ["", "{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": 3}}'])
def test_an_unreadable_file_has_no_timeout(content, tmp_path):
    host = hosts.load("claude-code")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(content)
    env = {"HOME": str(tmp_path)}

    assert find_timeout(host, "PreToolUse", find_places(env, str(tmp_path)), env) is None
