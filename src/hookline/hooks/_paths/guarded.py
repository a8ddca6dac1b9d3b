"""Decide whether a path needs a person's approval: by its name, the settings, or its links."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hookline.hooks._paths import ignore_rules
from hookline.hooks._paths.secret import Secret, secret
from hookline.hooks._paths.spelling import Place, absolute, segments, url
from hookline.hooks._paths.tool_fields import Field


class Exposure(NamedTuple):
    """A part of a command line that would expose a secret, and the rule that it breaks."""

    rule: str
    what: str
    span: tuple[int, int]


class Sort(NamedTuple):
    """The kind of secret that a path may hold, and the evidence for it."""

    kind: Secret
    by: str


def kind(path: str, place: Place, *, cwd: str | None = None, glob: bool = False) -> Secret | None:
    """Return the kind of secret that *path* may hold, or None."""
    found = sort(path, place, cwd=cwd, glob=glob)
    return None if found is None else found.kind


def sort(path: str, place: Place, *, cwd: str | None = None, glob: bool = False) -> Sort | None:
    """Return the kind of secret that *path* may hold and the evidence for it, or None."""
    if url(path):
        return None
    found = secret(path, glob=glob)
    if found is not None:
        return Sort(found, "its name")
    whole = absolute(path, cwd or place.cwd, place.home)
    wanted = _wanted(whole, place) if place.patterns else None
    if wanted is not None:
        return Sort("store", f"the pattern `{wanted}` of the settings")
    real = whole if glob else place.real(whole)
    led = secret(real) if real != whole else None
    return None if led is None else Sort(led, f"a link, which leads to {real}")


def _wanted(whole: str, place: Place) -> str | None:
    seen = ignore_rules.seen_from(place.root, whole).lower()
    return ignore_rules.match(seen, _compiled(place.patterns), folder=True)


@lru_cache(maxsize=4)
def _compiled(patterns: tuple[str, ...]) -> ignore_rules.Rules:
    return ignore_rules.compiled((line.lower(), None) for line in patterns)


def guarded(field: Field, place: Place) -> Sort | None:
    """Return the kind of secret that needs a person's approval before a file tool opens it, or None."""
    found = sort(field.path, place, glob=field.glob)
    if found is None or found.kind == "keylike":
        return None
    return None if found.kind == "ssh-open" and _of_others(field.path, place) else found


def _of_others(path: str, place: Place) -> bool:
    """Return whether *path* is an ssh configuration outside of the home and the project."""
    whole = absolute(path, place.cwd, place.home)
    own = [base.rstrip("/") + "/" for base in (place.home, place.root, place.cwd) if base]
    inside = whole.startswith(("~", *own))
    return not inside and segments(path)[-2:] == (".ssh", "config")
