"""Test a simulated night: many experiments with kills, a closed terminal, a full disk, hung agents and noise.

The clock is compressed: an agent has two seconds. The agents offer a known number of gains; at the end the
result must contain all of them and nothing else, and the journal must be consistent.
"""

import os
import pty
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from tests.engine.conftest import TARGET, scratch

from hookline.engine import journal, watchdog

pytestmark = pytest.mark.slow

GAINS = {15: 2, 200: 12}
"""Gains that are offered, by the number of experiments; each again if an experiment was lost."""
NIGHT = TARGET.replace('budget = "20s"', 'budget = "2s"').replace('grace = "1s"', 'grace = "0s"')
BENCH = """
good=$(ls src | grep -c '^good')
bad=$(ls src | grep -c '^bad')
noise=$(od -An -N1 -tu1 /dev/urandom)
if test -e "$HOME/flaky" && test $noise -lt 2; then exit 1; fi
echo $(( 1000 - 10 * good + 10 * bad + noise % 4 ))
"""
AGENT = """
n=$(echo "$HOOKLINE_RUN" | cut -d: -f2)
touch "$HOME/flaky"
bad() { echo $n > "src/bad$n"; }
good() {
  k=$(ls src | grep -c '^good')
  test $k -ge $GAINS || echo $n > "src/good$(( k + 1 ))"
  echo "gain $k"
}
case $(( n % 10 )) in
0|5|7) good;;
1) bad;;
2) echo nothing;;
3) bad; sleep 100;;
4) bad; exit 3;;
6) bad; setsid sleep 300 & env -i PATH="$PATH" setsid sh -c 'sleep 300 &' ;;
8) bad; echo x > bench.sh; echo "exit 1" > "$(git rev-parse --git-common-dir)/hooks/pre-commit";;
9) bad; git add -A; git commit -qm bad; git stash; git config core.bare true; kill -9 $$;;
esac
"""
DISK_BYTES = 192 << 20


class Night:
    """A run in a terminal, which is resumed whenever it ends too early."""

    def __init__(self, project):
        self.project, self.engine, self.terminal, self.starts = project, None, -1, 0
        self.disk, self.gains = None, 0

    @property
    def errors(self):
        """The output of all engines, beside the disk that is full at times."""
        return self.project.home.parent.parent / "output"

    @property
    def rows(self):
        with suppress(IndexError, OSError):
            return len(self.project.rows)
        return 0

    @property
    def alive(self):
        return self.engine is not None and self.engine.poll() is None

    def start(self):
        self.close()
        self.terminal, theirs = pty.openpty()
        words = ["run", *(["--resume"] if self.rows else [])]
        with self.errors.open("ab") as errors:
            self.engine = subprocess.Popen(
                [sys.executable, "-m", "hookline", *words],
                cwd=self.project.root,
                env={**self.project.env, "GAINS": str(self.gains)},
                stdin=theirs,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
            )
        os.close(theirs)
        self.starts += 1

    def wait_for(self, count):
        """Wait until *count* rows exist, resuming the run if it ended."""
        until = time.monotonic() + 600
        while self.rows < count:
            assert time.monotonic() < until, self.errors.read_text()[-2000:]
            if not self.alive:
                self.start()
            time.sleep(0.1)

    def finish(self):
        while not self.alive or self.engine.wait(1800):
            self.start()
            assert self.starts < 100, self.errors.read_text()[-2000:]
        self.close()

    def close(self):
        if self.terminal >= 0:
            os.close(self.terminal)
        self.terminal = -1

    # events

    def kill(self):
        self.engine.kill()
        self.engine.wait()

    def hang_up(self):
        self.close()
        self.engine.send_signal(signal.SIGHUP)

    def lose_a_watchdog(self):
        for pid in watchdog.find_watchdogs(self.project.run)[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def fill_the_disk(self):
        """Leave no space for some seconds; without a disk of its own, forbid the engine to write."""
        if self.disk:
            path = self.disk / "filler"
            with suppress(OSError), path.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 20))
            time.sleep(3)
            path.unlink()
        elif self.alive:
            _, hard = resource.prlimit(self.engine.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(self.engine.pid, resource.RLIMIT_FSIZE, (1, hard))
            time.sleep(3)
            with suppress(OSError):
                resource.prlimit(self.engine.pid, resource.RLIMIT_FSIZE, (hard, hard))


EVENTS = (Night.kill, Night.hang_up, Night.fill_the_disk, Night.kill, Night.lose_a_watchdog)


@pytest.fixture
def disk(tmp_path):
    """Mount a small disk, if the system allows it; otherwise return None."""
    path = tmp_path / "disk"
    path.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "night", str(path)]
    mounted = subprocess.run(words, check=False, capture_output=True).returncode == 0
    yield path if mounted else None
    if mounted:
        subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("experiments", [15, pytest.param(200, marks=pytest.mark.long)])
def test_a_night_ends_with_the_best_result(tmp_path, disk, experiments):
    project = scratch(disk or tmp_path)
    (project.root / "bench.sh").write_text(BENCH)
    project.git("commit", "-qm", "bench", "bench.sh", "--only")
    project.target(NIGHT.replace('kind = "deterministic"', 'kind = "noisy"'), experiments=experiments)
    project.script(AGENT)
    before, rng, night = project.standing(), random.Random(26), Night(project)
    night.disk, night.gains = disk, GAINS[experiments]
    turns = max(5, experiments // 8)
    for turn in range(turns):
        night.wait_for((turn + 1) * experiments // (turns + 1))
        time.sleep(rng.uniform(0, 2))
        if night.alive:
            EVENTS[turn % len(EVENTS)](night)
    night.finish()

    check(project, before, experiments, GAINS[experiments])


def check(project, before, experiments, gains):
    rows, run = project.rows, project.run
    kept = [row for row in rows if row.kept]
    table = Path(run.journal.table).read_text()
    names = project.git("ls-tree", "--name-only", f"{project.tip}:src").split()
    assert [row.iteration for row in rows] == list(range(experiments + 1))
    assert sorted(names) == sorted(["fixed", "n", *(f"good{number}" for number in range(1, gains + 1))])
    assert len(kept) == gains + 1
    assert kept[0].metric - kept[-1].best == pytest.approx(10 * gains, abs=4 * gains**0.5)
    assert project.tip == kept[-1].commit
    assert all(new.base == old.commit for old, new in pairwise(kept))
    assert table == journal.format_header(run.target.metric) + "".join(map(journal.format_row, rows))
    for row in rows:
        if row.commit:
            assert project.git("rev-parse", f"refs/hookline/{run.id}/{row.iteration}") == row.commit
    assert run.stopped == "experiment-limit"
    assert project.standing() == before
    assert not (project.root / ".git/hooks/pre-commit").exists()
    assert not list(Path(run.folder).glob("step.json"))
    assert not left_running(project)


def left_running(project):
    """Return the processes that still use the home of the project, after the time that watchdogs need."""
    home, until = f"HOME={project.home}\0".encode(), time.monotonic() + 20
    while (found := [path for path in Path("/proc").glob("[0-9]*") if home in environment(path)]) and (
        time.monotonic() < until
    ):
        time.sleep(0.2)
    return found


def environment(path):
    with suppress(OSError):
        return (path / "environ").read_bytes()
    return b""
