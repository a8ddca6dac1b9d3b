"""The git configuration, which all worktrees share: restored after an agent has worked.

A setting that an agent makes for itself applies to the user as well: a hook, a filter that changes
measurements, `core.bare`. Settings of branches and remotes may be the user's work, and are not restored.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from hookline.engine import durable_files, progress, runs
from hookline.engine.git import run_git
from hookline.engine.git.repository import Repository
from hookline.engine.progress import ExperimentProgress
from hookline.engine.runs import Run
from hookline.redact import redact

FILE = "settings.json"
CONFIG, HEAD = "config", "HEAD"
_FILES = (CONFIG, "config.worktree", "info/attributes", "info/exclude", HEAD)
_HOOKS, _MODE, _LINK = "hooks", "mode:", "link"
_USER_PREFIXES = ("branch.", "remote.")
Report = Callable[[str], None]
Settings = Mapping[str, str | None]
"""Content of each file, or None if it does not exist; undecodable bytes are kept as surrogates."""


def read_settings(repository: Repository) -> Settings:
    return _read_files(repository.git.dir)


def _read_files(folder: str) -> dict[str, str | None]:
    """Return the settings and the git hooks in git's *folder*; hooks also with their permissions.

    The value of a symlink is its destination; the folder of the hooks may be one, too.
    """
    files = {name: _read_text(os.path.join(folder, name)) for name in _FILES}
    for name in (_HOOKS, *_hook_names(folder)):
        path = os.path.join(folder, name)
        is_link = os.path.islink(path)
        files[name] = os.readlink(path) if is_link else _read_text(path)
        if name != _HOOKS or is_link:
            files[f"{_MODE}{name}"] = _LINK if is_link else str(os.stat(path).st_mode & 0o777)
    return files


def _hook_names(folder: str) -> list[str]:
    try:
        entries = [f"{_HOOKS}/{name}" for name in sorted(os.listdir(os.path.join(folder, _HOOKS)))]
    except OSError:
        return []
    paths = {name: os.path.join(folder, name) for name in entries}
    return [name for name, path in paths.items() if os.path.islink(path) or os.path.isfile(path)]


def save_settings(run: Run, repository: Repository) -> None:
    """Save the current settings for recovery after a crash, and for workers that start later."""
    durable_files.write(run.path(FILE), json.dumps(read_settings(repository)))


def saved_settings(run: Run, repository: Repository) -> Settings:
    """Return the settings from the start or the last resumption of the run."""
    return _load_settings(run) or read_settings(repository)


def _load_settings(run: Run) -> Settings:
    try:
        settings = json.loads(durable_files.read_text(run.path(FILE)))
    except ValueError:
        return {}
    if not isinstance(settings, dict):
        return {}
    return {**dict.fromkeys(_FILES), **settings}


def recover(cwd: str, report: Report) -> bool:
    """Restore the settings of a repository that git cannot open, if an agent was killed at work there.

    Return whether that was the case.
    """
    root = next(
        (folder for folder in _folder_and_parents(cwd) if os.path.isdir(os.path.join(folder, ".git"))), ""
    )
    for run in reversed(runs.list_runs(root) if root else []):
        step = _spawned_step(run)
        if step and _load_settings(run):
            restore_settings(run, os.path.join(root, ".git"), _load_settings(run), step.experiment, report)
            return True
    return False


def _folder_and_parents(cwd: str) -> Iterator[str]:
    while True:
        yield cwd
        if cwd == os.path.dirname(cwd):
            return
        cwd = os.path.dirname(cwd)


def _spawned_step(run: Run) -> ExperimentProgress | None:
    """Return the step during which an agent may have been running when the run was killed."""
    return next((step for step in progress.running_steps(run) if step.phase == "spawned"), None)


def restore_settings(run: Run, folder: str, settings: Settings, number: int, report: Report) -> None:
    """Restore *settings* in git's *folder*; the changed content is saved beside the experiment's log."""
    if not os.path.isdir(folder):
        return
    restore = partial(_restore_entry, run, folder, settings, number, report)
    restore(_HOOKS, _read_files(folder))
    current = _read_files(folder)
    for name in {**settings, **current}:
        if not name.startswith(_MODE) and name != _HOOKS:
            restore(name, current)


def _restore_entry(
    run: Run, folder: str, settings: Settings, number: int, report: Report, name: str, current: Settings
) -> None:
    path, old, new = os.path.join(folder, name), settings.get(name), current.get(name)
    mode = settings.get(f"{_MODE}{name}")
    if (new, current.get(f"{_MODE}{name}")) == (old, mode) or (name == HEAD and _is_not_blank(new)):
        return
    user_values, changed = _split_changes(old or "", new or "") if name == CONFIG else ({}, True)
    if changed:
        copy = run.path(runs.LOGS, f"{number}.{os.path.basename(name)}")
        _save_copy(copy, new)
        if name.startswith(_HOOKS):
            durable_files.remove(path)  # rather than write to the destination of a link
        _restore_file(path, old, mode)
        _set_values(path, user_values)
        report(f"{path} was changed during experiment {number}; restored, and the change saved as {copy}")


def _is_not_blank(text: str | None) -> bool:
    return bool(text and text.strip())


def _split_changes(old: str, new: str) -> tuple[dict[str, list[str]], bool]:
    """Return new values of branches and remotes, and whether anything else has changed."""
    before, after = _parse_config(old), _parse_config(new)
    if before is None or after is None:
        return {}, True
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    user_keys = {key for key in changed if key.startswith(_USER_PREFIXES)}
    return {key: after.get(key, []) for key in user_keys}, bool(changed - user_keys)


def _parse_config(text: str) -> dict[str, list[str]] | None:
    """Return the values by key, or None if *text* is not a git configuration."""
    process = run_git.run_without_repository("config", "--file", "-", "--list", "-z", stdin=text)
    values: dict[str, list[str]] = {}
    for entry in filter(None, process.stdout.split("\0")):
        key, _, value = entry.partition("\n")
        values.setdefault(key, []).append(value)
    return values if process.returncode == 0 else None


def _set_values(path: str, values: Mapping[str, Iterable[str]]) -> None:
    for key, items in values.items():
        run_git.run_without_repository("config", "--file", path, "--unset-all", key)
        for item in items:
            run_git.run_without_repository("config", "--file", path, "--add", key, item)


def _read_text(path: str) -> str | None:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return None


def _save_copy(path: str, text: str | None) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    durable_files.write(path, redact(text or ""))


def _restore_file(path: str, text: str | None, mode: str | None) -> None:
    if text is None:
        durable_files.remove(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if mode == _LINK:
        os.symlink(text, path)
        return
    path = os.path.realpath(path)
    current = os.stat(path).st_mode & 0o777 if os.path.isfile(path) else 0o644
    current = current if current & 0o600 == 0o600 else 0o644  # noqa: PLR2004 -- readable and writable by the owner
    durable_files.write(path, text, errors="surrogateescape")
    os.chmod(path, current if mode is None else int(mode))
