"""Test two machines of a team that share a PostgreSQL store and its memories."""

import json
import os
import tempfile
import time

import pytest
from tests.conftest import SCRATCH, user_at
from tests.daemon.conftest import House

pytestmark = pytest.mark.xdist_group("stores")  # all of them share one server

ORIGIN = '[remote "origin"]\n\turl = {}\n'
ADDRESSES = {"a": "git@git.example:team/app.git", "b": "https://me:pw@git.example/team/app"}


@pytest.fixture(params=["processes", "daemons"])
def team(request, tmp_path, postgres):
    """Yield two machines with clones of one repository, at different paths and from different URLs."""
    address, houses = postgres.database(), []
    for name, url in ADDRESSES.items():
        user = user_at(tmp_path / name)
        (user.project / ".git" / "config").write_text(ORIGIN.format(url))
        user.write(
            "~/.config/hookline/hookline.toml", f'store = "postgres"\nstore_address = {json.dumps(address)}\n'
        )
        houses.append(House(user, os.path.realpath(tempfile.mkdtemp(prefix="t-", dir=SCRATCH))))
    if request.param == "daemons":
        for one in houses:
            one.start()
    yield [Machine(one, daemon=request.param == "daemons") for one in houses]
    for one in houses:
        one.end()


class Machine:
    def __init__(self, house, *, daemon):
        self.house, self.user, self.daemon = house, house.user, daemon

    def hook(self, stem, **changes):
        payload = self.user.payload(stem, **changes)
        if not self.daemon:
            return self.user.hook(json.dumps(payload).encode())[1]
        return json.loads(self.house.ask(payload).stdout or b"{}")

    def run(self, *words):
        return self.user.run(*words).stdout.decode()

    def context(self, stem, **changes):
        return self.hook(stem, **changes).get("hookSpecificOutput", {}).get("additionalContext", "")


def eventually(look, seconds=30.0):
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def test_what_one_machine_learns_the_other_knows_and_can_have_forgotten(team, tmp_path):
    one, other = team
    line = {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "Never use tabs here"}}
    (tmp_path / "talk").write_text(json.dumps(line) + "\n")
    one.hook("Stop", session_id="s1", transcript_path=str(tmp_path / "talk"))
    (row,) = eventually(lambda: [json.loads(x) for x in other.run("memory", "list", "--json").splitlines()])
    told = other.context("SessionStart", session_id="s2", source="startup")
    gone = other.run("memory", "forget", row["id"])

    assert row["project"] == "git.example/team/app"
    assert "Never use tabs here" in told
    assert "forgot 1" in gone
    assert "tabs" not in one.context("SessionStart", session_id="s3", source="startup")


def test_what_helped_on_one_machine_is_told_on_the_other(team):
    one, other = team
    given = {"tool_input": {"command": "./deploy"}}
    for number in range(3):
        session = {"session_id": f"s{number}"}
        one.hook("PostToolUseFailure.Bash", error="Exit code 1\nerror: no token found", **given, **session)
        one.hook("PostToolUse", tool_input={"command": "gcloud auth login"}, **session)
        one.hook("PostToolUse", **given, **session)
    eventually(lambda: "gcloud auth login" in other.run("errors", "list"))
    error = {"error": "Exit code 1\nerror: no token found"}
    told = other.context("PostToolUseFailure.Bash", session_id="t", **error, **given)

    assert "the command passed after `gcloud auth login`" in told


def test_another_repository_is_told_nothing(team):
    one, other = team
    one.run("memory", "add", "Never use tabs here")
    (other.user.project / ".git" / "config").write_text(ORIGIN.format("https://git.example/team/other"))

    assert "tabs" not in other.context("SessionStart", session_id="s2", source="startup")
    assert "tabs" not in other.run("memory", "list")
    assert "tabs" in other.run("memory", "list", "--all")
