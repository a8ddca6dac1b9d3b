"""Runs, and the files in a run's folder from which it can resume after a crash."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.values import replace
from hookline.engine import durable_files, target
from hookline.engine.journal import FOLDER, Journal
from hookline.engine.target import Target

FILE, LOGS, IDEAS, UNDO, WORKERS = "run.json", "logs", "ideas.md", "undo", "workers"
VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SAVED_FIELDS = (
    *(
        "base",
        "branch",
        "scratch",
        "mark",
        "began",
        "noise",
        "spent",
        "stopped",
        "since",
        "parallel",
        "cluster",
        "options",
    ),
)


class Run(Struct, frozen=True, kw_only=True):
    """A run: its target as it was at the start, and the location of its files."""

    id: str
    root: str
    """The user's checkout, which contains the run's folder."""
    text: str
    """Content of the target file."""
    name: str
    """Name of the target."""
    base: str
    """The commit at which the run started."""
    branch: str
    scratch: str
    """Folder of the run's worktrees."""
    mark: str
    """Identifies all processes of the run."""
    began: float
    noise: str = ""
    """deterministic or noisy; empty until the baseline is measured."""
    spent: float = 0.0
    """Seconds during which the run was active."""
    stopped: str = ""
    """The reason it ended; empty while it is running, or if it was killed."""
    since: int = 0
    """Number of rows when a person resumed the run after a lack of progress; those no longer count for it."""
    parallel: int = 1
    """Number of parallel experiments."""
    cluster: str = ""
    """Address of the Ray cluster; empty for this machine."""
    options: Mapping[str, Any] = EMPTY
    """Limits from the command line by field name; they override those of the target."""

    @property
    def folder(self) -> str:
        return os.path.join(self.root, FOLDER, self.id)

    @property
    def checkout(self) -> str:
        """Path of the worktree in which the run has its branch checked out, as git writes it."""
        return os.path.realpath(os.path.join(self.scratch, "agent"))

    @property
    def target(self) -> Target:
        """The target with the limits of the command line."""
        parsed = target.parse_target(self.text, self.name)
        return replace(parsed, limits=replace(parsed.limits, **self.options)) if self.options else parsed

    @property
    def journal(self) -> Journal:
        return Journal(self.folder, self.target.metric)

    def path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def worker_folder(self, worker: str) -> str:
        """Return the folder of a parallel worker; without a name, the run's folder."""
        return self.path(WORKERS, worker) if worker else self.folder


def save(run: Run) -> Run:
    durable_files.ensure_folder(run.path(LOGS))
    values = {"version": VERSION, "target": run.name, "text": run.text}
    values |= {name: getattr(run, name) for name in _SAVED_FIELDS} | {"options": dict(run.options)}
    durable_files.write(run.path(FILE), json.dumps(values, indent=1) + "\n")
    return run


def load(root: str, name: str) -> Run:
    """Return the run *name*; raise `LookupError`."""
    text = durable_files.read_text(os.path.join(root, FOLDER, name, FILE))
    if not text:
        raise LookupError(f"no run named {name!r}; list runs with `hookline runs`")
    return parse_run(text, root, name)


def parse_run(text: str, root: str, name: str) -> Run:
    values = _parse_object(text)
    if values and values.get("version") != VERSION:
        raise ValueError(
            f"run {name!r} was started by another version of hookline; finish it with that version"
        )
    try:
        fields = {key: values[key] for key in _SAVED_FIELDS if key in values}
        return _check_target(Run(id=name, root=root, text=values["text"], name=values["target"], **fields))
    except (KeyError, TypeError):
        raise ValueError(
            f"cannot read run {name!r}: its {FILE} is damaged; start another with `hookline run`; "
            "its results are in its journal and its refs"
        ) from None


def _check_target(run: Run) -> Run:
    """Raise `ValueError` if the target uses settings that this version does not know."""
    try:
        _ = run.target
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"run {run.id!r} has settings that this version of hookline does not support ({error}); "
            "finish it with the version that started it"
        ) from None
    return run


def _parse_object(text: str) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one if *text* is not one."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def list_runs(root: str) -> list[Run]:
    """Return all runs of this checkout, newest last."""
    return sorted(_iter_runs(root), key=lambda run: (run.began, run.id))


def _iter_runs(root: str) -> Iterator[Run]:
    with suppress(FileNotFoundError, NotADirectoryError):
        for name in os.listdir(os.path.join(root, FOLDER)):
            with suppress(LookupError, ValueError, KeyError):
                yield load(root, name)


def list_read_errors(root: str) -> list[str]:
    """Return one sentence for each run of this checkout that cannot be read."""
    errors: list[str] = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for name in sorted(os.listdir(os.path.join(root, FOLDER))):
            try:
                load(root, name)
            except LookupError:
                continue
            except ValueError as error:
                errors.append(str(error))
    return errors


def find(root: str, name: str, *, target: str = "", exactly: bool = False) -> Run:
    """Return the run whose id is or starts with *name*, otherwise the newest run of the target *name*.

    Without a name, the newest run, or the newest of *target*. With *exactly*, several matches are an error.
    Raise `LookupError`.
    """
    candidates = [run for run in list_runs(root) if target in ("", run.name)]
    if name and _NAME.fullmatch(name) and os.path.exists(os.path.join(root, FOLDER, name, FILE)):
        load(root, name)  # reports a damaged file rather than a missing run
    if not candidates:
        suffix = f" of target {target!r}" if target else ""
        raise LookupError(f"no run{suffix} yet; start one with `hookline run`")
    matches = [run for run in candidates if run.id.startswith(name)]
    newest = [] if exactly else [run for run in matches if run.name == name]
    exact = [run for run in matches if run.id == name] or newest
    if not matches:
        raise LookupError(f"no run id starts with {name!r}; list runs with `hookline runs`")
    if name and len(matches) > 1 and not exact:
        names = ", ".join(run.id for run in matches)
        raise LookupError(f"several run ids start with {name!r}; use a longer prefix: {names}")
    return (exact or matches)[-1]


def check_name(name: str) -> str:
    """Return the name of a target if it can also name branches and folders; raise `ValueError`."""
    if not _NAME.fullmatch(name) or ".." in name or name.endswith((".", ".lock")):
        raise ValueError(f"invalid target name {name!r}: use letters, digits, `-` and `_`")
    return name


def path_hash(root: str) -> str:
    """Return a short hash that distinguishes checkouts."""
    return sha256(os.path.realpath(root).encode("utf-8", "surrogateescape")).hexdigest()[:8]
