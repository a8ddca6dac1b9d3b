"""Find the parts of a command line that would expose a secret: files it opens, variables it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hookline.core.values import replace
from hookline.hooks._paths import windows
from hookline.hooks._paths.guarded import Exposure, Place, Sort, kind, sort
from hookline.hooks._paths.secret import Secret, quiet, secret
from hookline.hooks._paths.secret_commands import PRINTERS, told
from hookline.hooks._paths.spelling import absolute
from hookline.shell import MAX_EFFECTS, MAX_LINE, Action, Effect, Problem, SimpleCommand, Word, read
from hookline.shell.options import word_set

_STRONG = frozenset[Secret]({"dotenv", "key", "keylike", "ssh", "store"})
_ALL = frozenset[Secret]({*_STRONG, "ssh-open"})
_NONE = frozenset[Secret]()
_EXPOSED: Mapping[Action, frozenset[Secret]] = {
    **dict.fromkeys(("read", "copy", "send", "link", "use", "run"), _STRONG),
    **dict.fromkeys(("edit", "delete", "truncate"), _ALL),
    **dict.fromkeys(("write", "append"), frozenset[Secret]({"key", "ssh", "ssh-open", "store"})),
}
"""Kinds of secrets that each kind of effect exposes.

Writing to a dotenv file exposes nothing, nor does moving a file or a forced deletion. The new name of a
moved file is tracked.
"""
_PASSED_ON = frozenset[Action]({"read", "copy", "send", "move", "link", "use", "run"})
_RELEVANT = _PASSED_ON | frozenset(_EXPOSED)
_SEARCHES = word_set("fd fdfind find gfind git locate ls mdfind plocate")
"""Programs that find files by name."""
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


def named(code: str, shell: str, place: Place) -> Iterator[tuple[Word, str, Sort | None]]:
    """Yield every file that the line names, the action on it, and the kind of secret it may hold."""
    if shell != "shell":
        words = windows.opened(code, shell)
        yield from ((word, "use", sort(word.text, place, glob=True)) for word in words)
        return
    for effect in read(code, cwd=place.cwd, home=place.home, facts=place.facts).effects:
        if not effect.derived:
            path = effect.path
            yield path, effect.action, sort(path.text, place, cwd=effect.cwd, glob=path.glob)


def exposures(line: str, place: Place) -> Iterator[Exposure]:
    """Yield an exposure for everything in *line* that breaks a rule."""
    reading = read(line, cwd=place.cwd, home=place.home, facts=place.facts)
    effects = [_traced(one, reading.commands) for one in reading.effects if not one.derived]
    kinds = [_kind(one, place, reading.commands) if one.action in _RELEVANT else None for one in effects]
    sources = _find_sources(reading.commands, effects, kinds)
    for effect, held in zip(effects, kinds, strict=True):
        if _exposes(effect, held, sources):
            yield Exposure("sensitive-operand", effect.path.text, effect.path.span)
    roots = frozenset({".", "..", "*", "~", "", place.cwd, place.root, place.home}) - {""} | {"./"}
    for position, command in enumerate(reading.commands):
        telling = told(reading.commands, position, line, roots) if command.name in PRINTERS else None
        if telling is not None:
            yield Exposure(*telling, command.span)
    unread = list(reading.problems)
    if len(reading.effects) >= MAX_EFFECTS:
        unread.append(Problem(reason="too many files", text=line, span=(0, len(line))))
    yield from _unread(unread)


def _sought(command: SimpleCommand) -> tuple[str, ...]:
    """Return the file names that a search asks for: `find -name X`, `fd X`, `git ls-files X`."""
    words = [word.text for word in command.words]
    if command.name in ("find", "gfind"):
        tests = zip(words, words[1:], words[2:], strict=False)
        return tuple(value for before, test, value in tests if test in _TESTS and before not in ("!", "-not"))
    return tuple(word for word in words[1:] if not word.startswith("-"))


def _traced(effect: Effect, commands: Sequence[SimpleCommand]) -> Effect:
    """Return *effect* with the preceding `find` as the origin of a path that `find -exec` fills in."""
    via = commands[effect.command].via[-1:]
    if not effect.path.dynamic or not any(label.startswith(("find -", "fd -")) for label in via):
        return effect
    finders = tuple(at for at in range(effect.command) if commands[at].name in ("find", "gfind", "fd"))[-1:]
    return replace(effect, path=replace(effect.path, origins=effect.path.origins + finders))


def _find_sources(
    commands: Sequence[SimpleCommand], effects: Sequence[Effect], kinds: Sequence[Secret | None]
) -> frozenset[int]:
    """Return the indices of the commands that pass on a secret: its content, another name, or file names."""
    searches = ((at, command) for at, command in enumerate(commands) if command.name in _SEARCHES)
    sources = {at for at, command in searches if any(map(_named, _sought(command)))}
    for effect, held in zip(effects, kinds, strict=True):
        passed = held in _STRONG or sources.intersection(effect.path.origins)
        if passed and effect.action in _PASSED_ON:
            sources.add(effect.command)
    return frozenset(sources)


def _named(name: str) -> bool:
    return secret(name, glob=True) in _STRONG


def _exposes(effect: Effect, held: Secret | None, sources: frozenset[int]) -> bool:
    if effect.action in ("read", "copy", "send", "use", "link") and (
        sources.intersection(effect.path.origins) - {effect.command}
    ):
        return True
    return held in _EXPOSED.get(effect.action, _NONE) and not effect.forced


def _kind(effect: Effect, place: Place, commands: Sequence[SimpleCommand]) -> Secret | None:
    path = effect.path
    found = kind(path.text, place, cwd=effect.cwd, glob=path.glob)
    if found == "dotenv" and commands[effect.command].in_script:
        return None  # existing scripts load the settings of their project
    inside = found == "key" and quiet(
        absolute(path.text, effect.cwd or place.cwd, place.home), place.root or place.cwd
    )
    return None if inside else found


def _unread(problems: Sequence[Problem]) -> Iterator[Exposure]:
    """Yield an exposure for the first unreadable part that names a secret."""
    for problem in problems:
        for token in set(_TOKEN.split(problem.text)):
            if not token.isalnum() and secret(token) in _STRONG:
                yield Exposure("unread", token, problem.span)
                return
