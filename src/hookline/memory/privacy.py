"""Recognize personal data in a statement, which is never stored."""

from __future__ import annotations

from hookline.lazy import re

_MAIL = re.compile(
    r"(?i)(?<![\w.])(?!git@|noreply@|no-reply@)[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b"
)
_PHONE = re.compile(
    r"(?<![\w.:/#-])(?:\+\d{1,3}|\(?0\d{1,4}\)?)[\s./-]?\(?\d{1,5}\)?(?:[\s./-]?\d{2,5}){1,4}(?![\w.:-])"
)
_MIN_DIGITS = 8
"""Digits of a telephone number."""
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|\b\d{3}-\d{2}-\d{4}\b")
"""Number of a bank account or of a social insurance."""
_PRIVATE = re.compile(
    r"""(?ix)\b(?:
      (?:my|his|her|\w+['’]s)\ (?:ex-?)?(?:wife|husband|spouse|fianc[eé]e?|girlfriend|boyfriend|kids?
      |child(?:ren)?|sons?|daughters?|mother|father|mom|mum|dad|parents|brother|sister|grandm\w+|grandf\w+|baby|doctor
      |therap(?:y|ist)|psychiatrist|landlord|salary|mortgage|rent|debts?|divorce|pregnancy|diagnosis|medication
      |surgery|home\ address|date\ of\ birth|birthday|religion|marriage|wedding|funeral|illness)
    | (?:is|was|are|am|i['’]?m|s?he['’]s)\ (?:pregnant|(?:getting\ )?divorced|getting\ married|diabetic
      |depressed|sick|ill|hospitali[sz]ed|in\ (?:the\ )?hospital|in\ rehab)
    | diagnosed\ with|(?:sick|parental|maternity|paternity)\ leave|passed\ away|miscarriage
    | earns?\ [$€£]?\d|was\ fired\ for|born\ (?:on|in)\ \w*\s?\d
    )\b"""
)


def is_personal(text: str) -> bool:
    """Return whether a statement contains contact or account data, or a private matter of a person."""
    phones = (sum(character.isdigit() for character in match[0]) for match in _PHONE.finditer(text))
    return bool(
        _MAIL.search(text)
        or _ACCOUNT.search(text)
        or _PRIVATE.search(text)
        or any(digits >= _MIN_DIGITS for digits in phones)
    )
