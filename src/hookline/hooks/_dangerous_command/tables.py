"""Tables of commands: a line names a program, the shape of its arguments and the rule that it breaks.

The words of a shape are:

- `a|b`, `delete-*`: a pattern for the next operand; after `...`, for any later operand
- `@delete`, `@cut`, `@reset`, `@strong`: a verb of that class among the next six operands
- `=device`: an operand of that sort
- `-f|--force`, `--method=DELETE`: a required option, with its value
- `!-n`: an option that must not be given
- `<disable*`: a pattern for the input without blanks and quotes: the standard input, or a file of the line

A `?` after the rule makes it ask, whatever the action of its pack is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from hookline.hooks._dangerous_command.rule import Action, Finding, Judge, Pack, Place
from hookline.lazy import re
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import word_set

_DELETE = word_set(
    """delete del destroy remove rm purge erase wipe drop terminate uninstall unregister revoke truncate flush
    deprovision deregister decommission nuke clear empty prune teardown undeploy unpublish unset deletion
    expire"""
)
_VERBS: Mapping[str, frozenset[str]] = {
    "@delete": _DELETE,
    "@cut": _DELETE
    | word_set(
        """stop kill shutdown poweroff suspend disable deactivate deallocate detach evict untag unsubscribe
        rollback off down"""
    ),
    "@reset": _DELETE | word_set("reset fresh refresh clean"),
    "@strong": word_set("destroy terminate deprovision decommission nuke teardown purge wipe"),
}
_HARMLESS = word_set(
    """get list ls describe show view logs log tail wait help info status diff search head inspect create add
    update apply set put invoke exec import copy cp send publish test trigger new
    generate make init plan"""
)
"""Verbs after which an operand is a name, not a subcommand."""
_OWN_SETTINGS = word_set(
    """config configure configuration configurations extension extensions plugin plugins
    alias component components completion telemetry cache auth"""
)
"""Operands before a verb that only changes the settings or the cache of the program itself."""
_DEPTH, _SHORT = 6, 3
"""Maximum number of operands among which a verb is searched; the second for programs that no table has."""
_ANY = ("*", "?", "[", "@", "=", "...")
_PARTS = re.compile(r"[-:_.]")
_SAFE = word_set(
    """--help -help --dry-run -dry-run --dryrun --dry_run --what-if --whatif --preview-only --preview
    --simulate --noop --pretend"""
)
_READ = 1_000
"""Maximum number of characters of the standard input, and of a file, that are examined."""
_IGNORED = re.compile(r"[\s\"'\0]+")
_NOT = frozenset({"false", "none", "no", "0"})


SEPARATOR = "\x1f"


class Row(NamedTuple):
    path: tuple[str, ...]
    needs: tuple[str, ...]
    bars: tuple[str, ...]
    reads: tuple[str, ...]
    rule: str
    action: Action | None


class Split(NamedTuple):
    operands: tuple[Word, ...]
    given: Mapping[str, str]
    """Each option with its values, separated by `SEPARATOR`; empty for an option without a value."""
    doubtful: frozenset[int] = frozenset()
    """Identities of the operands that may be the value of an unknown option before them."""


def table(
    pack: Pack,
    text: str,
    *,
    values: str = "",
    long: bool = False,
    sorts: Mapping[str, Callable[[str], bool]] | None = None,
    spares: Callable[[SimpleCommand, Split, Place], bool] = lambda command, split, place: False,
) -> Mapping[str, Judge]:
    """Return the judges of all programs that the lines of *text* name.

    *values* are options that take the next word. With *long*, `-name` is one option and not four letters.
    *spares* returns whether a command that matches a row is harmless.
    """
    rows, takes = _rows(text), word_set(values)

    def judge(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
        split = arguments(words, takes, long=long)
        leads = bool(words) and words[0].text.startswith("-")
        bare = (
            arguments(_skip_options(words), takes, long=long)._replace(given=split.given) if leads else split
        )
        if any(name in _SAFE and value.lower() not in _NOT for name, value in split.given.items()):
            return
        if split.operands and split.operands[0].text == "help":
            return
        own = rows.get(command.name, {})
        firsts = dict.fromkeys(one.operands[0].text for one in (split, bare) if one.operands)
        for row in (*(row for first in firsts for row in own.get(first, ())), *own.get("", ())):
            at = _fitting(row, split, sorts or {})
            at = _fitting(row, bare, sorts or {}) if at is None and leads else at
            reads = not row.reads or _matches(_find_input(command, place), row.reads)
            if at is not None and reads and not spares(command, split, place):
                yield pack.find(row.rule, command, at, row.action)
                return

    return dict.fromkeys(rows, judge)


def _find_input(command: SimpleCommand, place: Place) -> str:
    """Return the known input of *command*, or the words of the programs that print it."""
    sources = place.sources(command.stdin_origins)
    printed = (word.text for source in sources for word in source.words[1:])
    return _IGNORED.sub("", "\n".join((command.stdin[:_READ], command.script[:_READ], *printed)).lower())


def _skip_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return *words* without the options before the first operand, if each of them takes a value."""
    position = 0
    while position + 2 < len(words) and words[position].text.startswith("-"):
        position += 1 if "=" in words[position].text or words[position + 1].text.startswith("-") else 2
    return words[position:]


def _rows(text: str) -> Mapping[str, Mapping[str, list[Row]]]:
    """Return the rows of each program, by the first operand that they can match."""
    rows: dict[str, dict[str, list[Row]]] = {}
    for line in filter(None, map(str.split, text.strip().splitlines())):
        row = _row(line)
        for program in line[0].split("|"):
            for first in _firsts(row):
                rows.setdefault(program, {}).setdefault(first, []).append(row)
    return rows


def _firsts(row: Row) -> list[str]:
    """Return the first operands that *row* can match; an empty string stands for any."""
    first = row.path[0] if row.path else ""
    return [""] if any(sign in first for sign in _ANY) else first.split("|")


def _row(line: list[str]) -> Row:
    rest = line[1:-1]
    bars = tuple(word[1:] for word in rest if word.startswith("!"))
    needs = tuple(word for word in rest if word.startswith("-"))
    reads = tuple(one for word in rest if word.startswith("<") for one in word[1:].split("|"))
    path = tuple(word for word in rest if not word.startswith(("-", "!", "<")))
    rule = line[-1].removesuffix("?")
    return Row(path, needs, bars, reads, rule, "ask" if rule != line[-1] else None)


def arguments(words: tuple[Word, ...], takes: frozenset[str], *, long: bool = False) -> Split:
    """Split *words* into operands and options, in any order."""
    operands: list[Word] = []
    given: dict[str, str] = {}
    doubtful: set[int] = set()
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word.text == "--":
            operands += reversed(rest)
            break
        if not word.text.startswith("-") or word.text == "-":
            operands.append(word)
        else:
            taken = len(rest)
            _option(word.text, takes, rest, given, long=long)
            if rest and len(rest) == taken and word.text.startswith("--") and "=" not in word.text:
                doubtful.add(id(rest[-1]))
    return Split(tuple(operands), given, frozenset(doubtful))


def _option(text: str, takes: frozenset[str], rest: list[Word], given: dict[str, str], *, long: bool) -> None:
    if long or text.startswith("--"):
        name, equals, value = text.partition("=")
        _add(given, name, value if equals or name not in takes or not rest else rest.pop().text)
        return
    for position, letter in enumerate(text[1:], 2):
        name = "-" + letter
        if name in takes:
            _add(given, name, text[position:].removeprefix("=") or (rest.pop().text if rest else ""))
            return
        _add(given, name, text[position + 1 :] if text[position : position + 1] == "=" else "")


def _add(given: dict[str, str], name: str, value: str) -> None:
    given[name] = f"{given[name]}{SEPARATOR}{value}" if given.get(name) else value


def _fitting(row: Row, split: Split, sorts: Mapping[str, Callable[[str], bool]]) -> Word | None:
    """Return the operand that *row* matches, an empty word if it needs none, or None without a match."""
    if not all(_has(need, split.given) for need in row.needs):
        return None
    if any(_has(bar, split.given) for bar in row.bars):
        return None
    last: Word | None = Word(text="", span=(0, 0))
    rest = list(split.operands)
    for pattern in row.path:
        if pattern in _VERBS:
            last = _find_verb(rest, _VERBS[pattern], split.doubtful)
        else:
            last, rest = _step(pattern, rest, sorts)
        if last is None:
            return None
    return last


def _has(wanted: str, given: Mapping[str, str]) -> bool:
    for pattern, equals, value in (one.partition("=") for one in wanted.split("|")):
        if any(
            fnmatchcase(name, pattern)
            and (not equals or any(fnmatchcase(one, value.upper()) for one in found.upper().split(SEPARATOR)))
            for name, found in given.items()
        ):
            return True
    return False


def _step(
    pattern: str, rest: list[Word], sorts: Mapping[str, Callable[[str], bool]]
) -> tuple[Word | None, list[Word]]:
    """Return the operand that *pattern* matches, and those after it."""
    if pattern.startswith("="):
        sort = sorts[pattern[1:]]
        return next((word for word in rest if sort(word.text)), None), rest
    if pattern.startswith("..."):
        wanted = pattern[3:].split("|")
        place = next((p for p, word in enumerate(rest) if _matches(word.text, wanted)), None)
        return (None, rest) if place is None else (rest[place], rest[place + 1 :])
    if rest and _matches(rest[0].text, pattern.split("|")):
        return rest[0], rest[1:]
    return None, rest


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _find_verb(rest: list[Word], verbs: frozenset[str], doubtful: frozenset[int]) -> Word | None:
    """Return the operand that names a subcommand of a class of verbs: `delete-stack`, `apps:destroy`."""
    names = False
    for word in rest[: _SHORT if verbs is _VERBS["@strong"] else _DEPTH]:
        low = word.text.lower()
        if low in verbs:
            return word
        if names or low in _OWN_SETTINGS:
            return None
        parts = _PARTS.split(low) if low[:1].isalpha() and "/" not in low and "@" not in low else [low]
        names = parts[0] in _HARMLESS or parts[0] == "cache"
        if not names and id(word) not in doubtful and not verbs.isdisjoint(parts):
            return word
    return None
