"""The rules about each program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.hooks._dangerous import (
    _flows,
    cloud,
    containers,
    databases,
    disk,
    dropping,
    find,
    git,
    hashes,
    http_delete,
    kubernetes,
    moves,
    package_publish,
    permissions,
    platforms,
    redirects,
    repo_host,
    rm,
    saas_cli,
    servers,
    windows,
)
from hookline.hooks._dangerous.finding import Judge

_FILES = (
    git,
    rm,
    find,
    moves,
    permissions,
    disk,
    redirects,
    cloud,
    platforms,
    kubernetes,
    containers,
    saas_cli,
    servers,
    repo_host,
    package_publish,
    http_delete,
    databases,
    dropping,
    windows,
    _flows,
    hashes,
)


def judges(name: str, command: Simple) -> tuple[Judge, ...]:
    """The rules about the program *name* that *command* could break."""
    return tuple(judge for needle, judge in _JUDGES.get(name, ()) if not needle or _says(command, needle))


def _says(command: Simple, needle: str) -> bool:
    return any(needle in word.text for word in (*command.words, *_inputs(command)))


def _inputs(command: Simple) -> Iterator[Word]:
    return (redirect.target for redirect in command.redirects)


_NEEDLES: Mapping[object, str] = {hashes: "shadow"}
"""Files that have nothing to say about a command without this in one of its words."""
_JUDGES: dict[str, list[tuple[str, Judge]]] = {}
for _file in _FILES:
    for _name, _judge in _file.JUDGES.items():
        _JUDGES.setdefault(_name, []).append((_NEEDLES.get(_file, ""), _judge))
