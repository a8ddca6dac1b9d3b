"""Paths that hold secrets, recognised by whole names and path segments, never by a part of a word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from hookline.hooks._paths import secret_names
from hookline.hooks._paths.spelling import LONGEST, LONGEST_NAME, segments
from hookline.shell.options import word_set

Secret: TypeAlias = 'Literal["dotenv", "key", "keylike", "ssh", "ssh-open", "store", "mild"]'  # noqa: S105 -- kinds
"""Kinds of secrets.

"key" is a private key by its ending, "keylike" by a name that may mean one, and "ssh" a key of ssh.
"ssh-open" is any other file in `.ssh`, "store" a credential store. "mild" counts for file tools only.
"""

_KEY = re.compile(
    r"id_(?:rsa|ed25519|ecdsa|dsa|ed448)(?:[-_.].*)?|(?:.+[-_])?(?:private|deploy|ssh|rsa|dsa|ecdsa|ed25519|signing"
    r"|secret|master|encryption|gpg|pgp|tls|ssl)[-_]key"
)
_KEYLIKE = re.compile(r"[^.]+[-_]key")
_OPEN_KEY = re.compile(r"(?:.*[-_])?(?:pub|public|primary|foreign|hot|short|sort|cache|index|no|any)[-_]key")
_SERVICE = re.compile(
    r"(?:.*[-_])?(?:service[-_]?account|firebase-adminsdk|client_secret|gcp[-_]sa)(?:[-_.].*)?\.json"
)
_ENVIRON = re.compile(r"(?:self|thread-self|\d+|x)")
_BACKUP = re.compile(r"(?:~|\.bak\d*|\.~\d+~| copy(?: \d+)?| \(\d+\)|\.\d{6,14})$")
_BACKUPS = tuple(secret_names.BACKUPS)
_LAB = word_set(
    """test tests testing testdata test-data fixture fixtures __fixtures__ spec mock mocks certs cert
    certificates examples example samples"""
)
"""Folders of test keys and certificates, for which a shell command gets no warning."""
_WILD = re.compile(r"[*?]|\[[^\]]+\]")
_SURE = 3
"""Literal characters before the first wildcard that a pattern needs to mean a name."""


def secret(path: str, *, glob: bool = False) -> Secret | None:
    """Return the kind of secret that *path* holds, or None."""
    names = segments(path) if len(path) <= LONGEST else ()
    if not names or len(names[-1]) > LONGEST_NAME:
        return None
    if len(names) == 1 and names[0].isalnum():
        # An alphanumeric name cannot be a dotenv file, a key or a backup; only the tables can know it.
        return _stored(names)
    wild = glob and _WILD.search(names[-1]) is not None
    for name in _meant(names[-1]) if wild else (names[-1],):
        found = _judged((*names[:-1], name))
        if found is not None:
            return found
    return None


def quiet(path: str, root: str) -> bool:
    """Return whether a key at *path* is a certificate or test data of the project.

    A shell command may read it without a warning.
    """
    inside = root and path.startswith(root.rstrip("/") + "/")
    return bool(inside) and any(name in _LAB for name in segments(path[len(root) :])[:-1])


def _judged(names: tuple[str, ...]) -> Secret | None:
    whole = _without_backup(names[-1])
    if _harmless(whole):
        return None
    if _dotenv(whole):
        return "dotenv"
    if ".ssh" in names:
        return _in_ssh(names, whole)
    return _key(whole) or _stored((*names[:-1], whole))


def _without_backup(name: str) -> str:
    """Return *name* without marks of a backup, as in `.env.bak`, `#.env#` and `.env copy`."""
    plain = name.strip("#") or name
    while True:
        endings = secret_names.BACKUPS if plain.endswith(_BACKUPS) else ()
        ending = next((one for one in endings if plain.endswith(one) and plain != one), None)
        found = None if ending else _BACKUP.search(plain)
        if ending is None and (found is None or not found.start()):
            return plain
        plain = plain.removesuffix(ending) if ending else plain[: found.start() if found else None]


def _harmless(name: str) -> bool:
    """Return whether *name* is that of a public key, or of a template without real values."""
    _, *parts = name.split(".")
    return parts[-1:] == ["pub"] or not {"example", "sample", "template", "tmpl", "tpl"}.isdisjoint(parts)


def _dotenv(name: str) -> bool:
    parts = name.split(".")
    if parts[:2] != ["", "env"]:
        return False
    rest = parts[2:]
    return not rest or (rest[-1] not in secret_names.TEMPLATES and rest[-1] not in secret_names.SOURCES)


def _in_ssh(names: tuple[str, ...], name: str) -> Secret:
    below = names[names.index(".ssh") + 1 :]
    if not below or _key(name):
        return "ssh"
    first = below[0].partition(".")[0]
    plain = name.rpartition(".")[2] in secret_names.DOCUMENTS
    return "ssh-open" if plain or first in secret_names.SSH_OPEN else "ssh"


def _key(name: str) -> Secret | None:
    ending = name.rpartition(".")[2] if "." in name else ""
    if name.endswith(secret_names.ENDINGS) and name not in secret_names.ENDINGS:
        return "key"
    if ending not in secret_names.SOURCES and _KEY.fullmatch(name):
        return "ssh"
    return "keylike" if _KEYLIKE.fullmatch(name) and not _OPEN_KEY.fullmatch(name) else None


def _stored(names: tuple[str, ...]) -> Secret | None:
    name = names[-1]
    if name in secret_names.NAMES or (name.endswith(".json") and _SERVICE.fullmatch(name)) or _environ(names):
        return "store"
    tails = ["/".join(names[-count:]) for count in range(1, min(len(names), 4) + 1)]
    if any(tail in secret_names.TAILS for tail in tails) or (name == "credentials" and _hidden(names[:-1])):
        return "store"
    if _within(names, secret_names.FOLDERS):
        return None if _within(names, secret_names.PUBLIC) or _document(name) else "store"
    return "mild" if any(tail in secret_names.MILD for tail in tails) else None


def _hidden(names: tuple[str, ...]) -> bool:
    return bool(names) and names[-1].startswith(".")


def _document(name: str) -> bool:
    return name.rpartition(".")[2] in secret_names.DOCUMENTS


def _environ(names: tuple[str, ...]) -> bool:
    """Return whether the path is the environment of a process in `/proc`."""
    return names[0] == "proc" and names[-1] == "environ" and all(_ENVIRON.fullmatch(n) for n in names[1:2])


def _within(names: tuple[str, ...], folders: Iterable[str]) -> bool:
    """Return whether a path is one of the *folders*, or inside one."""
    starts = ("/".join(names[start : start + count]) for start in range(len(names)) for count in (1, 2, 3))
    return any(one in folders for one in starts)


def _meant(pattern: str) -> list[str]:
    """Return *pattern*, and the usual names of secrets that it is specific enough to mean."""
    first = _WILD.search(pattern)
    sure = pattern[: first.start()] if first is not None else pattern
    literal = len(_WILD.sub("", pattern))
    return [pattern] + [
        name
        for name in sorted(secret_names.USUAL)
        if fnmatchcase(name, pattern)
        and (len(sure) >= _SURE or (sure.startswith(".") and len(sure) > 1) or literal * 2 > len(name))
    ]
