"""Test the tuner as a process: it changes marked values, reports them, and learns from the journal."""

import json
import os
import subprocess
import sys

import pytest

from hookline.engine.tuner.history import read_trials
from hookline.engine.tuner.study import Trial, propose
from hookline.engine.tuner.tunable_values import Choice, Range, TunableValue, find_marks

CODE = "N = 10  # tune: 1..20\nHOW = 'a'  # tune: a|b\n"


def git(folder, *args):
    who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    ran = subprocess.run(["git", *who, *args], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "a b"
    root.mkdir()
    git(root, "init", "-q")
    (root / "code.py").write_text(CODE)
    (root / "other.py").write_text("M = 1  # tune: 1..9\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    return root


def tuned(root, *args):
    return subprocess.run(
        [sys.executable, "-m", "hookline.engine.tuner", "--worktree", root, "--mutable", "code.py", *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    )


def test_it_changes_only_mutable_files_and_says_what(repository):
    ran = tuned(repository, "--run", "r")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("tune ")
    assert ran.stdout.count("\n") == 1
    assert git(repository, "diff", "--name-only") == "code.py"


def test_the_same_experiment_is_the_same_and_another_is_another(repository):
    first = tuned(repository, "--seed", "3").stdout
    git(repository, "checkout", "-q", ".")
    again = tuned(repository, "--seed", "3").stdout
    git(repository, "checkout", "-q", ".")
    others = set()
    for seed in ("4", "5", "6"):
        others.add(tuned(repository, "--seed", seed).stdout)
        git(repository, "checkout", "-q", ".")

    assert first == again
    assert others - {first}


def test_without_a_mark_it_says_what_to_do(repository):
    (repository / "code.py").write_text("N = 1\n")

    ran = tuned(repository)

    assert ran.returncode == 2
    assert ran.stderr == (
        "tuner: no value is marked in the mutable files; "
        "add a comment such as `# tune: 1..100` after a value\n"
    )


def test_a_wrong_mark_is_told_with_its_place(repository):
    (repository / "code.py").write_text("N = 1  # tune: nine\n")

    assert tuned(repository).stderr.startswith("tuner: code.py line 1: invalid mark `tune: nine`")


def test_when_everything_was_tried_it_changes_nothing(repository):
    (repository / "code.py").write_text("HOW = 'a'  # tune: a|b\n")
    git(repository, "commit", "-qam", "fewer")
    rows = [_committed(repository, "HOW = 'b'  # tune: a|b\n", "discard", 3.0)]
    journal = _journal(repository, rows)

    ran = tuned(repository, "--journal", journal)

    assert (ran.returncode, ran.stdout) == (0, "every combination of the marked values has been tried\n")
    assert git(repository, "status", "--porcelain", "-uno") == ""


def _committed(root, text, status, metric):
    start = git(root, "rev-parse", "HEAD")
    (root / "code.py").write_text(text)
    git(root, "commit", "-qam", "try")
    commit = git(root, "rev-parse", "HEAD")
    git(root, "update-ref", f"refs/hookline/r/{commit}", commit)
    git(root, "reset", "-q", "--hard", start)
    return {"commit": commit, "status": status, "metric": metric}


def _journal(root, rows):
    path = root.parent / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"commit": "abc", "st')
    return str(path)


def test_what_was_tried_is_read_from_the_commits(repository):
    rows = [
        _committed(repository, CODE.replace("10", "12"), "discard", 5.0),
        _committed(repository, CODE.replace("10", "2").replace("'a'", "'b'"), "guard_failed", 1.0),
        {"status": "no_change"},
        {"commit": "0" * 40, "status": "keep", "metric": 1.0},
    ]

    found = read_trials(_journal(repository, rows), str(repository), ["code.py", "gone.py"])

    assert found == [
        Trial(values={"N": 12, "HOW": "a"}, metric=5.0),
        Trial(values={"N": 2, "HOW": "b"}, metric=None),
    ]


def test_a_journal_that_is_not_there_yet_is_no_journal(repository):
    assert read_trials(str(repository / "none"), str(repository), ["code.py"]) == []


def mark(name, space, value):
    return TunableValue(name=name, path="f", line=1, space=space, value=value, start=0, end=1)


SMALL = (mark("n", Range(low=1, high=3, whole=True), 1), mark("how", Choice(options=("a", "b")), "a"))


def test_nothing_is_tried_twice_until_all_was_tried():
    seen = [Trial(values={"n": 1, "how": "a"}, metric=1.0)]
    for seed in range(5):
        seen.append(Trial(values=propose(SMALL, seen, direction="lower", seed=seed), metric=2.0))

    assert len({tuple(one.values.items()) for one in seen}) == 6
    assert propose(SMALL, seen, direction="lower", seed=9) is None


@pytest.mark.parametrize(
    "space",
    [
        Range(low=1, high=50, whole=True),
        Range(low=2, high=51, whole=True, step=7),
        Range(low=0.001, high=10, whole=False, log=True),
        Range(low=-1, high=1, whole=False, step=0.25),
        Choice(options=tuple("abcdefghijk")),
    ],
)
def test_proposals_keep_to_their_space(space):
    value = space.options[0] if isinstance(space, Choice) else space.low
    one, seen = mark("v", space, value), []
    for seed in range(7):
        values = propose([one], seen, direction="higher", seed=seed)
        seen.append(Trial(values=values, metric=float(seed) if seed % 3 else None))

    for found in (item.values["v"] for item in seen):
        if isinstance(space, Choice):
            assert found in space.options
        else:
            assert space.low <= found <= space.high
            assert isinstance(found, int) is space.whole


def test_values_that_fit_no_more_do_not_stop_it():
    old = [Trial(values={"n": 99, "how": "z", "gone": 1}, metric=1.0), Trial(values={}, metric=None)]

    assert propose(SMALL, old, direction="lower", seed=1) is not None


def test_marks_survive_another_encoding(repository):
    (repository / "code.py").write_bytes(b"# \xff\xfe\nN = 10  # tune: 1..20\r\n")

    assert tuned(repository).returncode == 0
    after = (repository / "code.py").read_bytes()
    assert after.startswith(b"# \xff\xfe\nN = ")
    assert after.endswith(b"# tune: 1..20\r\n")
    assert find_marks({"f": after.decode("utf-8", "surrogateescape")})[0].value != 10
