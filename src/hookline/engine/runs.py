"""What is written down of a run, in its folder: enough to go on with it after a crash."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from msgspec import Struct

from hookline.engine import durable_files, target
from hookline.engine.journal import FOLDER, Journal
from hookline.engine.target import Target

FILE, LOGS, IDEAS, UNDO, WORKERS = "run.json", "logs", "ideas.md", "undo", "workers"
VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEPT = (
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
    ),
)


class Run(Struct, frozen=True, kw_only=True):
    """A run: its target as it was when it began, and where everything of it is."""

    id: str
    root: str
    """The user's checkout, in which the run's folder is."""
    text: str
    """The target's file."""
    name: str
    """The target's."""
    base: str
    """The commit that it began at."""
    branch: str
    scratch: str
    """The folder of its worktrees."""
    mark: str
    """By which all its processes are known."""
    began: float
    noise: str = ""
    """deterministic or noisy; empty until the baseline was measured."""
    spent: float = 0.0
    """Seconds that it was at work."""
    stopped: str = ""
    """Why it ended; empty while it goes on, or where it was killed."""
    since: int = 0
    """Rows that were there when a person had it go on though it was in vain: they count no more for that."""
    parallel: int = 1
    """Experiments at once."""
    cluster: str = ""
    """The address of a cluster that they are carried out by; empty: this machine."""

    @property
    def folder(self) -> str:
        return os.path.join(self.root, FOLDER, self.id)

    @property
    def checkout(self) -> str:
        """Where the run itself has its branch checked out, as git writes that."""
        return os.path.realpath(os.path.join(self.scratch, "agent"))

    @property
    def target(self) -> Target:
        return target.read(self.text, self.name)

    @property
    def journal(self) -> Journal:
        return Journal(self.folder, self.target.metric)

    def path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def of(self, worker: str) -> str:
        """The folder of one of several workers; of one alone the run's."""
        return self.path(WORKERS, worker) if worker else self.folder


def save(run: Run) -> Run:
    durable_files.folder(run.path(LOGS))
    told = {"version": VERSION, "target": run.name, "text": run.text}
    told |= {name: getattr(run, name) for name in _KEPT}
    durable_files.write(run.path(FILE), json.dumps(told, indent=1) + "\n")
    return run


def load(root: str, name: str) -> Run:
    """The run of that name; raises `LookupError`."""
    text = durable_files.text(os.path.join(root, FOLDER, name, FILE))
    if not text:
        raise LookupError(f"no run is called {name!r} here; `hookline runs` shows what there is")
    return read(text, root, name)


def read(text: str, root: str, name: str) -> Run:
    told = _told(text)
    if told and told.get("version") != VERSION:
        raise ValueError(f"run {name!r} was begun by another version of hookline; finish it with that one")
    try:
        kept = {key: told[key] for key in _KEPT if key in told}
        return _understood(Run(id=name, root=root, text=told["text"], name=told["target"], **kept))
    except (KeyError, TypeError):
        raise ValueError(
            f"run {name!r} cannot be read: its {FILE} is damaged; `hookline run` begins another, "
            "and what it made is in its journal and its refs"
        ) from None


def _understood(run: Run) -> Run:
    """What one version of hookline lets a target say another may not know."""
    try:
        target.read(run.text, run.name)
    except ValueError as error:
        raise ValueError(
            f"run {run.id!r} was begun with what this version of hookline cannot use ({error}); finish it "
            "with the one that began it"
        ) from None
    return run


def _told(text: str) -> Mapping[str, Any]:
    """Empty where it is not what was written there."""
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def everyone(root: str) -> list[Run]:
    """All runs whose folders are in this checkout, the newest last."""
    return sorted(_found(root), key=lambda run: (run.began, run.id))


def _found(root: str) -> Iterator[Run]:
    with suppress(FileNotFoundError, NotADirectoryError):
        for name in os.listdir(os.path.join(root, FOLDER)):
            with suppress(LookupError, ValueError, KeyError):
                yield load(root, name)


def unreadable(root: str) -> list[str]:
    """What is wrong with runs whose folders are here, a sentence each."""
    wrong: list[str] = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for name in sorted(os.listdir(os.path.join(root, FOLDER))):
            try:
                load(root, name)
            except LookupError:
                continue
            except ValueError as error:
                wrong.append(str(error))
    return wrong


def find(root: str, name: str, *, target: str = "", exactly: bool = False) -> Run:
    """The run that is called so or whose name begins so, else the newest of a target that is called so.

    Without a name the newest of all, or of *target*; *exactly* where the newest of several will not do.
    Raises `LookupError`.
    """
    known = [run for run in everyone(root) if target in ("", run.name)]
    if name and _NAME.fullmatch(name) and os.path.exists(os.path.join(root, FOLDER, name, FILE)):
        load(root, name)  # that it cannot be read is better known than that it is not there
    if not known:
        of = f" of target {target!r}" if target else ""
        raise LookupError(f"there is no run{of} here yet; `hookline run` begins one")
    fitting = [run for run in known if run.id.startswith(name)]
    newest = [] if exactly else [run for run in fitting if run.name == name]
    exact = [run for run in fitting if run.id == name] or newest
    if not fitting:
        raise LookupError(f"no run begins with {name!r} here; `hookline runs` shows what there is")
    if name and len(fitting) > 1 and not exact:
        names = ", ".join(run.id for run in fitting)
        raise LookupError(f"several runs begin with {name!r}, so say more of the name: {names}")
    return (exact or fitting)[-1]


def checked(name: str) -> str:
    """The name of a target, which also names branches and folders; raises `ValueError`."""
    if not _NAME.fullmatch(name) or ".." in name or name.endswith((".", ".lock")):
        raise ValueError(f"{name!r} cannot name a target; use letters, digits, `-` and `_`")
    return name


def short(root: str) -> str:
    """A few characters that tell one checkout from another."""
    return sha256(os.path.realpath(root).encode("utf-8", "surrogateescape")).hexdigest()[:8]
