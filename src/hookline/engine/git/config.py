"""What a repository is configured with, which all its worktrees share: as it was before an agent worked.

An agent that sets something for itself sets it for the user, too: a hook, a filter that changes what is
measured, a repository that counts as bare. Branches and remotes may be a person's work meanwhile, and stay.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from hookline.engine import durable_files, progress, runs
from hookline.engine.git import run_git
from hookline.engine.git.repository import Repository
from hookline.engine.progress import Step
from hookline.engine.runs import Run
from hookline.redact import redact

FILE = "settings.json"
CONFIG, HEAD = "config", "HEAD"
_FILES = (CONFIG, "config.worktree", "info/attributes", "info/exclude", HEAD)
_USERS = ("branch.", "remote.")
Complain = Callable[[str], None]
Settings = Mapping[str, str | None]
"""What each file says, as far as it is there; bytes that are no text are kept by surrogates."""


def now(repository: Repository) -> Settings:
    return {name: _text(os.path.join(repository.git.dir, name)) for name in _FILES}


def note(run: Run, repository: Repository) -> None:
    """Write down how it is, for whoever goes on after a crash, and for workers that begin later."""
    durable_files.write(run.path(FILE), json.dumps(now(repository)))


def known(run: Run, repository: Repository) -> Settings:
    """As it was when the run was begun, or gone on with."""
    return _noted(run) or now(repository)


def _noted(run: Run) -> Settings:
    try:
        told = json.loads(durable_files.text(run.path(FILE)))
    except ValueError:
        return {}
    return {name: told.get(name) for name in _FILES} if isinstance(told, dict) else {}


def recover(cwd: str, complain: Complain) -> bool:
    """Where git does not even open a repository any more: whether a killed agent may have done that.

    Then it is put back.
    """
    here = next((one for one in _upwards(cwd) if os.path.isdir(os.path.join(one, ".git"))), "")
    for run in reversed(runs.everyone(here) if here else []):
        step = _at_work(run)
        if step and _noted(run):
            put_back(run, os.path.join(here, ".git"), _noted(run), step.experiment, complain)
            return True
    return False


def _upwards(cwd: str) -> Iterator[str]:
    while True:
        yield cwd
        if cwd == os.path.dirname(cwd):
            return
        cwd = os.path.dirname(cwd)


def _at_work(run: Run) -> Step | None:
    """What an agent may have been at when its run was killed."""
    return next((step for step in progress.under_way(run) if step.phase == "spawned"), None)


def put_back(run: Run, folder: str, was: Settings, number: int, complain: Complain) -> None:
    """Have it as it *was* in git's *folder*; what it came to is kept beside the logs of the experiment."""
    for name, old in was.items() if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        new = _text(path)
        if new == old or (name == HEAD and _leads_somewhere(new)):
            continue
        kept, changed = _users(old or "", new or "") if name == CONFIG else ({}, True)
        if changed:
            aside = run.path(runs.LOGS, f"{number}.{os.path.basename(name)}")
            _keep(aside, new)
            _write(path, old)
            _set(path, kept)
            complain(
                f"{path} was changed during experiment {number}: it was put back, and is kept as {aside}"
            )


def _leads_somewhere(text: str | None) -> bool:
    return bool(text and text.strip())


def _users(old: str, new: str) -> tuple[dict[str, list[str]], bool]:
    """What of branches and remotes is new, with its values; and whether anything else is."""
    before, after = _read(old), _read(new)
    if before is None or after is None:
        return {}, True
    differ = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    users = {key for key in differ if key.startswith(_USERS)}
    return {key: after.get(key, []) for key in users}, bool(differ - users)


def _read(text: str) -> dict[str, list[str]] | None:
    """None where it is no configuration."""
    done = run_git.apart("config", "--file", "-", "--list", "-z", stdin=text)
    found: dict[str, list[str]] = {}
    for one in filter(None, done.stdout.split("\0")):
        key, _, value = one.partition("\n")
        found.setdefault(key, []).append(value)
    return found if done.returncode == 0 else None


def _set(path: str, values: Mapping[str, Iterable[str]]) -> None:
    for key, several in values.items():
        run_git.apart("config", "--file", path, "--unset-all", key)
        for value in several:
            run_git.apart("config", "--file", path, "--add", key, value)


def _text(path: str) -> str | None:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return None


def _keep(aside: str, text: str | None) -> None:
    os.makedirs(os.path.dirname(aside), exist_ok=True)
    durable_files.write(aside, redact(text or ""))


def _write(path: str, text: str | None) -> None:
    if text is None:
        durable_files.remove(path)
        return
    path = os.path.realpath(path)
    mode = os.stat(path).st_mode & 0o777 if os.path.isfile(path) else 0o644
    mode = mode if mode & 0o600 == 0o600 else 0o644  # noqa: PLR2004 -- its owner reads and writes it
    os.makedirs(os.path.dirname(path), exist_ok=True)
    durable_files.write(path, text, errors="surrogateescape")
    os.chmod(path, mode)
