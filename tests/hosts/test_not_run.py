"""Test that hosts known only from their documentation are marked in lists."""

import json

import pytest

from hookline import hosts

DOCUMENTED = [name for name in hosts.names() if hosts.load(name).documented]


def test_a_host_is_proved_or_documented_and_never_both():
    known = [hosts.load(name) for name in hosts.names() if name != "envelope"]

    assert [host.name for host in known if bool(host.tested_version) == bool(host.documented)] == []


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_host_is_marked_in_the_list(name, user):
    table = user.run("list", "hosts").stdout.decode()
    facts = json.loads(user.run("list", "hosts", "--json").stdout)["hosts"]

    assert f"{name} (from its documentation, not run)" in table
    assert next(host for host in facts if host["name"] == name)["documented"]
