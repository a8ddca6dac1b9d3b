"""Changes outside of a run while an agent works: the user's branches, tags, worktrees and checkout.

The user may have made them, so they are reported and not undone. Changes that were undone are noted here.
"""

import json
import os
from collections.abc import Mapping

from hookline.engine import durable_files
from hookline.engine.git import run_git
from hookline.engine.git.repository import HEADS, REFS, Repository
from hookline.engine.journal import FOLDER
from hookline.engine.runs import Run

FILE, RESTORED = "user_side.json", "restored.jsonl"
MAX_CHANGES = 20
"""Maximum number of changes reported for an experiment."""
_OWN_REFS = (f"{REFS}/", f"{HEADS}hookline/", "refs/stash")


def save_state(folder: str, run: Run, repository: Repository) -> None:
    """Save the state of the user's side before an agent starts."""
    durable_files.ensure_folder(folder)
    durable_files.write(os.path.join(folder, FILE), json.dumps(_read_state(run, repository)))


def note_restored(folder: str, text: str) -> None:
    """Note a change that was undone, for the row of the experiment."""
    durable_files.ensure_folder(folder)
    durable_files.append(os.path.join(folder, RESTORED), f"{json.dumps(text)}\n")


def _take_notes(folder: str) -> list[str]:
    path = os.path.join(folder, RESTORED)
    lines = durable_files.read_text(path).splitlines()
    durable_files.remove(path)
    try:
        return [str(json.loads(line)) for line in lines]
    except ValueError:  # not written by hookline
        return []


def find_changes(folder: str, run: Run, repository: Repository) -> list[str]:
    """Return the changes since the saved state, undone or not, one phrase each; none if it is not known."""
    restored = _take_notes(folder)
    path = os.path.join(folder, FILE)
    try:
        before = json.loads(durable_files.read_text(path))
    except ValueError:
        return restored
    durable_files.remove(path)
    after = _read_state(run, repository) if isinstance(before, dict) and os.path.isdir(run.root) else before
    changes = [
        f"{name} {'changed' if name in before and name in after else 'added' if name in after else 'removed'}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]
    changes = [*restored, *changes]
    rest = len(changes) - MAX_CHANGES
    return [*changes[:MAX_CHANGES], *([f"{rest} more changes"] if rest > 0 else [])]


def _read_state(run: Run, repository: Repository) -> Mapping[str, str]:
    refs = {ref: commit for ref, commit in repository.refs("refs/").items() if not ref.startswith(_OWN_REFS)}
    scratch = os.path.realpath(run.scratch)
    worktrees = {
        f"worktree {line.removeprefix('worktree ')}": ""
        for line in repository.git("worktree", "list", "--porcelain").split("\n")
        if line.startswith("worktree ") and not os.path.realpath(line[9:]).startswith(scratch)
    }
    return {**refs, **worktrees, **_read_checkout(run.root, repository)}


def _read_checkout(root: str, repository: Repository) -> dict[str, str]:
    """Return the files of the checkout that differ from its commit, with size and time of change."""
    git = run_git.open_checkout(root, repository.git.env)
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    entries = git.attempt("--no-optional-locks", "status", *options, tree=root).stdout.split("\0")
    return {
        f"file {entry[3:]}": f"{entry[:2]} {_stamp(os.path.join(root, entry[3:]))}"
        for entry in entries
        if entry and not entry[3:].startswith(f"{FOLDER}/")
    }


def _stamp(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"
