"""JSON with comments: a parser that records positions, and edits that leave the rest of a text unchanged.

Comments, whitespace, order, number formats and line ends stay exactly as they are. Comments and trailing
commas are accepted only if the program that reads the file accepts them.

Settings may be huge, so the standard library's decoder parses the whole text, and positions are computed only
for the parts that are used.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

DEEPEST = 200
LONGEST = 4_000
"""Digits of a number; the library refuses to read more than 4,300."""
SPACE = re.compile(r"[ \t\r\n]*")
BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')


class NotJson(ValueError):
    """A text that is no JSON; the message names line and column."""


def complaint(text: str, *, comments: bool) -> str:
    """What is wrong with *text*, with line and column."""
    reader = _Reader(text=text, between=BLANK if comments else SPACE, trailing=comments)
    try:
        end = reader.blank(reader.value(reader.blank(0), 0))
    except NotJson as error:
        return str(error)
    return str(reader.wrong(end, "nothing may follow here"))


class _Reader(Struct, frozen=True, kw_only=True):
    """Each reads what begins at a place, and says where it ends."""

    text: str
    between: re.Pattern[str]
    trailing: bool

    def blank(self, at: int) -> int:
        found = self.between.match(self.text, at)
        return found.end() if found else at

    def wrong(self, at: int, what: str) -> NotJson:
        if self.text.startswith(("//", "/*"), at):
            what = "comments are not allowed here" if not self.trailing else "a comment has no end"
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return NotJson(f"line {line}, column {column}: {what}")

    def value(self, at: int, depth: int) -> int:
        if depth > DEEPEST:
            raise self.wrong(at, f"nested more than {DEEPEST} deep")
        sign = self.text[at : at + 1]
        if sign in ("{", "["):
            return self.inside(at, depth, "}" if sign == "{" else "]")
        found = _STRING.match(self.text, at) or _SCALAR.match(self.text, at)
        if found is None:
            raise self.wrong(at, "a value is missing" if not sign else f"{sign!r} begins no value")
        if sign != '"' and found.end() - at > LONGEST:
            raise self.wrong(at, f"a number of more than {LONGEST:,} digits")
        return found.end()

    def inside(self, at: int, depth: int, closing: str) -> int:
        place = self.blank(at + 1)
        while self.text[place : place + 1] != closing:
            if closing == "}":
                place = self.key(place)
            place = self.next(self.value(place, depth + 1), closing)
        return place + 1

    def key(self, at: int) -> int:
        found = _STRING.match(self.text, at)
        if found is None:
            raise self.wrong(at, "a key in double quotes is missing")
        colon = self.blank(found.end())
        if self.text[colon : colon + 1] != ":":
            raise self.wrong(colon, "':' is missing")
        return self.blank(colon + 1)

    def next(self, at: int, closing: str) -> int:
        """Where the next part begins, or the *closing* sign stands."""
        place = self.blank(at)
        sign = self.text[place : place + 1]
        if sign == closing:
            return place
        if sign != ",":
            raise self.wrong(place, f"',' or {closing!r} is missing")
        after = self.blank(place + 1)
        if self.text[after : after + 1] == closing and not self.trailing:
            raise self.wrong(after, f"a value is missing between ',' and {closing!r}")
        return after


__all__ = [
    "Edit",
    "Node",
    "NotJson",
    "added",
    "additions",
    "beside",
    "commented",
    "edited",
    "parse",
    "put",
    "removals",
    "removed",
    "replacement",
]

_SPACE = re.compile(r"[ \t\r\n]*")
_SAID = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=[ \t\r\n]*[}\]])', re.DOTALL)
_GAP = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/|,", re.DOTALL)
_NEW_LINE = re.compile(r"[ \t]*,?[ \t\r]*\n")
_WHITE = " \t\r\n"
_USUAL_INDENT = "  "
_WIDEST = 160


def _no_number(word: str) -> Any:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_no_number)


@dataclass(frozen=True, kw_only=True)
class Node:
    """One value, and where it stands: `text[start:end]`."""

    start: int
    end: int
    value: Any
    """What a parser of JSON would give."""
    plain: str = field(default="", compare=False, repr=False)
    """The whole text, with blanks where there are comments and commas that nothing follows."""

    @property
    def keys(self) -> tuple["Node", ...]:
        """Of an object: its keys, in order, each with its place."""
        return self._inside[0]

    @property
    def parts(self) -> tuple["Node", ...]:
        """Of an object or a list: its values, in order."""
        return self._inside[1]

    @cached_property
    def _inside(self) -> tuple[tuple["Node", ...], tuple["Node", ...]]:
        keys, parts = list[Node](), list[Node]()
        if isinstance(self.value, dict | list):
            at = _past(self.plain, self.start + 1)
            while at < self.end - 1:
                if isinstance(self.value, dict):
                    keys.append(_node(self.plain, at))
                    at = _past(self.plain, _past(self.plain, keys[-1].end) + 1)
                parts.append(_node(self.plain, at))
                at = _past(self.plain, parts[-1].end)
                at = _past(self.plain, at + 1) if self.plain[at] == "," else at
        return tuple(keys), tuple(parts)

    def at(self, *way: str | int) -> "Node | None":
        """The value that keys and positions lead to; of a key that stands there twice, the last."""
        node = self
        for step in way:
            found = node._find(step)
            if found is None:
                return None
            node = found
        return node

    def _find(self, step: str | int) -> "Node | None":
        if isinstance(step, int):
            there = isinstance(self.value, list) and step < len(self.parts)
            return self.parts[step] if there else None
        named = [part for key, part in zip(self.keys, self.parts, strict=False) if key.value == step]
        return named[-1] if named else None


def _past(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _node(plain: str, at: int) -> Node:
    value, end = _DECODER.raw_decode(plain, at)
    return Node(start=at, end=end, value=value, plain=plain)


def parse(text: str, *, comments: bool = False) -> Node:
    """The whole *text* as a tree; raises `NotJson`."""
    plain = _blanked(text) if comments else text
    try:
        node = _node(plain, _past(plain, 0))
        if _past(plain, node.end) == len(text):
            return node
    except (ValueError, RecursionError):
        pass
    raise NotJson(complaint(text, comments=comments))


def _blanked(text: str) -> str:
    """As long as *text*, without comments and trailing commas."""
    plain = _SAID.sub(_blank, text) if "/" in text else text
    return _COMMA.sub(lambda found: _trailing(plain, found), plain)


def _blank(found: re.Match[str]) -> str:
    return found[0] if found[0][0] == '"' else " " * len(found[0])


def _trailing(plain: str, found: re.Match[str]) -> str:
    if found[0] != ",":
        return found[0]
    at = found.start() - 1
    while at >= 0 and plain[at] in _WHITE:
        at -= 1
    return " " if at >= 0 and plain[at] not in "[{,:" else ","


class Edit(NamedTuple):
    """One place of a text that becomes another: `text[start:end]`."""

    start: int
    end: int
    text: str = ""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """*text* with all of the *edits*, none of which may reach into another."""
    pieces, at = list[str](), 0
    for one in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += (text[at : one.start], one.text)
        at = one.end
    return "".join((*pieces, text[at:]))


def additions(text: str, node: Node, values: Sequence[tuple[str | None, Any]]) -> Iterator[Edit]:
    """Put *values* last into the list or, each under its key, into the object *node*.

    Only what is put is new: taking it out again with `removals` leaves the text as it was, but for what stood
    between the brackets of a list or an object in which there was nothing.
    """
    if not values:
        return
    outer, unit, first = _indent(text, node), _unit(text), (node.keys or node.parts or (None,))[0]
    behind = node.parts[-1].end if node.parts else node.start + 1
    rest = text[behind : node.end - 1]
    lined = first is not None and "\n" in text[node.start : first.start]
    wide = first is None or lined or "//" in rest
    inner = _indent(text, first) if first is not None and lined else outer + unit
    newline = "\r\n" if "\r\n" in text else "\n"
    trailing = bool(node.parts) and _comma(text, behind) is not None
    if node.parts and not trailing:
        yield Edit(behind, behind, ",")
    before = f"{newline}{inner}" if wide else " "
    said = (_piece(key, value, unit, inner if wide else None, newline) for key, value in values)
    place, new = behind + len(rest.rstrip(_WHITE)), ",".join(f"{before}{one}" for one in said)
    closing = f"{newline}{outer}" if not rest.strip(_WHITE) and "\n" not in rest and not node.parts else ""
    yield Edit(place, place, new + ("," if trailing else closing))


def _piece(key: str | None, value: Any, unit: str, inner: str | None, newline: str) -> str:
    said = _written(value, unit, inner, newline)
    return said if key is None else f"{json.dumps(key, ensure_ascii=False)}: {said}"


def added(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """*text* with *value* put last into the list or, under *key*, into the object *node*."""
    return edited(text, additions(text, node, [(key, value)]))


def replacement(text: str, node: Node, value: Any) -> Edit:
    """*value* in the place of *node*."""
    lined = text[text.rfind("\n", 0, node.start) + 1 : node.start].strip(_WHITE) == ""
    newline, inner = "\r\n" if "\r\n" in text else "\n", _indent(text, node) if lined else None
    return Edit(node.start, node.end, _written(value, _unit(text), inner, newline))


def _comma(text: str, at: int) -> int | None:
    """Where the comma stands that follows a part which ends *at*; None where none does."""
    found = BLANK.match(text, at)
    place = found.end() if found else at
    return place if text[place : place + 1] == "," else None


def _indent(text: str, node: Node) -> str:
    """The whitespace with which the line of *node* begins."""
    start = text.rfind("\n", 0, node.start) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found.group() if found else ""


def _unit(text: str) -> str:
    """What one step of indentation is in this text."""
    found = re.search(r"\n([ \t]+)[\"{\[]", text)
    return found.group(1) if found else _USUAL_INDENT


def _written(value: Any, unit: str, inner: str | None, newline: str) -> str:
    """On one line where that is short enough to be read, else a part a line; without *inner* on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if inner is None or len(inner) + len(line) <= _WIDEST or not value or not isinstance(value, dict | list):
        return line
    deeper = inner + unit
    if isinstance(value, list):
        parts, signs = [_written(one, unit, deeper, newline) for one in value], "[]"
    else:
        named = ((json.dumps(key, ensure_ascii=False), one) for key, one in value.items())
        parts, signs = [f"{key}: {_written(one, unit, deeper, newline)}" for key, one in named], "{}"
    return f"{signs[0]}{newline}{deeper}" + f",{newline}{deeper}".join(parts) + f"{newline}{inner}{signs[1]}"


def removals(text: str, node: Node, places: Collection[int]) -> Iterator[Edit]:
    """Take the parts with these numbers out of *node*, with their keys and commas; comments stay."""
    kept = [number for number in range(len(node.parts)) if number not in places]
    for place in sorted(places):
        yield from _removal(text, node, place)
    last = len(node.parts) - 1
    if kept and kept[-1] != last and _comma(text, node.parts[last].end) is None:
        comma = _comma(text, node.parts[kept[-1]].end)
        if comma is not None:
            yield Edit(comma, comma + 1)


def _removal(text: str, node: Node, place: int) -> Iterator[Edit]:
    first, last = (node.keys or node.parts)[place].start, node.parts[place].end
    gap = text[node.parts[place - 1].end if place else node.start + 1 : first]
    words = [one for one in _GAP.findall(gap) if one.strip(_WHITE)]
    # What follows a comment to the end of its line must not become a part of it.
    swallowed = bool(words) and words[-1].startswith("//") and not _NEW_LINE.match(text, last)
    yield Edit(first if swallowed else first - len(gap) + len(gap.rstrip(_WHITE)), last)
    comma = _comma(text, last)
    if comma is not None:
        yield Edit(comma, comma + 1)


def removed(text: str, node: Node, place: int) -> str:
    """*text* without the part number *place* of *node*, its key, and one of the commas around it."""
    return edited(text, removals(text, node, [place]))


def commented(text: str, node: Node) -> bool:
    """Whether there is a comment somewhere inside of *node*."""
    return any(found[0] == "/" for found in _SAID.findall(text, node.start, node.end))


def beside(text: str, node: Node) -> str:
    """What stands in *node* besides its keys and parts: whitespace, signs and comments."""
    places = sorted((one.start, one.end) for one in (*node.keys, *node.parts))
    starts = [node.start + 1, *(end for _, end in places)]
    ends = [*(start for start, _ in places), node.end - 1]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def put(text: str, way: Sequence[str], value: Any, *, comments: bool = False) -> str:
    """*text* with *value* at the end of the list that *way* leads to; what is missing on the way is made."""
    node = parse(text, comments=comments)
    for depth, step in enumerate(way):
        if not isinstance(node.value, Mapping):
            raise NotJson(f"{'.'.join(way[:depth]) or 'the file'} is no object, so nothing can be put there")
        found = node.at(step)
        if found is None:
            missing: Any = [value]
            for key in reversed(way[depth + 1 :]):
                missing = {key: missing}
            return added(text, node, missing, step)
        node = found
    if not isinstance(node.value, list):
        raise NotJson(f"{'.'.join(way)} is no list, so nothing can be put there")
    return added(text, node, value)
