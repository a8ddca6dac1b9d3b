"""Preservation of reachable commits: refs that vanish while an agent works, commits on a run's branch.

The user may work in the repository at the same time, so a ref is moved back only if it points to the work of
the agent. Otherwise its old commit is kept under a ref of the experiment, and the change is reported.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from hookline.engine import durable_files
from hookline.engine.git.repository import HEADS, REFS, Repository, experiment_ref
from hookline.engine.journal import Row
from hookline.redact import redact

Report = Callable[[str], None]
FILE = "refs.json"
_STASH = ("refs/stash", "/stash")


class RefSnapshot(Struct, frozen=True, kw_only=True):
    """The refs at the start of an agent."""

    ours: Mapping[str, str]
    """Refs of the run."""
    users: Mapping[str, str]


def snapshot_refs(repository: Repository, run: str) -> RefSnapshot:
    refs, run_prefix = repository.refs("refs/"), f"{REFS}/{run}/"
    return RefSnapshot(
        ours={
            name: commit
            for name, commit in refs.items()
            if name.startswith(run_prefix) and _STASH[1] not in name
        },
        users={
            name: commit
            for name, commit in refs.items()
            if not name.startswith((f"{REFS}/", f"{HEADS}hookline/", _STASH[0]))
        },
    )


def save_snapshot(folder: str, snapshot: RefSnapshot) -> None:
    """Save the snapshot for recovery after a crash."""
    durable_files.ensure_folder(folder)
    durable_files.write(
        os.path.join(folder, FILE), json.dumps({"ours": snapshot.ours, "users": snapshot.users})
    )


def load_snapshot(folder: str) -> RefSnapshot:
    """Return the saved snapshot, or an empty one if the file is damaged."""
    try:
        values = json.loads(durable_files.read_text(os.path.join(folder, FILE)))
        return RefSnapshot(ours=dict(values["ours"]), users=dict(values["users"]))
    except (ValueError, TypeError, LookupError):
        return RefSnapshot(ours={}, users={})


def restore_refs(
    repository: Repository, run: str, number: int, snapshot: RefSnapshot, report: Report, *, own: str = ""
) -> None:
    """Restore missing refs of the run, and user refs that moved to a new commit in the history of *own*.

    Of other user refs that moved, the old commits are kept: the user may have moved them.
    """
    refs = repository.refs("refs/")
    for name, commit in snapshot.ours.items():
        if name not in refs:
            _try_set_ref(repository, name, commit, report)
    for name, commit in snapshot.users.items():
        if refs.get(name, commit) != commit and _is_new(repository, refs[name], snapshot, own):
            if _try_set_ref(repository, name, commit, report):
                report(redact(f"{name} was moved to the work of experiment {number}; restored"))
            continue
        if refs.get(name) != commit and not _contains(repository, refs.get(name, ""), commit):
            kept_ref = f"{experiment_ref(run, number)}-was/{name.removeprefix('refs/')}"
            change = "was moved" if name in refs else "was deleted"
            if _try_set_ref(repository, kept_ref, commit, report):
                report(
                    redact(
                        f"{name} {change} during experiment {number}; its old commit is kept as {kept_ref}"
                    )
                )


def _is_new(repository: Repository, commit: str, snapshot: RefSnapshot, own: str) -> bool:
    """Return whether *commit* belongs to *own*, and to no ref of the snapshot: then an agent made it."""
    if not own or not repository.descends(own, commit):
        return False
    old = "".join(f"^{known}\n" for known in {*snapshot.ours.values(), *snapshot.users.values()})
    process = repository.git.attempt("rev-list", "--max-count=1", "--stdin", stdin=f"{commit}\n{old}")
    return process.returncode == 0 and bool(process.stdout.strip())


def keep_row_refs(repository: Repository, run: str, rows: Iterable[Row], report: Report) -> None:
    """Give every commit of the journal its own ref."""
    refs = repository.refs(f"{REFS}/{run}/")
    for row in rows:
        name = experiment_ref(run, row.iteration)
        if row.commit and refs.get(name) != row.commit:
            _try_set_ref(repository, name, row.commit, report)


def move_branch(
    repository: Repository,
    branch: str,
    commit: str,
    *,
    ours: str,
    keep: str,
    known: Sequence[str],
    report: Report,
) -> None:
    """Point a run's branch at *commit*; a tip that no *known* commit contains is kept as ref *keep*.

    If a worktree other than *ours* has the branch checked out, the branch is not moved: files would change
    under the user.
    """
    tip = repository.commit(f"{HEADS}{branch}")
    if tip == commit:
        return
    if worktree := find_other_worktree(repository, branch, ours):
        report(
            f"{branch} is checked out in {worktree!r}, so it stays at {tip[:12]} instead of {commit[:12]}; "
            "run `git switch -` there, and the next row or `--resume` moves it"
        )
        return
    safe = not tip or any(_contains(repository, descendant, tip) for descendant in (commit, *known))
    if not safe and _try_set_ref(repository, keep, tip, report):
        report(f"{branch} had commits that are not in the journal; they are kept as {keep}")
    repository.set_ref(f"{HEADS}{branch}", commit)


def find_other_worktree(repository: Repository, branch: str, ours: str) -> str:
    """Return the worktree other than *ours* that has the branch checked out, or an empty string."""
    folder = ""
    for line in repository.git("worktree", "list", "--porcelain").split("\n"):
        word, _, value = line.partition(" ")
        folder = value if word == "worktree" else folder
        if word == "branch" and value == f"{HEADS}{branch}" and folder != ours:
            return folder
    return ""


def _contains(repository: Repository, commit: str, old: str) -> bool:
    return bool(commit) and (commit == old or repository.descends(commit, old))


def _try_set_ref(repository: Repository, name: str, commit: str, report: Report) -> bool:
    """Set a ref; report a failure, since an agent may have run the garbage collection."""
    try:
        repository.set_ref(name, commit)
    except OSError as error:
        report(redact(f"cannot keep a commit reachable: {error}"))
        return False
    return True
