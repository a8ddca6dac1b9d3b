"""Add to an item of a list what the heading says about it, because the item is stored alone."""

from __future__ import annotations

from hookline.language.segment import strip_marks
from hookline.lazy import re

_NEGATING = re.compile(
    r"(?i)(?:things? to )?(?:never|avoid|do not|don['’]?ts?|not allowed|forbidden|banned|no-?gos?)"
    r"(?: do(?: this)?)?"
)
"""Heading of a list whose items are not wanted."""
_NEGATED = re.compile(r"(?i)(?:never|not?|(?:don|can|shouldn|mustn)['’]?t|do not|avoid)\b")
"""Beginning of an item that says itself that something is not wanted."""
_LIMITING = re.compile(
    r"(?i)(?:only )?(?:in|on|for|when|while|during|inside|under|before|after|at|with|if)\b"
    r"(?! (?:this|these|all|any|everything|now|future|our|my|the future)\b)"
    r"|(?!.*\bdo['’]?s\b).*\b(?:never|not?|(?:don|can|shouldn|mustn)['’]?t|cannot|avoid|without|except)\b"
)
"""Heading that says where or when the items of its list hold, or changes their meaning in another way."""
_CLAUSE_END = re.compile(r"[.,;!?]\s")


def add_heading(heading: str, text: str) -> str:
    """Return an item of a list with what its heading adds to it: a negation, or where it holds."""
    plain = _CLAUSE_END.split(strip_marks(heading).rstrip(":\uff1a "))[-1]
    if _NEGATING.fullmatch(plain):
        return text if _NEGATED.match(text) else f"never {text}"
    return f"{plain}: {text}" if _LIMITING.match(plain) else text
