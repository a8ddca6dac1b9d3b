"""Grants by which a person gets past the guards: one use of a rule, one path for a while, or all guards off.

They are kept in a file of the user, and each is signed with a key that only the running daemon knows. An
agent that writes the file grants itself nothing, and a grant ends with the daemon that signed it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct, convert, field, to_builtins

from hookline.core.values import replace
from hookline.system import file_lock
from hookline.system.paths import create_private
from hookline.system.process import identity

Kind: TypeAlias = 'Literal["rule", "path", "off"]'
COMMANDS = {"rule": "hookline allow --once", "path": "hookline approve", "off": "hookline off"}
"""The command that issues a grant, by the kind of the grant."""
MAX_SECONDS = 8 * 3600
"""Seconds for which a grant is valid at most."""
WITHOUT_DAEMON = "no daemon answered this call, and only the daemon that signed a grant can verify it"
UNSIGNED = "it has no signature of the daemon: an earlier release or another program wrote it"
ENDED = "it ended with the daemon that signed it"
USED = "it was used or revoked"


class Grant(Struct, frozen=True, kw_only=True):
    """A grant for one project, valid until a time."""

    id: str
    root: str
    kind: str = ""
    """A `Kind`; empty in the files of earlier releases."""
    subject: str = field(name="what")
    """The id of a rule, or a path; `off` for all guards."""
    session: str = ""
    """The session for which a rule's grant stays valid; empty for a grant that is used once."""
    until: float
    boot: str = ""
    ends: float = 0.0
    """Time of expiry on the clock of `identity.now`, because the clock of `until` can be set back."""
    signature: str = ""
    """Authentication code over the other fields, in hexadecimal digits."""

    def is_active(self, now: float) -> bool:
        return now < self.until and self.boot == identity.boot_id() and identity.now() < self.ends

    def signed_text(self) -> bytes:
        """Return the bytes that the signature authenticates."""
        return json.dumps(to_builtins(replace(self, signature="")), sort_keys=True).encode()

    def __str__(self) -> str:
        command = COMMANDS.get(self.kind, "grant")
        return f"`{command} {self.subject}`" if self.kind != "off" else f"`{command}`"


def new_grant(root: str, kind: Kind, subject: str, *, now: float, seconds: float, session: str = "") -> Grant:
    """Return a grant that is not signed yet."""
    return Grant(
        id=os.urandom(16).hex(),
        root=os.path.realpath(root),
        kind=kind,
        subject=subject,
        session=session,
        until=now + seconds,
        boot=identity.boot_id(),
        ends=identity.now() + seconds,
    )


def find_active(file: str, root: str, now: float) -> tuple[Grant, ...]:
    """Return the grants for the project at *root* that have not expired, whoever wrote them."""
    grants = _read(file)
    if not grants:
        return ()
    return tuple(entry for entry in grants if entry.root == os.path.realpath(root) and entry.is_active(now))


def add_grant(file: str, new: Grant, now: float) -> None:
    _change(file, lambda grants: [*(grant for grant in grants if grant.is_active(now)), new])


def remove_grants(file: str, removed: Collection[Grant]) -> None:
    ids = {grant.id for grant in removed}
    _change(file, lambda grants: [grant for grant in grants if grant.id not in ids])


def list_grants(file: str, root: str) -> tuple[Grant, ...]:
    """Return all grants for the project at *root*, also those that have expired."""
    return tuple(entry for entry in _read(file) if entry.root == os.path.realpath(root))


def _read(file: str) -> list[Grant]:
    if not os.access(file, os.F_OK):  # the usual case, without the cost of an exception
        return []
    try:
        with open(file, encoding="utf-8") as stream:
            status = os.fstat(stream.fileno())
            private = status.st_uid == os.getuid() and not status.st_mode & 0o077
            return parse_grants(stream.read()) if private else []
    except (OSError, ValueError):
        return []


def parse_grants(text: str | bytes) -> list[Grant]:
    """Return the grants in a JSON text; raise `ValueError` if it has another form."""
    return convert(json.loads(text), list[Grant], strict=False)


def format_grants(grants: Sequence[Grant]) -> str:
    return json.dumps([to_builtins(entry) for entry in grants])


def _change(file: str, change: Callable[[Sequence[Grant]], list[Grant]]) -> None:
    create_private(os.path.dirname(file))
    with file_lock.lock(f"{file}.lock"):
        grants = change(_read(file))
        temporary = f"{file}.new"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(format_grants(grants))
        os.replace(temporary, file)
