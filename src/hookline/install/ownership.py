"""What in a host's settings is ours, and what else in them calls us.

Ours is only what we write, in the very shape in which we write it: nobody's own entry goes because it names
us. Whether something calls us is read as a shell would.
"""

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from hookline.core.install_table import Entry, Listed, Own
from hookline.install.host_command import TESTED, WORD, call, unguarded
from hookline.install.jsonc import Node, NotJson, parse
from hookline.shell import read
from hookline.system.own_command import CLIENT

PROGRAM = "@hookline@"
"""Stands in a pattern for whatever starts us."""
NAME = "hookline"
SECONDS = 60.0
_DEEPEST = 8
_COMMAND = rf"(?P<program>{WORD}(?: -m hookline)?)"
_VERSIONED = re.compile(r"hookline(?:-client)?(?:\.exe)?(?:(?:@|==).*)?")
_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)*)?w?(?:\.exe)?")
_MADE = re.compile(r"(?:#|//) (?:Made|Written) by hookline\b")


def ours(value: Any, way: Listed, moment: str, host: str) -> bool:
    """Whether an entry of a *moment*'s list is what we write there, perhaps with others beside it."""
    return next(our_places(value, way, moment, host), None) is not None


def our_places(value: Any, way: Listed, moment: str, host: str) -> Iterator[int]:
    """Which of what an entry starts is ours, by its number; 0 where an entry starts one thing."""
    pattern, key = _pattern(way, moment, host), listed_under(way, moment, host)
    if key is None:
        yield from [0] if alike(pattern, value, host) else []
    elif isinstance(value, dict) and value.keys() == pattern.keys() and isinstance(value[key], list):
        rest = all(alike(pattern[name], value[name], host) for name in pattern if name != key)
        for number, one in enumerate(value[key] if rest else ()):
            if alike(pattern[key][0], one, host):
                yield number


def listed_under(way: Listed, moment: str, host: str) -> str | None:
    """The key of an entry under which it lists what it starts; None where an entry starts one thing."""
    pattern = _pattern(way, moment, host)
    listed = pattern.items() if isinstance(pattern, dict) else ()
    return next((key for key, one in listed if isinstance(one, list) and PROGRAM in str(one)), None)


def _pattern(way: Listed, moment: str, host: str) -> Any:
    return way.entry(_any_entry(moment, host))


def alike(pattern: Any, value: Any, host: str) -> bool:
    """Whether *value* is the *pattern*, whatever starts us, and however long it is waited for."""
    if isinstance(pattern, str):
        return isinstance(value, str) and (value == pattern or _written(pattern, value, host))
    if isinstance(pattern, dict):
        same = isinstance(value, dict) and value.keys() == pattern.keys()
        return same and all(alike(one, value[key], host) for key, one in pattern.items())
    if isinstance(pattern, list):
        same = isinstance(value, list) and len(value) == len(pattern)
        return same and all(alike(one, inner, host) for one, inner in zip(pattern, value, strict=True))
    if isinstance(pattern, bool) or pattern is None:
        return value is pattern
    return isinstance(value, int | float) and not isinstance(value, bool)


def _written(pattern: str, value: str, host: str) -> bool:
    """Whether it is the command of this version, or the bare one that each has."""
    if PROGRAM not in pattern:
        return False
    bare = rf"{PROGRAM} hook {re.escape(host)}(?: --event \S+)?"
    exact = re.escape(pattern).replace(re.escape(PROGRAM), PROGRAM)
    plain = unguarded(value)
    for known in (exact, bare):
        found = re.fullmatch(known.replace(PROGRAM, _COMMAND, 1).replace(PROGRAM, "(?P=program)"), plain)
        if found is not None:
            return _is_program(found["program"])
    return False


def _is_program(said: str) -> bool:
    try:
        words = shlex.split(said)
    except ValueError:
        return False
    return as_module(words) or (len(words) == 1 and _base(words[0]) in (NAME, f"{NAME}.exe", CLIENT))


def as_module(words: Sequence[str]) -> bool:
    """Whether a Python is told to run us: to a shell `-m` is an option, and our name the script's."""
    return [*words[1:]] == ["-m", NAME] and _PYTHON.fullmatch(_base(words[0])) is not None


def _base(path: str) -> str:
    return posixpath.basename(path.replace("\\", "/"))


def calls_us(command: str, host: str) -> bool:
    """Whether a command line really calls us for that *host*: in a pipe, through a wrapper, or as it is."""
    if NAME not in command or "hook" not in command or host not in command:
        return False
    return any(_call([word.text for word in one.words], host) for one in read(command).commands)


def _call(words: Sequence[str], host: str) -> bool:
    return list(words[1:3]) == ["hook", host] and _VERSIONED.fullmatch(_base(words[0])) is not None


def entry_calls_us(value: Any, way: Listed, moment: str, host: str) -> bool:
    """Whether an entry, whoever wrote it, has the host call us."""
    return ours(value, way, moment, host) or any(
        calls_us(one, host) for one in _commands(value, _command_keys(_pattern(way, moment, host)), 0)
    )


def _command_keys(pattern: Any) -> frozenset[str]:
    """The keys under which a command stands."""
    if isinstance(pattern, list):
        return frozenset().union(*map(_command_keys, pattern))
    if not isinstance(pattern, dict):
        return frozenset()
    here = {key for key, one in pattern.items() if isinstance(one, str) and PROGRAM in one}
    return frozenset(here).union(*map(_command_keys, pattern.values()))


def _commands(value: Any, keys: frozenset[str], depth: int) -> Iterator[str]:
    if isinstance(value, str) and not depth:
        yield value
    if isinstance(value, dict):
        more = value.get("args")
        words = [one for one in more if isinstance(one, str)] if isinstance(more, list) else []
        for key in keys & value.keys():
            if isinstance(value[key], str):
                yield shlex.join([value[key], *words]) if words else value[key]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner if depth < _DEEPEST else ():
        if isinstance(one, dict | list):
            yield from _commands(one, keys, depth + 1)


def file_is_ours(text: str, name: str, way: Own, moments: Sequence[str], host: str) -> bool:
    """Whether a file is one that we generate, of this version or marked as one of another."""
    if any(_MADE.match(line) for line in text.splitlines()[:2]):
        return True
    made = way.files(tuple(_any_entry(moment, host) for moment in moments)).get(name)
    there, pattern = _document(text), _document(made or "")
    if made is None or there is None or pattern is None:
        return False
    if PROGRAM not in made:
        return bool(there.value == pattern.value)
    return f"hook {host}" in text and among(pattern.value, there.value, host)


def as_written(text: str, made: str) -> bool:
    """Return whether *text* is *made* to the letter, with any program in place of `PROGRAM`."""
    known = re.escape(made).replace(re.escape(PROGRAM), PROGRAM)
    known = known.replace(re.escape(f"command -v {PROGRAM} "), TESTED)
    found = re.fullmatch(known.replace(PROGRAM, _COMMAND, 1).replace(PROGRAM, "(?P=program)"), text)
    return found is not None and (PROGRAM not in made or _is_program(found["program"]))


def _any_entry(moment: str, host: str) -> Entry:
    return Entry(moment=moment, command=call(PROGRAM, host), seconds=SECONDS)


def _document(text: str) -> Node | None:
    try:
        return parse(text)
    except NotJson:
        return None


def among(pattern: Any, value: Any, host: str) -> bool:
    """Whether *value* has nothing that the *pattern* has not; it may have fewer moments."""
    if isinstance(pattern, dict) and isinstance(value, dict):
        return value.keys() <= pattern.keys() and all(
            among(pattern[key], one, host) for key, one in value.items()
        )
    if isinstance(pattern, list) and isinstance(value, list):
        return all(any(among(one, inner, host) for one in pattern) for inner in value)
    return alike(pattern, value, host)
