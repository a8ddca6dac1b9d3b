"""JSON that people write: read with the place of every part, and changed without touching the rest.

Comments, odd whitespace, order, number formats and line ends stay exactly as they are. Comments and trailing
commas are part of the language only where the reader of the file allows them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 200
_SPACE = re.compile(r"[ \t\r\n]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_USUAL_INDENT = "  "
_WIDEST = 160


class NotJson(ValueError):
    """A text that is no JSON; the message names line and column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value, and where it stands: `text[start:end]`."""

    start: int
    end: int
    value: Any
    """What a parser of JSON would give."""
    keys: tuple["Node", ...] = ()
    """Of an object: its keys, in order, each with its place."""
    parts: tuple["Node", ...] = ()
    """Of an object or a list: its values, in order."""

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


def parse(text: str, *, comments: bool = False) -> Node:
    """The whole *text* as a tree; raises `NotJson`."""
    reader = _Reader(text, _BLANK if comments else _SPACE, trailing=comments)
    node = reader.value(reader.blank(0), 0)
    end = reader.blank(node.end)
    if end != len(text):
        raise reader.wrong(end, "nothing may follow here")
    return node


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    between: re.Pattern[str]
    trailing: bool = field(kw_only=True)

    def blank(self, at: int) -> int:
        found = self.between.match(self.text, at)
        return found.end() if found else at

    def wrong(self, at: int, what: str) -> NotJson:
        if self.text.startswith(("//", "/*"), at):
            what = "comments are not allowed here" if not self.trailing else "a comment has no end"
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return NotJson(f"line {line}, column {column}: {what}")

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.wrong(at, f"nested more than {DEEPEST} deep")
        sign = self.text[at : at + 1]
        if sign == "{":
            return self.object(at, depth)
        if sign == "[":
            return self.list(at, depth)
        found = _STRING.match(self.text, at) or _SCALAR.match(self.text, at)
        if found is None:
            raise self.wrong(at, "a value is missing" if not sign else f"{sign!r} begins no value")
        return Node(start=at, end=found.end(), value=json.loads(found.group()))

    def object(self, at: int, depth: int) -> Node:
        keys, parts, place = [], [], self.blank(at + 1)
        while self.text[place : place + 1] != "}":
            found = _STRING.match(self.text, place)
            if found is None:
                raise self.wrong(place, "a key in double quotes is missing")
            keys.append(Node(start=place, end=found.end(), value=json.loads(found.group())))
            colon = self.blank(found.end())
            if self.text[colon : colon + 1] != ":":
                raise self.wrong(colon, "':' is missing")
            parts.append(self.value(self.blank(colon + 1), depth + 1))
            place = self.next(parts[-1].end, "}")
        value = {key.value: part.value for key, part in zip(keys, parts, strict=True)}
        return Node(start=at, end=place + 1, value=value, keys=tuple(keys), parts=tuple(parts))

    def list(self, at: int, depth: int) -> Node:
        parts, place = list[Node](), self.blank(at + 1)
        while self.text[place : place + 1] != "]":
            parts.append(self.value(place, depth + 1))
            place = self.next(parts[-1].end, "]")
        return Node(start=at, end=place + 1, value=[part.value for part in parts], parts=tuple(parts))

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


def added(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """*text* with *value* put last into the list or, under *key*, into the object *node*."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer, unit, first = _indent(text, node), _unit(text), (node.keys or node.parts or (None,))[0]
    behind = node.parts[-1].end if node.parts else node.start + 1
    rest = text[behind : node.end - 1]
    wide = first is None or "\n" in text[node.start : first.start] or "//" in rest
    inner = _indent(text, first) if first and "\n" in text[node.start : first.start] else outer + unit
    said = _written(value, unit, inner if wide else None, newline)
    piece = said if key is None else f"{json.dumps(key, ensure_ascii=False)}: {said}"
    comma = "," if node.parts and _comma(text, behind) is None else ""
    kept = rest.rstrip()
    closing = (rest[len(kept) :] if "\n" in rest[len(kept) :] else f"{newline}{outer}") if wide else ""
    before = f"{newline}{inner}" if wide else " "
    return f"{text[:behind]}{comma}{kept}{before}{piece}{closing}{text[node.end - 1 :]}"


def _comma(text: str, at: int) -> int | None:
    """Where the comma stands that follows a part which ends *at*; None where none does."""
    found = _BLANK.match(text, at)
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


def removed(text: str, node: Node, place: int) -> str:
    """*text* without the part number *place* of *node*, its key, and one of the commas around it."""
    first, last = (node.keys or node.parts)[place].start, node.parts[place].end
    comma = _comma(text, last)
    if comma is not None:
        text = text[:comma] + text[comma + 1 :]
    elif place and (comma := _comma(text, node.parts[place - 1].end)) is not None:
        text = text[:comma] + text[comma + 1 :]
        first, last = first - 1, last - 1
    line, end = text.rfind("\n", 0, first) + 1, _line_end(text, last)
    if not text[line:first].strip() and not text[last:end].strip() and line > node.start:
        return text[:line] + text[end:]
    gap = re.compile(r"[ \t]*").match(text, last)
    return text[:first].rstrip(" \t") + text[gap.end() if gap and place else last :]


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


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
