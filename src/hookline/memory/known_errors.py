"""Store the errors that hooks saw, and find known ones; redacted, and separate for each repository."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookline.core.error_signature import normalize_command
from hookline.core.records import KnownError
from hookline.core.response import Effect, ErrorSeen
from hookline.core.store import Store
from hookline.redact import redact
from hookline.system.git_facts import find_origin

MAX_FIXED_ERRORS = 50
"""Errors with a fix that a command is compared with."""


def find_known_errors(store: Store, root: str, *, key: str = "", fixed: bool = False) -> Sequence[KnownError]:
    """Return this repository's error with this *key*, or those that have a fix."""
    return store.signatures(
        key=key, project=find_origin(root), limit=1 if key else MAX_FIXED_ERRORS, fixed=fixed
    )


def store_errors(store: Store, effects: Iterable[Effect], root: str, at: float) -> None:
    """Store the errors among the *effects*."""
    for effect in effects:
        if isinstance(effect, ErrorSeen):
            _store_error(store, effect, find_origin(root), at)


def _store_error(store: Store, error: ErrorSeen, project: str, at: float) -> None:
    key = redact(error.key)
    if error.text:
        previous = next(iter(store.signatures(key=key, project=project)), None)
        command = common_prefix(previous.command if previous else "", normalize_command(error.command))
        store.count_error(key, text=redact(error.text), at=at, project=project, command=command)
    if error.fix:
        store.record_fix(key, redact(error.fix), project=project)
    if error.gain:
        store.adjust_confidence(key, error.gain, at=at, project=project)


def common_prefix(first: str, second: str) -> str:
    """Return the words with which both command lines begin."""
    if not first or not second:
        return first or second
    prefix: list[str] = []
    for word, other_word in zip(first.split(" "), second.split(" "), strict=False):
        if word != other_word:
            break
        prefix.append(word)
    return " ".join(prefix) or first
