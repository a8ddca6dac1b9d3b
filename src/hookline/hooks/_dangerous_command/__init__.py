"""Rules of dangerous-command: find the parts of a command line that would destroy something."""

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
"""Programs that are matched with a pattern such as `/bin/r?`."""
_NOTHING: Mapping[str, str] = {}
_CONNECTION = ("/dev/tcp/", "/dev/udp/")


def findings(
    line: str,
    place: Place,
    *,
    runners: Mapping[str, str] = _NOTHING,
    shell: Literal["bash", "powershell", "cmd"] = "bash",
) -> tuple[Finding, ...]:
    """Return a finding for everything in *line* that breaks a rule, in the order of execution."""
    reading, place = _read(line, place, runners, shell)
    found = [finding for command in reading.commands for finding in _judged(command, place)]
    return tuple(dict.fromkeys((*found, *_besides(reading))))


def looked(
    line: str, place: Place, *, runners: Mapping[str, str], shell: Literal["bash", "powershell", "cmd"]
) -> Iterator[tuple[SimpleCommand | None, tuple[Finding, ...]]]:
    """Yield every command of *line* with its findings, and None with those that belong to no command."""
    reading, place = _read(line, place, runners, shell)
    yield from ((command, tuple(_judged(command, place))) for command in reading.commands)
    yield from ((None, (finding,)) for finding in _besides(reading))


def _read(
    line: str, place: Place, runners: Mapping[str, str], shell: Literal["bash", "powershell", "cmd"]
) -> tuple[Reading, Place]:
    reading = read(line, cwd=place.cwd, home=place.home, runners=runners, shell=shell)
    return reading, replace(place, commands=reading.commands)


def _besides(reading: Reading) -> Iterator[Finding]:
    """Yield the findings about the line as a whole, and about its unreadable parts."""
    if reading.fork_bombs:
        yield DISK.find("fork-bomb", replace(reading.commands[0], span=reading.fork_bombs[0]))
    if reading.problems:
        yield from unread(reading.problems)


def known(command: SimpleCommand) -> bool:
    """Return whether a rule exists for a program that *command* may run."""
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
    """Apply the rules that hold for every program: the origin of its code, and the target of its output."""
    connected = any(one.target.text.startswith(_CONNECTION) for one in command.redirects)
    via = command.via[-1] if command.via else ""
    if command.words[0].origins or connected or via.endswith((" ssh", " --exec")):
        yield from remote(command, place)
    if connected:
        yield from outward(command, place)
    elif any(one.target.text.startswith("/") and one.target.text != "/dev/null" for one in command.redirects):
        yield from redirected(command, place)


def _names(command: SimpleCommand) -> Iterator[tuple[int, str]]:
    """Yield the names of the programs that *command* may run, each with the number of words to skip."""
    first = command.words[0]
    yield 1, "mkfs" if command.name.startswith("mkfs.") else command.name
    if first.glob:
        yield from (
            (1, name) for name in _GLOBBED if fnmatchcase("/bin/" + name, first.text.removeprefix("/usr"))
        )
    if first.dynamic:
        # `r${x}m` may be rm, and in `$SUDO rm` the unknown word may be a wrapper, or empty.
        yield 1, first.text.replace(UNKNOWN, "").rpartition("/")[2]
        yield from ((2, word.text) for word in command.words[1:2])
    elif first.text[:1].isupper() and "-" in first.text:
        yield 1, first.text.lower()
