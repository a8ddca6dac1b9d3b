"""Find `@@INJECT:` and `@@WARN:` in what a hook printed."""

import re

from msgspec import Struct

from hookline.response import Response

_DIRECTIVE = re.compile(r"@@(INJECT|WARN)[ \t]*:(.*)", re.IGNORECASE)


class Lines(Struct, frozen=True, kw_only=True):
    """What a text says in directives, and what is left of it without them."""

    said: Response
    rest: str
    any: bool


def directives(text: str) -> Lines:
    """A directive goes on until the next one or a blank line; it counts at the start of a line only."""
    found: list[tuple[str, list[str]]] = []
    rest: list[str] = []
    inside = rest
    for line in (line.removesuffix("\r") for line in text.split("\n")):
        if start := _DIRECTIVE.fullmatch(line):
            inside = [start[2]]
            found.append((start[1].upper(), inside))
        else:
            inside = inside if line.strip() else rest
            inside.append(line)
    said = Response(context=_texts(found, "INJECT"), warnings=_texts(found, "WARN"))
    return Lines(said=said, rest="\n".join(rest).strip(), any=bool(found))


def _texts(found: list[tuple[str, list[str]]], word: str) -> tuple[str, ...]:
    texts = ("\n".join(lines).strip() for which, lines in found if which == word)
    return tuple(text for text in texts if text)
