r"""Views of a text with its encodings undone: escapes, percent-encoding, entities, shell quoting, colours.

A view undoes one level of all of them: `%2541` and `\\u0041` need two. It shows only the lines with encodings
and some lines around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import MAX_CONTEXT, Replacement, View, build_view

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_SIGNS = ("\\", "'", '"', "%", "&", "\x1b", "`\n", "^\n", "`\r", "^\r")
"""Substrings; every encoding in an ASCII text contains one of them."""
_WORD_ENDS = " \t\r\n\"'`<>"
_HEX = "[0-9A-Fa-f]"
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " "}
_CONTROLS = {r"\n": "\n", r"\r": "\r", r"\t": "\t", r"\f": "\f", r"\v": "\v", r"\b": "\b", r"\e": "\x1b"}
_QUOTED_QUOTES = {"'\"'\"'": "'", "'\\''": "'"}  # in shells
_TEXTS = _ENTITIES | _CONTROLS | _QUOTED_QUOTES
"""Encodings of one character."""
_BASES = {r"\u": 16, r"\x": 16, r"\U": 16, "%": 16, "&#x": 16, "&#X": 16, "&#": 10, "\\": 8}
"""The base of the numbers in an encoding, by its first characters."""
_MAX_ASCII = 0x7F
_OTHER_CHARACTER = "\ufffd"
"""The character that is shown for every character that is not ASCII."""


def decode(text: str) -> View | None:
    """Return a view of *text* with its encodings undone; None if there are none."""
    if text.isascii() and not any(sign in text for sign in _SIGNS):
        return None
    found = [
        Replacement(*match.span(), _decode(match[0]))
        for match in _pattern().finditer(text)
        if match[0][0] != "`" or not _ends_code(text, match.start())
    ]
    if found and "%" in text and "+" in text:
        found = sorted((*found, *_find_form_blanks(text)))
    return build_view(text, found) if found else None


def _ends_code(text: str, position: int) -> bool:
    """Return whether the backtick at *position* ends code in Markdown rather than continues a line."""
    line_start = text.rfind("\n", max(0, position - MAX_CONTEXT), position) + 1
    return text.count("`", max(line_start, position - MAX_CONTEXT), position) % 2 == 1


def _find_form_blanks(text: str) -> Iterator[Replacement]:
    """Yield the plus signs in percent-encoded words; in forms they stand for blanks."""
    end = 0
    for match in _percent_pattern().finditer(text):
        if match.start() >= end:
            earliest = max(end, match.start() - MAX_CONTEXT)
            start = max(earliest, *(text.rfind(sign, earliest, match.start()) for sign in _WORD_ENDS))
            end = match.end()
            word = _word_pattern().match(text, end)
            end = word.end() if word else end
            yield from (Replacement(*plus.span(), " ") for plus in _plus_pattern().finditer(text, start, end))


def _decode(encoded: str) -> str:
    if encoded in _TEXTS:
        return _TEXTS[encoded]
    if encoded[0] in "\\`^" and "\n" in encoded:  # the rest of the line is on the next
        return " " if encoded[-1] in " \t" else ""
    if len(encoded) > 2 and encoded[0] in "\\%&":  # noqa: PLR2004 -- an escaped character has two
        base = next(base for start, base in _BASES.items() if encoded.startswith(start))
        return "".join(_show(int(code, base)) for code in _code_pattern().findall(encoded))
    return encoded[1] if encoded[0] == "\\" else ""


def _show(code: int) -> str:
    return chr(code) if code <= _MAX_ASCII else _OTHER_CHARACTER


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(f"[^{_WORD_ENDS}\\\\]+")


@cache
def _percent_pattern() -> re.Pattern[str]:
    return re.compile(f"%{_HEX}{{2}}")


@cache
def _plus_pattern() -> re.Pattern[str]:
    return re.compile(r"(?<!\\)\+")


@cache
def _code_pattern() -> re.Pattern[str]:
    return re.compile(f"{_HEX}+")


@cache
def _pattern() -> re.Pattern[str]:
    # Every alternative starts with a literal, so that the search skips quickly to possible starts.
    line_break = r"\r?\n[ \t]{0,80}"
    unicode = rf"\\u{_HEX}{{4}}"
    percent = f"%{_HEX}{{2}}"
    alternatives = (
        *_quote_patterns(),  # first, because quotes are the most frequent
        *(
            f"{unicode}(?:{unicode})*",
            rf"\\u\{{{_HEX}{{1,6}}\}}",
            rf"\\x{_HEX}{{2}}",
            rf"\\U{_HEX}{{8}}",
            r"\\[0-7]{3}",
        ),
        *(rf"\\{line_break}", r"\\[^\r\n]", f"`(?<!``){line_break}", rf"\^{line_break}"),
        *(f"{percent}(?:{percent})*", r"&#[0-9]{2,7};", rf"&#[xX]{_HEX}{{2,6}};"),
        *_ENTITIES,
        r"\x1b\[[0-9;]{0,32}[A-Za-z]",
        *_INVISIBLE,
    )
    return re.compile("|".join(alternatives))


def _quote_patterns() -> tuple[str, ...]:
    """Return the patterns of quotes that end one part of a shell's word and begin the next."""
    character, first = r"""[^\s"'`\\,;:=(){}\[\]<>|&]""", r"[\w$#]"
    contraction, string_prefix = r"(?:[dmst]|ll|re|ve)\b", r"""[\s=(,\[{:][rbfuRBFU]["']"""
    # One pattern for each mark: most quotes have neither a character before nor one after them.
    return (
        *(r"""'"'"'""", r"'\\''"),
        *(
            rf"""{mark}(?:(?<=\S{mark})\$?{other}(?={character})"""  # 'pa'"ss"
            rf"""|(?<={character}{mark})(?:{mark}(?={character})"""  # pa''ss
            rf"""|(?<!{string_prefix})(?!{contraction})(?={first})))"""  # pa'ss'
            for mark, other in ("'\"", "\"'")
        ),
        rf"""\$(?<={character}\$)["'](?={first})""",  # pa$'ss'
    )
