"""Find the parts of a command line that would expose a secret: files it opens, variables it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hookline.core.values import replace
from hookline.hooks._paths import windows
from hookline.hooks._paths.file_operands import SEARCHES, TELLERS, How
from hookline.hooks._paths.guarded import Exposure, Place, Sort, kind, sort
from hookline.hooks._paths.secret import Secret, quiet, secret
from hookline.hooks._paths.secret_commands import told
from hookline.hooks._paths.shell import MOST, Opened, accesses
from hookline.hooks._paths.spelling import absolute
from hookline.shell import MAX_LINE, Problem, SimpleCommand, Word
from hookline.shell.options import word_set

_STRONG = frozenset[Secret]({"dotenv", "key", "keylike", "ssh", "store"})
_ALL = frozenset[Secret]({*_STRONG, "ssh-open"})
_NONE = frozenset[Secret]()
_COUNTS: Mapping[How, frozenset[Secret]] = {
    **dict.fromkeys(("read", "copy", "link", "use", "run"), _STRONG),
    **dict.fromkeys(("change", "delete", "empty"), _ALL),
    "write": frozenset[Secret]({"key", "ssh", "ssh-open", "store"}),
}
"""Kinds of secrets that each kind of access exposes.

Writing to a dotenv file exposes nothing, nor does moving a file or a forced deletion. The new name of a
moved file is tracked.
"""
_BRINGS = frozenset[How]({"read", "copy", "move", "link", "use", "run"})
_LOOKED_AT = _BRINGS | frozenset(_COUNTS)
_TESTS = word_set("-name -iname -path -ipath -wholename -iwholename -lname -ilname")
_TOKEN = re.compile(r"""[\s'"`;|&()<>=,{}$@]+""")


def lines(code: str, shell: str, place: Place) -> Iterator[Exposure]:
    """Yield the exposures in *code*, written for any *shell*."""
    if len(code) > MAX_LINE:
        yield Exposure("too-long", "", (0, len(code)))
        return
    if shell == "shell":
        yield from exposures(code, place)
        return
    for word in windows.opened(code, shell):
        if kind(word.text, place, glob=True) in _STRONG:
            yield Exposure("sensitive-operand", word.text, word.span)


def named(code: str, shell: str, place: Place) -> Iterator[tuple[Word, How, Sort | None]]:
    """Yield every file that the line names, its kind of access, and the kind of secret it may hold."""
    if shell != "shell":
        words = windows.opened(code, shell)
        yield from ((word, "use", sort(word.text, place, glob=True)) for word in words)
        return
    for one in accesses(code, place.cwd, place.home)[1]:
        word = one.access.word
        yield word, one.access.how, sort(word.text, place, cwd=one.cwd, glob=word.glob)


def exposures(line: str, place: Place) -> Iterator[Exposure]:
    """Yield an exposure for everything in *line* that breaks a rule."""
    reading, opened = accesses(line, place.cwd, place.home)
    found = [_traced(one, reading.commands) for one in opened]
    sorts = [_kind(one, place) if one.access.how in _LOOKED_AT else None for one in found]
    brings = _bringing(reading.commands, found, sorts)
    for one, held in zip(found, sorts, strict=True):
        if _exposes(one, held, brings):
            yield Exposure("sensitive-operand", one.access.word.text, one.access.word.span)
    roots = frozenset({".", "..", "*", "~", "", place.cwd, place.root, place.home}) - {""} | {"./"}
    for position, command in enumerate(reading.commands):
        telling = _told(reading.commands, position, line, roots) if command.name in TELLERS else None
        if telling is not None:
            yield Exposure(*telling, command.span)
    unread = list(reading.problems)
    if len(found) >= MOST:
        unread.append(Problem(reason="too many files", text=line, span=(0, len(line))))
    yield from _unread(unread)


def _told(
    commands: Sequence[SimpleCommand], position: int, line: str, roots: frozenset[str]
) -> tuple[str, str] | None:
    return told(commands, position, line, roots)


def _sought(command: SimpleCommand) -> tuple[str, ...]:
    """Return the file names that a search asks for: `find -name X`, `fd X`, `git ls-files X`."""
    words = [word.text for word in command.words]
    if command.name in ("find", "gfind"):
        tests = zip(words, words[1:], words[2:], strict=False)
        return tuple(value for before, test, value in tests if test in _TESTS and before not in ("!", "-not"))
    return tuple(word for word in words[1:] if not word.startswith("-"))


def _traced(one: Opened, commands: Sequence[SimpleCommand]) -> Opened:
    """Return *one* with the preceding `find` added as the origin of a word that `find -exec` fills in."""
    word = one.access.word
    via = commands[one.place].via[-1:] if one.place >= 0 else ()
    if not word.dynamic or not any(label.startswith(("find -", "fd -")) for label in via):
        return one
    finders = tuple(at for at in range(one.place) if commands[at].name in ("find", "gfind", "fd"))[-1:]
    traced = replace(word, origins=word.origins + finders)
    return one._replace(access=one.access._replace(word=traced))


def _bringing(
    commands: Sequence[SimpleCommand], found: Sequence[Opened], sorts: Sequence[Secret | None]
) -> frozenset[int]:
    """Return the numbers of the commands that pass on a secret: its content, another name, or file names."""
    searches = ((at, command) for at, command in enumerate(commands) if command.name in SEARCHES)
    brings = {at for at, command in searches if any(map(_named, _sought(command)))}
    for one, held in zip(found, sorts, strict=True):
        brought = held in _STRONG or brings.intersection(one.access.word.origins)
        if brought and one.access.how in _BRINGS:
            brings.add(one.place)
    return frozenset(brings)


def _named(name: str) -> bool:
    return secret(name, glob=True) in _STRONG


def _exposes(one: Opened, held: Secret | None, brings: frozenset[int]) -> bool:
    how = one.access.how
    if how in ("read", "copy", "use", "link") and brings.intersection(one.access.word.origins) - {one.place}:
        return True
    return held in _COUNTS.get(how, _NONE)


def _kind(one: Opened, place: Place) -> Secret | None:
    word = one.access.word
    found = kind(word.text, place, cwd=one.cwd, glob=word.glob)
    inside = found == "key" and quiet(
        absolute(word.text, one.cwd or place.cwd, place.home), place.root or place.cwd
    )
    return None if inside else found


def _unread(problems: Sequence[Problem]) -> Iterator[Exposure]:
    """Yield an exposure for the first unreadable part that names a secret."""
    for problem in problems:
        for token in set(_TOKEN.split(problem.text)):
            if not token.isalnum() and secret(token) in _STRONG:
                yield Exposure("unread", token, problem.span)
                return
