"""The rules of dangerous-command: from a command line to what it would destroy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal

from hookline.core.values import replace
from hookline.hooks._dangerous_command.disk import DISK
from hookline.hooks._dangerous_command.exfil import outward
from hookline.hooks._dangerous_command.index import judges
from hookline.hooks._dangerous_command.redirects import redirected
from hookline.hooks._dangerous_command.remote_exec import remote
from hookline.hooks._dangerous_command.rule import Action, Finding, Place
from hookline.hooks._dangerous_command.unparsed import unread
from hookline.shell import UNKNOWN, Reading, SimpleCommand, read

__all__ = ["Action", "Finding", "Place", "findings", "known", "looked"]

_GLOBBED = ("git", "rm", "dd", "mkfs", "shred", "chmod", "chown", "find", "mv", "wipefs")
"""Programs that are looked for behind a pattern such as `/bin/r?`."""
_NOTHING: Mapping[str, str] = {}
_CONNECTION = ("/dev/tcp/", "/dev/udp/")


def findings(
    line: str,
    place: Place,
    *,
    runners: Mapping[str, str] = _NOTHING,
    shell: Literal["bash", "powershell", "cmd"] = "bash",
) -> tuple[Finding, ...]:
    """Everything in *line* that a rule speaks about, in the order it would run."""
    reading, place = _read(line, place, runners, shell)
    found = [finding for command in reading.commands for finding in _judged(command, place)]
    return tuple(dict.fromkeys((*found, *_besides(reading))))


def looked(
    line: str, place: Place, *, runners: Mapping[str, str], shell: Literal["bash", "powershell", "cmd"]
) -> Iterator[tuple[SimpleCommand | None, tuple[Finding, ...]]]:
    """The same command by command, with those that no rule speaks about; None for what is no command."""
    reading, place = _read(line, place, runners, shell)
    yield from ((command, tuple(_judged(command, place))) for command in reading.commands)
    yield from ((None, (finding,)) for finding in _besides(reading))


def _read(
    line: str, place: Place, runners: Mapping[str, str], shell: Literal["bash", "powershell", "cmd"]
) -> tuple[Reading, Place]:
    reading = read(line, cwd=place.cwd, home=place.home, runners=runners, shell=shell)
    return reading, replace(place, commands=reading.commands)


def _besides(reading: Reading) -> Iterator[Finding]:
    """What a line does as a whole, and what of it could not be read."""
    if reading.fork_bombs:
        yield DISK.find("fork-bomb", replace(reading.commands[0], span=reading.fork_bombs[0]))
    if reading.problems:
        yield from unread(reading.problems)


def known(command: SimpleCommand) -> bool:
    """Whether any rule is about a program that *command* may be."""
    return any(judges(name, command) for _, name in _names(command))


def _judged(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    yield from _anything(command, place)
    for skipped, name in _names(command):
        known = judges(name, command)
        if known:
            named = command if name == command.name else replace(command, name=name)
            for judge in known:
                yield from judge(named, command.words[skipped:], place)
            return


def _anything(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Rules that hold whatever the program: where its code comes from, and where its output goes."""
    connected = any(one.target.text.startswith(_CONNECTION) for one in command.redirects)
    via = command.via[-1] if command.via else ""
    if command.words[0].origins or connected or via.endswith((" ssh", " --exec")):
        yield from remote(command, place)
    if connected:
        yield from outward(command, place)
    elif any(one.target.text.startswith("/") and one.target.text != "/dev/null" for one in command.redirects):
        yield from redirected(command, place)


def _names(command: SimpleCommand) -> Iterator[tuple[int, str]]:
    """Programs that this may be, each with how many words come before its arguments."""
    first = command.words[0]
    yield 1, "mkfs" if command.name.startswith("mkfs.") else command.name
    if first.glob:
        yield from (
            (1, name) for name in _GLOBBED if fnmatchcase("/bin/" + name, first.text.removeprefix("/usr"))
        )
    if first.dynamic:
        # `r${x}m` may be rm, and in `$SUDO rm` the unknown may be a wrapper, or nothing at all.
        yield 1, first.text.replace(UNKNOWN, "").rpartition("/")[2]
        yield from ((2, word.text) for word in command.words[1:2])
    elif first.text[:1].isupper() and "-" in first.text:
        yield 1, first.text.lower()
