"""What hooks learnt of errors, into the store and out of it again; without secrets, and by repository."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookline.core.error_signature import squeezed
from hookline.core.records import Signature
from hookline.core.response import Effect, ErrorSeen
from hookline.core.store import Store
from hookline.redact import redact
from hookline.system.git_facts import origin

MOST = 50
"""Errors with a fix that are held against a command."""


def known(store: Store, root: str, *, key: str = "", fixed: bool = False) -> Sequence[Signature]:
    """The error of this repository that has this *key*, or those that have a fix."""
    return store.signatures(key=key, project=origin(root), limit=1 if key else MOST, fixed=fixed)


def learn(store: Store, wanted: Iterable[Effect], root: str, at: float) -> None:
    """Keep what was *wanted* kept."""
    for one in wanted:
        if isinstance(one, ErrorSeen):
            _learn(store, one, origin(root), at)


def _learn(store: Store, one: ErrorSeen, project: str, at: float) -> None:
    key = redact(one.key)
    if one.text:
        before = next(iter(store.signatures(key=key, project=project)), None)
        command = shared(before.command if before else "", squeezed(one.command))
        store.see(key, text=redact(one.text), at=at, project=project, command=command)
    if one.fix:
        store.fix(key, redact(one.fix), project=project)
    if one.gain:
        store.weigh(key, one.gain, at=at, project=project)


def shared(known: str, command: str) -> str:
    """The words with which both command lines begin."""
    if not known or not command:
        return known or command
    alike: list[str] = []
    for one, other in zip(known.split(" "), command.split(" "), strict=False):
        if one != other:
            break
        alike.append(one)
    return " ".join(alike) or known
