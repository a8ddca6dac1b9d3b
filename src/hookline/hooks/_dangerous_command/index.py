"""Index of the rules by program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command import (
    cloud,
    containers,
    databases,
    disk,
    exfil,
    find,
    git,
    http_delete,
    moves,
    package_publish,
    permissions,
    redirects,
    repo_host,
    rm,
    saas,
    windows,
)
from hookline.hooks._dangerous_command.rule import Judge
from hookline.shell import SimpleCommand, Word

_TABLES: tuple[tuple[str, Mapping[str, Judge]], ...] = (
    ("", git.JUDGES),
    ("", rm.JUDGES),
    ("", find.JUDGES),
    ("", moves.JUDGES),
    ("", permissions.JUDGES),
    ("", disk.JUDGES),
    ("", redirects.JUDGES),
    ("", cloud.JUDGES),
    ("", cloud.PLATFORM_JUDGES),
    ("", containers.KUBERNETES_JUDGES),
    ("", containers.JUDGES),
    ("", saas.JUDGES),
    ("", saas.SERVER_JUDGES),
    ("", repo_host.JUDGES),
    ("", package_publish.JUDGES),
    ("", http_delete.JUDGES),
    ("", databases.JUDGES),
    ("", databases.DROP_JUDGES),
    ("", windows.JUDGES),
    ("", exfil.JUDGES),
    ("shadow", exfil.HASH_JUDGES),
)
"""Rules by program. A row with a text applies only to commands that have it in one of their words."""


def judges(name: str, command: SimpleCommand) -> tuple[Judge, ...]:
    """Return the rules about the program *name* that *command* could break."""
    return tuple(judge for needle, judge in _JUDGES.get(name, ()) if not needle or _says(command, needle))


def _says(command: SimpleCommand, needle: str) -> bool:
    return any(needle in word.text for word in (*command.words, *_inputs(command)))


def _inputs(command: SimpleCommand) -> Iterator[Word]:
    return (redirect.target for redirect in command.redirects)


_JUDGES: dict[str, list[tuple[str, Judge]]] = {}
for _needle, _table in _TABLES:
    for _name, _judge in _table.items():
        _JUDGES.setdefault(_name, []).append((_needle, _judge))
