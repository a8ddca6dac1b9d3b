"""Paths that a tool call names: in its input, and in a PowerShell or cmd line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.frozen import thaw
from hookline.core.patch import is_patch, parse_patch
from hookline.hooks._paths.spelling import alternatives, plausible
from hookline.lazy import re
from hookline.shell import MAX_LINE, Word
from hookline.shell.options import word_set
from hookline.shell.windows import DIALECTS, split_parameters

PREFIX = "APPROVED:"
_CLAIM = re.compile(rf"((?:(?:/|[A-Za-z]:[/\\])(?:.*?[/\\])?)?){PREFIX}(.*)", re.DOTALL)
"""A path that claims approval: some hosts make it absolute before the hooks see it."""
_WITHOUT = word_set("shell powershell cmd agent question search")
"""Kinds of tools without fields that name a file to open."""
_WORD = re.compile(r"[A-Z]?[a-z]+")
_NAMES = word_set("path paths file files filename filenames folder folders dir directory directories uri")
_EXACTLY = word_set("source destination target notebook")
"""Words that mean a path only as the whole name of a field."""
_DATA = word_set("content contents text type size id count mode limit offset pattern url options")
_GLOBS = word_set("glob globs include")
_DEEPEST = 4
_MOST = 500
"""Maximum number of values of one input that are examined."""


class Field(NamedTuple):
    """A path in a tool's input."""

    text: str
    where: tuple[str | int, ...] = ()
    """The keys that lead to it; empty if it is a part of a longer text."""
    glob: bool = False

    @property
    def path(self) -> str:
        """The path without the prefix that claims approval."""
        claim = _CLAIM.fullmatch(self.text)
        if claim is None:
            return self.text
        folder, rest = claim.groups()
        return rest if rest.startswith(("/", "~", "\\")) or rest[1:2] == ":" else f"{folder}{rest}"

    @property
    def claimed(self) -> bool:
        """True if the agent claims that it is approved."""
        return _CLAIM.fullmatch(self.text) is not None


def fields(event: PreToolUse | PostToolUse) -> tuple[Field, ...]:
    """Return every path that the tool would open."""
    if event.kind in _WITHOUT:
        return ()
    found = dict.fromkeys(_named(event))
    return tuple(one for one in found if event.kind != "fetch" or one.path.lower().startswith("file:"))


def _named(event: PreToolUse | PostToolUse) -> Iterator[Field]:
    places = event.input_keys
    path, pattern = places.get("path", "path"), places.get("pattern", "pattern")
    if event.kind == "glob" and event.pattern:
        yield from _globbed(event.pattern, event.path or "", pattern)
    yield from (Field(part.path) for part in event.patch)
    budget = iter(range(_MOST))
    for key, value in event.input.items():
        skipped = (pattern, places.get("content", "content"))
        yield from _fields((key,), value, path=key == path, data=key in skipped, budget=budget)


def _globbed(pattern: str, folder: str, key: str) -> Iterator[Field]:
    """Yield each alternative of a glob pattern, except excluded ones."""
    for one in alternatives(pattern):
        if plausible(one) and not one.startswith("!"):
            rooted = one.startswith(("/", "~", "\\", PREFIX)) or one[1:2] == ":" or not folder
            yield Field(one if rooted else f"{folder}/{one}", (key,), glob=True)


def _fields(
    where: tuple[str | int, ...], value: Any, *, path: bool, data: bool, budget: Iterator[int]
) -> Iterator[Field]:
    if next(budget, None) is None or len(where) > _DEEPEST:
        return
    if isinstance(value, str):
        yield from _text(where, value, path=path, data=data)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _fields((*where, key), item, path=False, data=False, budget=budget)
    elif isinstance(value, Sequence):
        for index, item in enumerate(value):
            yield from _fields((*where, index), item, path=path, data=data, budget=budget)


def _text(where: tuple[str | int, ...], value: str, *, path: bool, data: bool) -> Iterator[Field]:
    if is_patch(value):
        yield from (Field(part.path) for part in parse_patch(value))
    if data or not plausible(value):
        return
    kind = "path" if path else _kind(where)
    if kind == "glob":
        yield from _globbed(value, "", str(where[-1]))
    elif kind == "path":
        yield Field(value.strip(), where)


def _kind(where: tuple[str | int, ...]) -> str:
    """Return "path", "glob" or an empty string, by the last name among the keys."""
    name = next((key for key in reversed(where) if isinstance(key, str)), "")
    words = {word.lower() for word in _WORD.findall(name)}
    if words & _GLOBS:
        return "glob"
    if name.lower() in _EXACTLY or (words & _NAMES and not words & _DATA):
        return "path"
    return ""


def stripped(given: Mapping[str, Any], fields: Sequence[Field]) -> Mapping[str, Any]:
    """Return the input with the prefix removed from these *fields*."""
    whole = thaw(given)
    for field in fields:
        inner = whole
        *way, last = field.where
        for key in way:
            inner = inner[key]
        inner[last] = field.path
    return dict(whole)


_READERS = word_set(
    """get-content gc cat type more select-string sls findstr find copy-item cp copy xcopy robocopy
    import-csv ipcsv import-clixml get-filehash format-hex compare-object diff invoke-item ii notepad code
    certutil expand-archive compress-archive get-childitem gci ls dir tree import-powershelldatafile
    set-content sc add-content ac out-file"""
)
"""Windows programs that open, copy, list or write the files in their arguments."""
_UNREAD = word_set(
    "write-output write-host echo set-location sl cd push-location test-path tp remove-item new-item rem"
)


def opened_files(code: str, shell: str, *, known: bool = False) -> Iterator[Word]:
    """Yield the arguments that may be files: those of *known* programs, or of all except `_UNREAD`."""
    if len(code) > MAX_LINE:
        return
    for argv in DIALECTS[shell](code):
        name = argv[0].text.lower().removesuffix(".exe").rpartition("\\")[2]
        if name in _READERS if known else name not in _UNREAD:
            yield from _split_files(split_parameters(argv[1:])[0] if "-" in name else argv[1:])


def _split_files(words: Sequence[Word]) -> Iterator[Word]:
    for word in words:
        if word.text == "|":
            return
        yield from (
            Word(text=text, span=word.span) for text in word.text.split(",") if text[:1] not in ("-", "/", "")
        )
