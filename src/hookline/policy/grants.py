"""Grants by which a user gets past the guards: one use of a rule, one path for a while, or all guards off.

They are kept in files of the user. An agent cannot write them: the commands that do require a terminal,
self-protect guards the folder, and a file that other users could have written is ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, convert, field, to_builtins

from hookline.system import file_lock
from hookline.system.paths import create_private
from hookline.system.process import identity

APPROVALS_FILE = "approvals.json"
"""Name of the file of approved paths, in the user's state folder."""
OFF = "off"
"""Value of `rule_or_path` in a grant for all guards; any other value is a rule."""


class Grant(Struct, frozen=True, kw_only=True):
    """A grant for one project, valid until a time."""

    id: str
    root: str
    rule_or_path: str = field(name="what")
    """A rule's id, a path, or `off` for all guards."""
    until: float
    boot: str = ""
    ends: float = 0.0
    """Time of expiry on the clock of `identity.now`, because the clock of `until` can be set back."""

    def is_active(self, now: float) -> bool:
        return now < self.until and self.boot == identity.boot_id() and identity.now() < self.ends


def find_active(file: str, root: str, now: float) -> tuple[Grant, ...]:
    """Return the grants valid in the project at *root*; none if the file is not trustworthy."""
    grants = _read(file)
    if not grants:
        return ()
    return tuple(entry for entry in grants if entry.root == os.path.realpath(root) and entry.is_active(now))


def add_grant(file: str, root: str, what: str, *, now: float, seconds: float) -> Grant:
    new = Grant(
        id=os.urandom(16).hex(),
        root=os.path.realpath(root),
        rule_or_path=what,
        until=now + seconds,
        boot=identity.boot_id(),
        ends=identity.now() + seconds,
    )
    _change(file, lambda grants: [*(grant for grant in grants if grant.is_active(now)), new])
    return new


def use_grant(file: str, used: Grant) -> bool:
    """Use up the grant; return False if another call used it before."""
    before: list[Grant] = []

    def without(grants: Sequence[Grant]) -> list[Grant]:
        before.extend(grants)
        return [other for other in grants if other.id != used.id]

    _change(file, without)
    return any(other.id == used.id for other in before)


def withdraw_grants(file: str, root: str) -> int:
    """End every grant of the project at *root*; return their number."""
    real_root, ended = os.path.realpath(root), list[Grant]()

    def others(grants: Sequence[Grant]) -> list[Grant]:
        ended.extend(entry for entry in grants if entry.root == real_root)
        return [entry for entry in grants if entry.root != real_root]

    _change(file, others)
    return len(ended)


def _read(file: str) -> list[Grant]:
    if not os.access(file, os.F_OK):  # the usual case, without the cost of an exception
        return []
    try:
        with open(file, encoding="utf-8") as stream:
            status = os.fstat(stream.fileno())
            private = status.st_uid == os.getuid() and not status.st_mode & 0o077
            return convert(json.loads(stream.read()), list[Grant], strict=False) if private else []
    except (OSError, ValueError):
        return []


def _change(file: str, change: Callable[[Sequence[Grant]], list[Grant]]) -> None:
    create_private(os.path.dirname(file))
    with file_lock.lock(f"{file}.lock"):
        grants = change(_read(file))
        temporary = f"{file}.new"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(json.dumps([to_builtins(entry) for entry in grants]))
        os.replace(temporary, file)


def load_approvals(folder: str, root: str, now: float = 0.0) -> tuple[dict[str, Any], ...]:
    """Return the paths that a user approved for the project at *root*: id, path, and time of expiry."""
    approvals = find_active(os.path.join(folder, APPROVALS_FILE), root, now)
    return tuple({"id": entry.id, "path": entry.rule_or_path, "until": entry.until} for entry in approvals)


def approve_path(folder: str, root: str, path: str, *, now: float, seconds: float) -> float:
    """Approve *path*, once for each session; return the time of expiry."""
    return add_grant(os.path.join(folder, APPROVALS_FILE), root, path, now=now, seconds=seconds).until


def revoke_path(folder: str, root: str, path: str) -> int:
    """Revoke the approvals of *path*; return their number."""
    file = os.path.join(folder, APPROVALS_FILE)
    active = find_active(file, root, 0.0)
    return sum(use_grant(file, approval) for approval in active if approval.rule_or_path == path)
