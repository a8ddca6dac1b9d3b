"""Test that the engine's guarantees hold for arbitrary behaviour of agents."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.engine.conftest import scratch
from tests.engine.executors import Way

from hookline.core.values import replace
from hookline.engine import journal, run, targets
from hookline.engine.git import repository
from hookline.engine.run_state import RunContext
from hookline.engine.watcher import SilentWatcher
from hookline.system.process import unattended

LONG = bool(os.environ.get("HOOKLINE_LONG"))
LADDER = ((signal.SIGINT, 0.1), (signal.SIGTERM, 0.1))
HUGE = (1 << 30) if LONG else (32 << 20)
SLEEP = f"sleep 10{os.getpid()}"
"""A command that identifies processes left behind by agents."""
NUMBERS = st.integers(0, 20).map(lambda number: f"echo {number} > src/n")
TAME = [
    ":",
    "git add -A; git commit -qm 'my own commit'",
    "echo x > src/new$RANDOM; git add -A; git commit -qm 'another one'",
    "rm -f src/n",
    "mkdir -p src/deep/er; echo y > src/deep/er/file",
    "echo 'a line'; echo 'reason: it may not help'; echo 'next: something else'",
    "exit 1",
]
OUTSIDE = [
    "echo 'echo 0' > bench.sh",
    "rm -rf notes .gitignore; echo 1 > src/fixed",
    "echo '*' > .gitignore; echo x > hidden",
    "mkdir -p other; mv bench.sh other/; git add -A; git commit -qm moved",
    "rm -rf src; echo now a file > src",
    "rm bench.sh; mkdir bench.sh; echo x > bench.sh/inner",
    "ln -sfn / src/everywhere; ln -sf ../../n src/up",
    'echo x > "src/new\nline"; echo x > src/-rf; echo x > "src/ä ü"; echo x > "src/$(printf "\\377")"',
    "mkfifo src/pipe; chmod 000 src/n; chmod 000 src",
]
GIT = [
    "git checkout -q -b elsewhere$RANDOM",
    "git checkout -q --detach",
    "git checkout -q --orphan alone$RANDOM; git commit -qm orphan",
    "git reset -q --hard HEAD~1",
    "git reset -q --hard $(git rev-list --max-parents=0 HEAD | head -1)",
    "git update-ref -d HEAD",
    "git stash -q -u",
    "git stash clear; git gc -q --prune=now",
    "git stash pop -q",
    "git clean -fdxq; git checkout -q -- .",
    "git worktree prune; git worktree remove --force .",
    "rm -rf .git",
    "echo 'gitdir: /nowhere' > .git",
    "touch $(git rev-parse --git-dir)/index.lock $(git rev-parse --git-dir)/HEAD.lock",
    "touch $(git rev-parse --git-common-dir)/$(git symbolic-ref HEAD).lock",
    "git init -q src/inner; echo z > src/inner/file",
    "git init -q src/inner; cd src/inner; echo z > file; git add .; git commit -qm inner; cd ../..",
    "echo 8 > src/n; git commit -qam ours; git checkout -q HEAD~1; echo 7 > src/n; git merge -q HEAD@{1}",
    "git replace HEAD $(git commit-tree HEAD^{tree} -m replaced)",
    "git bisect start; git bisect bad; git notes add -m note",
]
HOSTILE = [
    'rm -rf "$(dirname "$AUTORESEARCH_JOURNAL")"',
    ': > "$AUTORESEARCH_JOURNAL"',
    'echo nonsense >> "$AUTORESEARCH_JOURNAL"; rm -f "${AUTORESEARCH_JOURNAL%.tsv}.jsonl"',
    'rm -f "$(dirname "$AUTORESEARCH_JOURNAL")"/*.json; rm -rf "$(dirname "$AUTORESEARCH_JOURNAL")"/logs',
    'rm -rf "$PWD"',
    "cd ..; rm -rf *",
    f"setsid {SLEEP} & {SLEEP} &",
    f"setsid sh -c 'setsid env -i {SLEEP} & trap \"\" INT TERM HUP; {SLEEP}' &",
    f"head -c {HUGE} /dev/zero | tr '\\0' 'x'",
    "yes | head -c 3000000 >&2",
    f"trap '' INT TERM; {SLEEP}",
    "while :; do :; done",
    "kill -STOP $$",
]
actions = st.one_of(*map(st.sampled_from, (TAME, OUTSIDE, GIT, HOSTILE)), NUMBERS, NUMBERS)


class Agents(RuleBasedStateMachine):
    """A run in which every experiment has a different agent."""

    AT_ONCE = 1

    def __init__(self, way=None):
        super().__init__()
        self.way = way

    @initialize()
    def begin(self):
        self.place = tempfile.mkdtemp(prefix="hookline-agents-")
        self.project = scratch(Path(self.place), self.way)
        self.env = {**self.project.env, "GIT_CONFIG_GLOBAL": "/dev/null"}
        path = self.project.root / ".hookline/targets/small.toml"
        text = (
            path.read_text().replace('budget = "20s"', 'budget = "1s"').replace('grace = "1s"', "grace = 0")
        )
        path.write_text(text)
        self.before = self.project.standing()
        self.count = 0
        self.begun()

    def begun(self):
        self.repository = repository.open_repository(str(self.project.root), self.env)
        target, text = targets.load(str(self.project.root), "small")
        base = repository.head_commit(self.repository, self.env)
        self.run = run.create_run(
            self.repository, target, text, scratch=self.place, base=base, now=1_700_000_000.0
        )

    @rule(lines=st.lists(actions, min_size=1, max_size=5))
    def experiment(self, lines):
        self.count += self.AT_ONCE
        self.project.script("export RANDOM=$$", *lines)
        self.carried_out()

    def carried_out(self):
        text = self.run.text.replace("experiments = 1\n", f"experiments = {self.count}\n")
        around = RunContext(env=self.env, watcher=SilentWatcher(), ladder=LADDER)
        stop = run.run_experiments(
            replace(self.run, text=text, parallel=self.AT_ONCE), self.repository, around
        )

        assert stop.reason == "experiment-limit"

    @invariant()
    def nothing_is_lost_or_twice(self):
        if not self.count:
            return
        rows = self.run.journal.rows()
        table = Path(self.run.journal.table).read_text(encoding="utf-8")

        assert sorted(row.iteration for row in rows) == list(range(self.count + 1))
        assert table == journal.format_header(self.run.target.metric) + "".join(map(journal.format_row, rows))
        assert rows[0].metric == 10.0

    @invariant()
    def every_commit_is_reachable_and_inside_of_the_scope(self):
        for row in self.run.journal.rows() if self.count else ():
            if row.commit:
                assert self.commit(f"refs/hookline/{self.run.id}/{row.iteration}") == row.commit
                changed = self.git("diff", "--no-renames", "--name-only", "-z", row.base, row.commit).split(
                    "\0"
                )
                assert all(path.startswith("src/") and path != "src/fixed" for path in changed if path)

    @invariant()
    def the_branch_is_where_the_last_keep_is(self):
        if not self.count:
            return
        kept = [row for row in self.run.journal.rows() if row.kept]
        metrics = [row.metric for row in kept]

        assert self.commit(f"refs/heads/{self.run.branch}") == kept[-1].commit
        assert metrics == sorted(metrics, reverse=True)
        assert len(set(metrics)) == len(metrics)

    @invariant()
    def the_worktree_begins_anew(self):
        if self.count:
            alone = self.AT_ONCE == 1
            tree = os.path.join(self.run.scratch, "agent" if alone else "workers/1/agent")
            if not alone and not os.path.isdir(tree):
                return
            told = self.git("-C", tree, "status", "--porcelain", "--branch").splitlines()

            assert told == [f"## {self.run.branch if alone else 'HEAD (no branch)'}"]

    @invariant()
    def the_users_things_are_as_they_were(self):
        assert self.project.standing() == self.before

    @invariant()
    def no_process_is_left(self):
        assert not self.count or unattended.end_marked(self.run.mark) == 0
        assert not left()

    @invariant()
    def no_output_fills_the_disk(self):
        logs = Path(self.run.folder, "logs").glob("*.log") if self.count else ()
        assert all(path.stat().st_size < 10 << 20 for path in logs)

    def teardown(self):
        if hasattr(self, "place"):
            subprocess.run(["chmod", "-R", "u+rwX", self.place], check=False)
            shutil.rmtree(self.place, ignore_errors=True)

    def git(self, *words):
        done = subprocess.run(
            ["git", *words], cwd=self.project.root, env=self.env, capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, name):
        return self.git("--no-replace-objects", "rev-parse", name)


def left():
    """Return the processes that agents started and that still run."""
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if SLEEP.split(" ")[1] in told(path)]


def told(path):
    with suppress(OSError):
        return path.read_bytes().decode(errors="replace")
    return ""


TestAgents = Agents.TestCase
TestAgents.settings = settings(
    max_examples=60 if LONG else 4,
    stateful_step_count=6 if LONG else 4,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class AgentsAtOnce(Agents):
    """A run with two agents at a time."""

    AT_ONCE = 2


TestAgentsAtOnce = AgentsAtOnce.TestCase
TestAgentsAtOnce.settings = settings(TestAgents.settings, max_examples=20 if LONG else 2)


class AgentsOnACluster(Agents):
    """A run on a cluster whose workers are killed at random; each step resumes the run."""

    AT_ONCE = 2

    def begun(self):
        """Do nothing, because the first experiments create the run."""

    def carried_out(self):
        words = ("--resume",) if self.count > self.AT_ONCE else ()
        done = self.project.hookline("run", *words, "--experiments", str(self.count), check=0)

        assert f"experiment-limit: {self.count} of {self.count}" in done.stdout
        self.run = self.project.run

    @invariant()
    def the_worktree_begins_anew(self):
        """Do nothing, because the worktree of a cluster worker is temporary."""

    @invariant()
    def no_process_is_left(self):
        """Wait for the processes of killed workers, which end when they notice the loss."""
        until = time.monotonic() + 60
        while left() and time.monotonic() < until:
            time.sleep(0.2)
        super().no_process_is_left()


@pytest.mark.long
@pytest.mark.xdist_group("cluster")
def test_agents_on_a_cluster(nodes, server):
    way = Way("cluster", nodes.address, server.database(), nodes)
    many = settings(TestAgents.settings, max_examples=10)
    run_state_machine_as_test(partial(AgentsOnACluster, way), settings=many)
