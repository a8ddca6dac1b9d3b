"""An experiment on another machine: unpack the repository, carry it out, and pack what came of it."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from msgspec import Struct

from hookline.core.frozen import NOTHING
from hookline.core.values import replace
from hookline.engine import runs
from hookline.engine.git import repository as repositories
from hookline.engine.git import run_git
from hookline.engine.git.repository import REFS, Repository
from hookline.engine.parallel import leftovers, worker
from hookline.engine.parallel.local import Processes
from hookline.engine.parallel.worker import Assignment
from hookline.system.paths import find

BEAT = 0.5
"""Seconds after which it is seen at the latest that the task is wanted no more."""
LOG = 16 << 20
"""Bytes of a log that travel back."""
SHORT = 40
"""Digits of a commit's name, where they are not more."""


class Luggage(Struct, frozen=True, kw_only=True):
    """What a task has to bring along."""

    assignment: Mapping[str, Any]
    base: str
    commits: bytes
    """A bundle; empty where the base is enough."""
    ideas: str
    env: Mapping[str, str]
    identity: Mapping[str, str]
    """Whose commits they are, as git is configured."""


class Back(Struct, frozen=True, kw_only=True):
    """What a task comes back with."""

    step: Mapping[str, Any] = NOTHING
    commits: bytes = b""
    refs: Mapping[str, str] = NOTHING
    logs: Mapping[str, bytes] = NOTHING
    problem: str = ""
    lost: bool = False
    """Whether the process that carried it out is gone without a word."""


def experiment(luggage: Luggage, base: bytes) -> Back:
    """Carry out one experiment here; nothing of it stays."""
    what = worker.read(luggage.assignment)
    env = {**os.environ, **luggage.env}
    known = _known(what.run.id, luggage.base, base, env)
    with leftovers.folder(os.path.dirname(known)) as (folder, mark):
        root = os.path.join(folder, "repository")
        repository = _unpacked(luggage, known, root, env)
        run = replace(what.run, root=root, scratch=os.path.join(folder, "work"))
        what = replace(what, run=run)
        run.journal.mend(what.rows)
        if luggage.ideas:
            with open(run.path(runs.IDEAS), "w", encoding="utf-8", errors="replace") as file:
                file.write(luggage.ideas)
        word, told = _carried_out(what, env, mark)
        if word == "decided":
            return _packed(what, repository, told)
        return Back(problem=str(told), lost=word == "lost")


def _known(run: str, base: str, bundle: bytes, env: Mapping[str, str]) -> str:
    """The repository as the run began, once on every machine, for all tasks to borrow from."""
    place = os.path.join(find(env, "/").scratch, "cluster", run)
    path = os.path.join(place, f"{base}.git")
    os.makedirs(place, mode=0o700, exist_ok=True)
    with leftovers.locked(place):
        if not os.path.isdir(path):
            leftovers.forget_others(place)
            with tempfile.TemporaryDirectory(dir=place) as folder:
                file, aside = os.path.join(folder, "bundle"), os.path.join(folder, "git")
                _write(file, bundle)
                _run("init", "-q", "--bare", _format(base), aside, cwd=place, env=env)
                _run("fetch", "-q", file, "refs/*:refs/*", cwd=aside, env=env)
                os.rename(aside, path)
    return path


def _format(commit: str) -> str:
    return f"--object-format={'sha256' if len(commit) > SHORT else 'sha1'}"


def _unpacked(luggage: Luggage, known: str, root: str, env: Mapping[str, str]) -> Repository:
    _run("init", "-q", _format(luggage.base), root, cwd=os.path.dirname(known), env=env)
    _write(os.path.join(root, ".git", "objects", "info", "alternates"), f"{known}/objects\n".encode())
    repository = repositories.open_at(root, env)
    if luggage.commits:
        file = os.path.join(root, ".git", "commits")
        _write(file, luggage.commits)
        repository.git("fetch", "-q", file, "refs/*:refs/*")
    for name, text in luggage.identity.items():
        repository.git("config", name, text)
    repository.set_ref(f"{repositories.HEADS}base", luggage.base)
    repository.git("symbolic-ref", "HEAD", f"{repositories.HEADS}base")
    repository.git("read-tree", "-u", "--reset", luggage.base, tree=root)  # for its .hookline/
    return repository


def _carried_out(what: Assignment, env: Mapping[str, str], mark: str) -> tuple[str, Any]:
    with closing(Processes(env, f"{what.run.mark} {mark}")) as crew:
        crew.start(what, again=False)
        while True:
            for _, (word, *told) in crew.wait(BEAT):
                if word in ("decided", "failed"):
                    return word, told[0]
                if word == "lost":
                    return word, "its process was lost"


def _packed(what: Assignment, repository: Repository, step: Mapping[str, Any]) -> Back:
    """The commits, the refs that lead to them, and what was said."""
    number, run = what.step.experiment, what.run
    mine = f"{REFS}/{run.id}/{number}"
    refs = {
        ref: commit
        for ref, commit in repository.refs(f"{REFS}/{run.id}/").items()
        if ref == mine or ref.startswith(f"{mine}-")
    }
    commits = b""
    if any(not repository.descends(what.step.start, commit) for commit in refs.values()):
        path = os.path.join(run.root, ".git", "back")
        repository.git("bundle", "create", "-q", path, *refs, f"^{what.step.start}")
        with open(path, "rb") as file:
            commits = file.read()
    return Back(step=step, commits=commits, refs=refs, logs=_logs(run.path(runs.LOGS), number))


def _logs(folder: str, number: int) -> dict[str, bytes]:
    found = {}
    for name in (f"{number}.log", f"{number}.md"):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[name] = file.read(LOG)
    return found


def _write(path: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def _run(*words: str, cwd: str, env: Mapping[str, str]) -> None:
    done = run_git.asked(cwd, env, *words)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise run_git.GitFailed(f"git {words[0]} did not work: {said[-1]}")
