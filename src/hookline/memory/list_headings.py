"""Add to an item of a list what its heading says about it, because the item is stored alone."""

from __future__ import annotations

from hookline.language.pasted_text import NEGATING_MARKS
from hookline.language.segment import is_heading, strip_marks
from hookline.language.statements import Statement
from hookline.lazy import re

_NEGATING = re.compile(
    r"(?i)(?:things? to )?(?:never|avoid|do not|don['’]?ts?|not allowed|forbidden|banned|no-?gos?)"
    r"(?: do(?: this)?)?"
)
"""Heading of a list whose items are not wanted."""
_NEGATION = re.compile(
    r"(?i)(?!.*\bdo['’]?s\b).*\b(?:never|not|don['’]?ts?|mustn['’]?t|cannot|avoid|forbidden|banned|stop|without)\b"
    r"(?! (?:forget|negotiable|optional))"
)
"""Heading that may negate the items of its list."""
_COMPLETE = re.compile(
    r"(?i)(?:never|no|not|don['’]?t|do not|avoid)\b|(?:we|i|you|they|it)\b.*\b(?:never|not|\w+n['’]?t)\b"
)
"""Beginning of an item that says itself that something is not wanted."""
_SENTENCE = re.compile(r"(?i)(?:we|i|you|they|it|this|our|my|always|all|every|each|the|please)\b")
"""Beginning of a text before which `never` cannot stand."""
_PLACE = re.compile(
    r"(?i)(?:only )?(?:in|on|for|when|while|during|inside|under|before|after|at|if)\b"
    r"(?! (?:this|these|all|any|everything|now|short|context|example|reference|our|my|(?:the )?future)\b)"
)
"""Beginning of a heading that says where or when the items of its list hold."""
_CLAUSE_END = re.compile(r"[.,;!?]\s")
MAX_WORDS = 5
"""Words of a heading that is a place, and of a line without a colon or mark that counts as a heading."""


def add_heading(statement: Statement) -> str:
    """Return a statement with the negation or place of its heading; empty if its meaning is not clear."""
    text, heading = statement.text, strip_marks(statement.heading).rstrip(":\uff1a.! ")
    is_short = len(heading.split()) <= MAX_WORDS
    if heading in NEGATING_MARKS or _NEGATING.fullmatch(heading):
        if _COMPLETE.match(text):
            return text
        return f"never {text}" if statement.sentence.startswith(text) and not _SENTENCE.match(text) else ""
    if not is_short and not is_heading(statement.heading):
        return text
    *_, clause = _CLAUSE_END.split(heading)
    if _NEGATION.match(clause if " " in clause else heading) and not _COMPLETE.match(text):
        return ""
    return f"{heading}: {text}" if is_short and _PLACE.match(heading) else text
