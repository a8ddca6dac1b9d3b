"""Why a text is no JSON, and where: asked for only where it could not be read."""

import re

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
