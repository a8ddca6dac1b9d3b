"""Test whole runs of `hookline run` with real clients as agents."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from .client import Client, load
from .driver import PATH, Place, Played, Scenario, afterwards, play
from .script import Call, Reply, Tokens, call, say

pytestmark = pytest.mark.clients

TARGET = """
goal = "A smaller number in n.txt."
[scope]
mutable = ["n.txt", "state.txt"]
[metric]
command = "cat n.txt"
direction = "lower"
name = "size"
[guard]
command = "cat state.txt; grep -q fine state.txt"
rework = 1
[agent]
host = "{host}"
budget = "{budget}"
grace = "{grace}"
[limits]
experiments = {experiments}
[noise]
kind = "deterministic"
"""
SMALL = {
    ".config/hookline/models.json": {
        "claude-": {"window": 20_000, "reserve": 0},
        "gpt-5.5": {"reserve": 238_400},
    }
}
FULL = Tokens(input=16_500, output=1)
"""Token counts that nearly fill a context of that size."""
WRITES = {
    "claude-code": call("Write", file_path="state.txt", content="fine, too"),
    "codex": call(
        "apply_patch",
        input="*** Begin Patch\n*** Update File: state.txt\n@@\n-fine\n+fine, too\n*** End Patch\n",
    ),
}
FOR_EVER = "while :; do sleep 1; done"
OWN = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
"""Hooks that the user had before the run."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "claude-code": {"permissions": {"deny": ["WebFetch"]}, "hooks": OWN, "somethingNew": [1]},
    "codex": {"hooks": OWN},
}
USERS = {
    "claude-code": (".claude/settings.json",),
    "codex": (".codex/hooks.json",),
}
FILES = {
    "n.txt": "10\n",
    "state.txt": "fine\n",
    "notes.md": "draft\n",
    ".claude/settings.json": '{"hooks": {}, "model": "opus"}',
    ".codex/hooks.json": '{"hooks": {}}',
}
"""Committed files of the repository."""


class Engine:
    """A run of the engine with a real client as its agent, and the user's files before the run."""

    def __init__(self, name: str, hookline: str, folder: Path) -> None:
        self.client, self.hookline, self.folder = load(name), hookline, folder
        if not self.client.path.exists():
            pytest.skip(f"{name} is not installed in .clients; run: make clients")
        self.before: dict[str, bytes] = {}

    def play(self, *replies: Reply, budget: str, experiments: int, grace: str = "1s", **more: Any) -> Played:
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / {"claude-code": "claude"}.get(self.client.name, self.client.name)).symlink_to(
            self.client.path
        )
        told = TARGET.format(host=self.client.name, budget=budget, grace=grace, experiments=experiments)
        run = replace(self.client, command=lambda program: [self.hookline, "run", "small"])
        scenario = Scenario(
            replies=replies,
            settings=SETTINGS[self.client.name],
            env={"PATH": f"{programs}:{Path(self.hookline).parent}:{PATH}"},
            first=lambda place: self.prepare(place, told),
            timeout=300,
            **more,
        )
        return play(run, scenario, self.folder)

    def prepare(self, place: Place, target: str) -> None:
        """Create a user's checkout with uncommitted changes."""
        for name, text in {**FILES, ".hookline/targets/small.toml": target}.items():
            path = place.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for words in ("add -A", "-c user.name=A -c user.email=a@b commit -qm begin"):
            git(place, *words.split())
        (place.repo / "notes.md").write_text("more of it\n")
        (place.repo / "n.txt").write_text("11\n")
        git(place, "add", "n.txt")
        (place.repo / "untracked").write_text("mine\n")
        (place.repo / ".claude" / "settings.local.json").write_text('{"permissions": {"allow": []}}')
        self.before = self.kept(place)

    def kept(self, place: Place) -> dict[str, bytes]:
        """Return the content of all files that belong to the user."""
        files = {path for path in place.repo.rglob("*") if path.is_file()}
        mine = {
            path for path in files if path.relative_to(place.repo).parts[0] not in (".git", "autoresearch")
        }
        mine |= {place.repo / ".git" / name for name in ("HEAD", "index", "config", "refs/heads/main")}
        mine |= {place.home / name for name in USERS[self.client.name]}
        return {str(path): path.read_bytes() for path in sorted(mine)}


def git(place: Place, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=place.repo, env=place.env, check=True, timeout=30, capture_output=True, text=True
    )
    return done.stdout


def rows(played: Played) -> list[dict[str, Any]]:
    (table,) = played.repo.glob("autoresearch/*/results.jsonl")
    return [json.loads(line) for line in table.read_text().splitlines()]


def received(played: Played, turn: int) -> str:
    """Return the conversation that the model received at *turn*."""
    body = played.turns[turn].body
    return json.dumps(body.get("messages") or body.get("input"), ensure_ascii=False)


def slow(client: Client, line: str) -> Reply:
    """Return a call of a command for which the client waits up to 30 seconds."""
    reply = client.shell(line)
    if client.name != "codex":
        return reply
    (one,) = reply.calls
    return Reply(calls=(Call(tool=one.tool, input={**one.input, "yield_time_ms": 30_000}),))


@pytest.fixture(scope="module", params=["claude-code", "codex"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, hookline: str) -> Engine:
    return Engine(request.param, hookline, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def ran(engine: Engine) -> Played:
    shell = engine.client.shell
    played = engine.play(
        shell("echo 5 > n.txt"),
        say("Halved it."),
        shell("git push --force"),
        shell("echo 9 > n.txt"),
        say("Tried nine.\nreason: nine is more than five\nnext: try three"),
        shell("echo 1 > n.txt; echo broken > state.txt"),
        say("Broke the state."),
        shell("echo 2 > n.txt"),
        say("It is still broken."),
        shell("git push --force"),
        say("I was not let."),
        slow(engine.client, FOR_EVER),
        budget="30s",  # as long as Codex waits for a command
        experiments=5,
    )
    assert played.exit == 0, (played.exit, played.stdout[-3000:], played.stderr[-3000:])
    return played


def test_every_kind_of_end_is_in_the_journal(ran: Played) -> None:
    told = [(row["status"], row.get("metric")) for row in rows(ran)]

    assert told == [
        ("baseline", 10.0),
        ("keep", 5.0),
        ("discard", 9.0),
        ("guard_failed", 2.0),
        ("hook_blocked", None),
        ("timeout", None),
    ]


def test_the_journal_has_the_agents_own_words(ran: Played) -> None:
    told = [row["description"] for row in rows(ran)]

    assert told[1] == "Halved it."
    assert "Tried nine." in told[2]
    assert "reason: nine is more than five" in told[2]
    assert "next: try three" in told[2]
    assert told[4].startswith("I was not let.; blocked by dangerous-command:git-push-force at git push")
    assert "out of time" in told[5]


def test_what_was_spent_is_in_the_journal(ran: Played) -> None:
    """Each scripted reply reports ten input tokens and five output tokens."""
    told = [(row.get("tokens_in"), row.get("tokens_out")) for row in rows(ran)[1:4]]

    assert told == [(20, 10), (30, 15), (40, 20)]


def test_the_model_saw_the_countdown_in_every_experiment(ran: Played) -> None:
    for turn in (1, 4, 6, 8):
        assert "BUDGET: " in received(ran, turn).replace("AUTORESEARCH_BUDGET", "")


def test_the_model_saw_the_rows_of_the_journal(ran: Played) -> None:
    assert "| 1 | keep | 5 | -5 | Halved it. |" in received(ran, 2)
    assert "| 2 | discard | 9 | 4 | Tried nine." in received(ran, 5)
    assert "- try three (experiment 2)" in received(ran, 5)
    assert "[Iterations]" in received(ran, 5)


def test_the_model_was_stopped_by_the_guards(ran: Played) -> None:
    assert "dangerous-command:git-push-force" in received(ran, 3)


def test_the_model_heard_what_the_guard_of_the_target_said(ran: Played) -> None:
    assert "The metric improved, but the guard failed." in received(ran, 7)
    assert "broken" in received(ran, 7)


def test_what_is_the_users_is_byte_for_byte_as_before(engine: Engine, ran: Played) -> None:
    assert engine.kept(ran) == engine.before
    assert git(ran, "stash", "list") == ""


def test_nothing_of_it_is_left_running_and_the_branch_has_what_was_kept(ran: Played) -> None:
    (branch,) = git(ran, "for-each-ref", "--format=%(refname)", "refs/heads/hookline").split()

    assert ran.left == ()
    assert git(ran, "show", f"{branch}:n.txt") == "5\n"
    changed = git(ran, "diff", "--name-only", "main", branch).split()
    assert changed == ["n.txt"]


def test_the_sessions_are_in_the_audit(engine: Engine, ran: Played) -> None:
    log = afterwards(ran, engine.hookline, "log", "--json")

    assert "git-push-force" in log
    assert "no hook was called" not in ran.stdout


@pytest.fixture(scope="module", params=["claude-code", "codex"])
def rotated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, hookline: str
) -> Played:
    """Play a run whose agent ends on request in the first experiment, and does not in the second."""
    engine = Engine(request.param, hookline, tmp_path_factory.mktemp(f"rotated-{request.param}"))
    shell = engine.client.shell
    played = engine.play(
        replace(shell("echo 5 > n.txt"), tokens=FULL),
        replace(say("Wrote five.\nNext step: try four, which is smaller."), tokens=FULL),
        shell("echo 4 > n.txt"),
        say("Went on to four."),
        replace(shell("echo 3 > n.txt"), text="Next step: make it two.", tokens=FULL),
        replace(slow(engine.client, FOR_EVER), tokens=FULL),
        shell("echo 2 > n.txt"),
        say("Went on to two."),
        budget="60s",
        experiments=2,
        home=SMALL,
    )
    assert played.exit == 0, (played.exit, played.stdout[-3000:], played.stderr[-3000:])
    return played


def test_an_agent_whose_context_is_full_goes_on_in_a_fresh_session(rotated: Played) -> None:
    assert "This run continues in a new session" in received(rotated, 1)
    fresh = received(rotated, 2)

    assert "Continue the work of the previous session" in fresh
    assert "try four, which is smaller" in fresh
    assert "# Experiment 1: small" in fresh
    assert "**Issue:**" not in fresh
    assert "Memories of earlier sessions" not in fresh
    assert "Wrote five." not in [row["description"] for row in rows(rotated)]


def test_an_agent_that_works_on_is_ended_and_gone_on_from(rotated: Played) -> None:
    fresh = received(rotated, 6)

    assert "Continue the work of the previous session" in fresh
    assert "# Experiment 2: small" in fresh
    assert rotated.left == ()


def test_all_its_sessions_are_one_experiment(rotated: Played) -> None:
    told = [(row["status"], row.get("metric"), row["description"]) for row in rows(rotated)]

    assert told == [
        ("baseline", 10.0, "baseline"),
        ("keep", 4.0, "Went on to four."),
        ("keep", 2.0, "Went on to two."),
    ]
    assert rows(rotated)[1]["tokens_in"] == 2 * FULL.input + 20


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_an_experiment_is_unattended(name: str, tmp_path: Path, hookline: str) -> None:
    """Secrets and commands that outlast the budget are blocked; after its end the agent may only commit."""
    engine = Engine(name, hookline, tmp_path)
    shell = engine.client.shell
    until_end = slow(engine.client, "sleep $((AUTORESEARCH_BUDGET_END - $(date +%s) + 1))")
    played = engine.play(
        shell("echo 5 > n.txt"),
        shell("cat .env"),
        shell("timeout 600 make"),
        until_end,
        until_end,
        shell("python3 build.py"),
        WRITES[name],
        shell("git -c user.name=A -c user.email=a@b commit -qam five"),
        say("Five."),
        budget="45s",
        grace="60s",
        experiments=1,
    )
    expired = [received(played, turn).count("budget-countdown:expired") for turn in (5, 6, 7, 8)]

    assert "privacy-block:" in received(played, 2)
    assert "This command may run for 10m0s" in received(played, 3)
    assert [count - expired[0] for count in expired] == [0, 1, 2, 2]
    assert "BUDGET EXPIRED" in received(played, 8)
    assert [(row["status"], row.get("metric")) for row in rows(played)] == [("baseline", 10.0), ("keep", 5.0)]
