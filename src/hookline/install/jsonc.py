"""JSON with comments: a parser that records positions, and edits that leave the rest of a text unchanged.

Comments, whitespace, order, number formats and line ends stay exactly as they are. Comments and trailing
commas are accepted only if the program that reads the file accepts them.

Settings may be huge, so the standard library's decoder parses the whole text, and positions are computed only
for the parts that are used.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from hookline.lazy import re
from hookline.policy.read_files import STRING_OR_COMMENT, blank_comments

MAX_DEPTH = 200
"""Levels of nesting that `describe_error` accepts."""
MAX_DIGITS = 4_000
"""Digits of a number; the standard library refuses to parse more than 4,300."""
SPACE = re.compile(r"[ \t\r\n]*")
BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')


class NotJson(ValueError):
    """A text that is not JSON; the message gives line and column."""


def describe_error(text: str, *, comments: bool) -> str:
    """Return the first error of *text*, with line and column."""
    validator = _Validator(text=text, blank=BLANK if comments else SPACE, allows_comments=comments)
    try:
        end = validator.skip_blank(validator.skip_value(validator.skip_blank(0), 0))
    except NotJson as error:
        return str(error)
    return str(validator.error(end, "unexpected text after the value"))


class _Validator(Struct, frozen=True, kw_only=True):
    """A parser that finds errors; each `skip_` method returns the end of the part that begins at *start*."""

    text: str
    blank: re.Pattern[str]
    allows_comments: bool

    def skip_blank(self, start: int) -> int:
        match = self.blank.match(self.text, start)
        return match.end() if match else start

    def error(self, position: int, problem: str) -> NotJson:
        if self.text.startswith(("//", "/*"), position):
            problem = "comments are not allowed here" if not self.allows_comments else "unclosed comment"
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        return NotJson(f"line {line}, column {column}: {problem}")

    def skip_value(self, start: int, depth: int) -> int:
        if depth > MAX_DEPTH:
            raise self.error(start, f"nesting exceeds {MAX_DEPTH} levels")
        char = self.text[start : start + 1]
        if char in ("{", "["):
            return self.skip_container(start, depth, "}" if char == "{" else "]")
        match = _STRING.match(self.text, start) or _SCALAR.match(self.text, start)
        if match is None:
            raise self.error(start, "a value is missing" if not char else f"unexpected {char!r}")
        if char != '"' and match.end() - start > MAX_DIGITS:
            raise self.error(start, f"a number exceeds {MAX_DIGITS:,} digits")
        return match.end()

    def skip_container(self, start: int, depth: int, closing: str) -> int:
        position = self.skip_blank(start + 1)
        while self.text[position : position + 1] != closing:
            if closing == "}":
                position = self.skip_key(position)
            position = self.skip_separator(self.skip_value(position, depth + 1), closing)
        return position + 1

    def skip_key(self, start: int) -> int:
        match = _STRING.match(self.text, start)
        if match is None:
            raise self.error(start, "a key in double quotes is missing")
        colon = self.skip_blank(match.end())
        if self.text[colon : colon + 1] != ":":
            raise self.error(colon, "':' is missing")
        return self.skip_blank(colon + 1)

    def skip_separator(self, start: int, closing: str) -> int:
        """Return the start of the next part, or the position of the *closing* bracket."""
        position = self.skip_blank(start)
        char = self.text[position : position + 1]
        if char == closing:
            return position
        if char != ",":
            raise self.error(position, f"',' or {closing!r} is missing")
        after = self.skip_blank(position + 1)
        if self.text[after : after + 1] == closing and not self.allows_comments:
            raise self.error(after, f"a value is missing between ',' and {closing!r}")
        return after


__all__ = [
    "Edit",
    "Node",
    "NotJson",
    "add_value",
    "addition_edits",
    "append_value",
    "apply_edits",
    "has_comment",
    "parse",
    "removal_edits",
    "remove_part",
    "replacement_edit",
    "text_between_parts",
]

_SPACE = re.compile(r"[ \t\r\n]*")
_GAP = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/|,", re.DOTALL)
_NEW_LINE = re.compile(r"[ \t]*,?[ \t\r]*\n")
_BLANKS = " \t\r\n"
_DEFAULT_INDENT = "  "
_MAX_WIDTH = 160


def _reject_constant(word: str) -> Any:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_reject_constant)


@dataclass(frozen=True, kw_only=True)
class Node:
    """One value and its position: `text[start:end]`."""

    start: int
    end: int
    value: Any
    """The value as `json.loads` returns it."""
    plain: str = field(default="", compare=False, repr=False)
    """The whole text, with comments and trailing commas replaced by spaces."""

    @property
    def keys(self) -> tuple["Node", ...]:
        """The keys of an object, in order; empty for other values."""
        return self._children[0]

    @property
    def parts(self) -> tuple["Node", ...]:
        """The values of an object or a list, in order."""
        return self._children[1]

    @cached_property
    def _children(self) -> tuple[tuple["Node", ...], tuple["Node", ...]]:
        keys, parts = list[Node](), list[Node]()
        if isinstance(self.value, dict | list):
            position = _skip_space(self.plain, self.start + 1)
            while position < self.end - 1:
                if isinstance(self.value, dict):
                    keys.append(_decode_node(self.plain, position))
                    position = _skip_space(self.plain, _skip_space(self.plain, keys[-1].end) + 1)
                parts.append(_decode_node(self.plain, position))
                position = _skip_space(self.plain, parts[-1].end)
                position = _skip_space(self.plain, position + 1) if self.plain[position] == "," else position
        return tuple(keys), tuple(parts)

    def at(self, *path: str | int) -> "Node | None":
        """Return the value at a path of keys and positions, or None; of duplicate keys, the last."""
        node = self
        for step in path:
            child = node._find(step)
            if child is None:
                return None
            node = child
        return node

    def _find(self, step: str | int) -> "Node | None":
        if isinstance(step, int):
            exists = isinstance(self.value, list) and step < len(self.parts)
            return self.parts[step] if exists else None
        matches = [part for key, part in zip(self.keys, self.parts, strict=False) if key.value == step]
        return matches[-1] if matches else None


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _decode_node(plain: str, start: int) -> Node:
    value, end = _DECODER.raw_decode(plain, start)
    return Node(start=start, end=end, value=value, plain=plain)


def parse(text: str, *, comments: bool = False) -> Node:
    """Return the root of *text*; raise `NotJson`."""
    plain = blank_comments(text) if comments else text
    try:
        node = _decode_node(plain, _skip_space(plain, 0))
        if _skip_space(plain, node.end) == len(text):
            return node
    except (ValueError, RecursionError):
        pass
    raise NotJson(describe_error(text, comments=comments))


class Edit(NamedTuple):
    """The replacement of `text[start:end]` by another text."""

    start: int
    end: int
    text: str = ""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return *text* with all of the *edits*, which must not overlap."""
    pieces, position = list[str](), 0
    for change in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += (text[position : change.start], change.text)
        position = change.end
    return "".join((*pieces, text[position:]))


def addition_edits(text: str, node: Node, values: Sequence[tuple[str | None, Any]]) -> Iterator[Edit]:
    """Yield the edits that append *values* to a list or, each under its key, to an object.

    Removing the values again with `removal_edits` restores the text, except for whitespace between the
    brackets of a list or object that was empty.
    """
    if not values:
        return
    outer, unit, first = _line_indent(text, node), _indent_unit(text), (node.keys or node.parts or (None,))[0]
    last_end = node.parts[-1].end if node.parts else node.start + 1
    tail = text[last_end : node.end - 1]
    is_multiline = first is not None and "\n" in text[node.start : first.start]
    on_new_line = first is None or is_multiline or "//" in tail
    inner = _line_indent(text, first) if first is not None and is_multiline else outer + unit
    newline = "\r\n" if "\r\n" in text else "\n"
    has_trailing_comma = bool(node.parts) and _find_comma(text, last_end) is not None
    if node.parts and not has_trailing_comma:
        yield Edit(last_end, last_end, ",")
    prefix = f"{newline}{inner}" if on_new_line else " "
    parts = (_format_part(key, value, unit, inner if on_new_line else None, newline) for key, value in values)
    position, new = last_end + len(tail.rstrip(_BLANKS)), ",".join(f"{prefix}{part}" for part in parts)
    closing = f"{newline}{outer}" if not tail.strip(_BLANKS) and "\n" not in tail and not node.parts else ""
    yield Edit(position, position, new + ("," if has_trailing_comma else closing))


def _format_part(key: str | None, value: Any, unit: str, indent: str | None, newline: str) -> str:
    formatted = _format_value(value, unit, indent, newline)
    return formatted if key is None else f"{json.dumps(key, ensure_ascii=False)}: {formatted}"


def add_value(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """Return *text* with *value* appended to the list *node* or, under *key*, to the object *node*."""
    return apply_edits(text, addition_edits(text, node, [(key, value)]))


def replacement_edit(text: str, node: Node, value: Any) -> Edit:
    """Return the edit that replaces *node* by *value*."""
    starts_line = text[text.rfind("\n", 0, node.start) + 1 : node.start].strip(_BLANKS) == ""
    newline, indent = "\r\n" if "\r\n" in text else "\n", _line_indent(text, node) if starts_line else None
    return Edit(node.start, node.end, _format_value(value, _indent_unit(text), indent, newline))


def _find_comma(text: str, start: int) -> int | None:
    """Return the position of the comma after a part that ends at *start*; None if there is none."""
    match = BLANK.match(text, start)
    position = match.end() if match else start
    return position if text[position : position + 1] == "," else None


def _line_indent(text: str, node: Node) -> str:
    """Return the whitespace at the beginning of the line of *node*."""
    start = text.rfind("\n", 0, node.start) + 1
    match = re.compile(r"[ \t]*").match(text, start)
    return match.group() if match else ""


def _indent_unit(text: str) -> str:
    """Return the whitespace of one level of indentation in this text."""
    match = re.search(r"\n([ \t]+)[\"{\[]", text)
    return match.group(1) if match else _DEFAULT_INDENT


def _format_value(value: Any, unit: str, indent: str | None, newline: str) -> str:
    """Return *value* on one line if it is short or *indent* is None, else with one part per line."""
    line = json.dumps(value, ensure_ascii=False)
    if (
        indent is None
        or len(indent) + len(line) <= _MAX_WIDTH
        or not value
        or not isinstance(value, dict | list)
    ):
        return line
    deeper = indent + unit
    if isinstance(value, list):
        parts, ends = [_format_value(item, unit, deeper, newline) for item in value], "[]"
    else:
        items = ((json.dumps(key, ensure_ascii=False), item) for key, item in value.items())
        parts, ends = [f"{key}: {_format_value(item, unit, deeper, newline)}" for key, item in items], "{}"
    return f"{ends[0]}{newline}{deeper}" + f",{newline}{deeper}".join(parts) + f"{newline}{indent}{ends[1]}"


def removal_edits(text: str, node: Node, positions: Collection[int]) -> Iterator[Edit]:
    """Yield the edits that remove the parts at these positions, with their keys and commas; comments stay."""
    kept = [index for index in range(len(node.parts)) if index not in positions]
    for position in sorted(positions):
        yield from _part_removal(text, node, position)
    last_index = len(node.parts) - 1
    if kept and kept[-1] != last_index and _find_comma(text, node.parts[last_index].end) is None:
        comma = _find_comma(text, node.parts[kept[-1]].end)
        if comma is not None:
            yield Edit(comma, comma + 1)


def _part_removal(text: str, node: Node, position: int) -> Iterator[Edit]:
    start, end = (node.keys or node.parts)[position].start, node.parts[position].end
    gap = text[node.parts[position - 1].end if position else node.start + 1 : start]
    tokens = [token for token in _GAP.findall(gap) if token.strip(_BLANKS)]
    # Text after a `//` comment must stay on a line of its own, or it would become part of the comment.
    after_comment = bool(tokens) and tokens[-1].startswith("//") and not _NEW_LINE.match(text, end)
    yield Edit(start if after_comment else start - len(gap) + len(gap.rstrip(_BLANKS)), end)
    comma = _find_comma(text, end)
    if comma is not None:
        yield Edit(comma, comma + 1)


def remove_part(text: str, node: Node, position: int) -> str:
    """Return *text* without the part at *position*, its key, and one of the commas around it."""
    return apply_edits(text, removal_edits(text, node, [position]))


def has_comment(text: str, node: Node) -> bool:
    """Return whether *node* contains a comment."""
    return any(token[0] == "/" for token in STRING_OR_COMMENT.findall(text, node.start, node.end))


def text_between_parts(text: str, node: Node) -> str:
    """Return the text of *node* outside of its keys and parts: whitespace, commas, colons and comments."""
    spans = sorted((child.start, child.end) for child in (*node.keys, *node.parts))
    starts = [node.start + 1, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), node.end - 1]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def append_value(text: str, path: Sequence[str], value: Any, *, comments: bool = False) -> str:
    """Return *text* with *value* appended to the list at *path*, which is created if it is missing."""
    node = parse(text, comments=comments)
    for depth, step in enumerate(path):
        if not isinstance(node.value, Mapping):
            raise NotJson(
                f"{'.'.join(path[:depth]) or 'the file'} is not an object, so no entry can be added"
            )
        child = node.at(step)
        if child is None:
            new_value: Any = [value]
            for key in reversed(path[depth + 1 :]):
                new_value = {key: new_value}
            return add_value(text, node, new_value, step)
        node = child
    if not isinstance(node.value, list):
        raise NotJson(f"{'.'.join(path)} is not a list, so no entry can be added")
    return add_value(text, node, value)
