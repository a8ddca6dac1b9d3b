"""Changes outside of a run while an agent works: the user's refs, worktrees, configuration and checkout.

The user may have made them, so they are reported and not undone. Changes that were undone are noted here.
"""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice

from hookline.engine import durable_files
from hookline.engine.git import run_git
from hookline.engine.git.repository import HEADS, REFS, Repository
from hookline.engine.journal import FOLDER
from hookline.engine.runs import Run

FILE, RESTORED = "user_side.json", "restored.jsonl"
MAX_CHANGES = 20
"""Maximum number of changes reported for an experiment."""
MAX_IGNORED_FILES = 20_000
"""Maximum number of files examined in the folders of the checkout that git ignores."""
_USER_SCOPES = ("system", "global", "local", "worktree")
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
    git = run_git.open_checkout(run.root, repository.git.env)
    return {**refs, **_read_worktrees(run, repository), **_read_config(git), **_read_checkout(run.root, git)}


def _read_worktrees(run: Run, repository: Repository) -> dict[str, str]:
    """Return the worktrees, except those of the run, with the branch that each has checked out."""
    state, scratch = dict[str, str](), os.path.realpath(run.scratch)
    for record in repository.git("worktree", "list", "--porcelain").split("\n\n"):
        path, *lines = record.removeprefix("worktree ").split("\n")
        if path and not os.path.realpath(path).startswith(scratch):
            branch = next((line for line in lines if line.startswith("branch ")), "")
            state |= {f"worktree {path}": "", f"HEAD of {path}": branch}
    return state


def _read_config(git: run_git.Git) -> dict[str, str]:
    """Return a hash of each setting of git; the values may be secrets."""
    words = git.attempt("config", "--list", "-z", "--show-scope").stdout.split("\0")
    state: dict[str, str] = {}
    for scope, entry in zip(words[::2], words[1::2], strict=False):
        key, _, value = entry.partition("\n")
        if scope in _USER_SCOPES:
            name = f"git config --{scope} {key}"
            state[name] = _hash(f"{state.get(name, '')}\n{value}")
    return state


def _read_checkout(root: str, git: run_git.Git) -> dict[str, str]:
    """Return the files of the checkout that differ from its commit, and those that git ignores."""
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching")
    output = git.attempt("--no-optional-locks", "status", *options, tree=root).stdout
    entries = [entry for entry in output.split("\0") if entry and not entry[3:].startswith(f"{FOLDER}/")]
    files = {entry[3:]: entry[:2] for entry in entries if not entry.endswith("/")}
    folders = [entry[3:] for entry in entries if entry.endswith("/")]
    state = {f"file {path}": f"{code} {_stamp(os.path.join(root, path))}" for path, code in files.items()}
    left = MAX_IGNORED_FILES
    for folder in folders:
        stamps = list(islice(_list_stamps(os.path.join(root, folder)), left))
        state[f"folder {folder}"], left = _hash("\n".join(sorted(stamps))), left - len(stamps)
    return state


def _list_stamps(folder: str) -> Iterator[str]:
    for at, _, files in os.walk(folder):
        yield from (f"{path} {_stamp(path)}" for path in (os.path.join(at, name) for name in files))


def _stamp(path: str) -> str:
    """Return size and time of change; an agent can set the time of modification back, but not this one."""
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_size} {status.st_ctime_ns}"


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
