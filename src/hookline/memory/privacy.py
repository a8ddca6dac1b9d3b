"""Recognize personal data in a statement, which is never stored."""

from __future__ import annotations

from hookline.lazy import re

PERSONAL_DATA_MESSAGE = "personal data is not stored: remove addresses, numbers and private matters"

_MAIL = re.compile(
    r"""(?ix)(?<![\w.+-])
    (?!(?:git|no-?reply|admin|root|users?|tests?|ci|devs?|ops|devops|info|help|hello|contact|security|abuse
      |on-?call|billing|sales|office|maintainers?|postmaster|webmaster
      |(?:[\w.+-]*[.+-])?(?:team|bot|list|alerts?|support))@)
    [\w.+-]+@(?!\d+\.\d)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b"""
)
"""Mail address of a person; those of roles and programs are not personal."""
_PHONE = re.compile(
    r"(?<![\w.:/#-])(?:(?:\+\d{1,3}|\(?0\d{1,4}\)?)[\s./-]?\(?\d{1,5}\)?(?:[\s./-]?\d{2,5}){1,4}"
    r"|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\w.:-])"
)
_MIN_DIGITS = 8
"""Digits of a telephone number."""
_ACCOUNT = re.compile(
    r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|\b\d{3}-\d{2}-\d{4}\b"
    r"|\b\d{4}([ -])\d{4}\1\d{4}\1\d{4}\b"
)
"""Number of a bank account, of a social insurance or of a credit card."""
_POSTAL = re.compile(
    r"""(?x)\b[A-ZÀ-Ý][\w.’'-]*(?:\ [\w.’'-]+){0,3}\ \d{1,4}\ ?[a-z]?,(?:[^,.\n]{1,20},)?
      \ (?:[A-Z]{1,2}-)?(?!(?:19|20)\d\d\b)\d{4,5}(?:-\d{3,4})?\ [A-ZÀ-Ý]
    | \b\d{1,4}[a-z]?\ (?:[A-ZÀ-Ý][\w’'-]+\ ){1,3}(?:Street|St|Road|Rd
      |Avenue|Ave|Lane|Drive|Boulevard|Blvd)\b"""
)
"""Postal address: a street with a number before a postal code, or a number before a street."""
_NAME = r"(?-i:[A-ZÀ-Ý][^\W\d_]+)"
_PRIVATE = re.compile(
    rf"""(?ix)\b(?:
      (?:my|his|her|{_NAME}['’]s)\ (?:ex-?)?(?:wife|husband|spouse|fianc[eé]e?|girlfriend|boyfriend
      |mother|father|mom|mum|dad|brother|sister|grandm\w+|grandf\w+|doctor|therap(?:y|ist)|psychiatrist|landlord
      |salary|mortgage|rent|debts?|divorce|pregnancy|diagnosis|medication|surgery
      |home\ address|date\ of\ birth|birthday|religion|marriage|wedding|funeral|illness|disability)
    | my\ child(?:ren)?|(?:my|his|her)\ (?:kids?|sons?|daughters?|parents|baby)
    | (?:i|he|she|{_NAME})(?:['’][ms]|\ (?:am|is|was|has|have|had))\ (?:dyslexic
      |depressed|depression|autistic|adhd|gay
      |lesbian|bisexual|trans(?:gender)?|sick(?!\ of)|ill|in\ (?:the\ )?hospital|in\ (?:rehab|custody|prison)
      |cancer|(?:on\ )?chemo(?:therapy)?|epilepsy|hiv)
    | (?:is|was|are|am)\ (?:pregnant|divorced|getting\ (?:divorced|married)|diabetic|hospitali[sz]ed)
    | diagnosed\ with|(?:sick|parental|maternity|paternity)\ leave|passed\ away|miscarriage|antidepressants
    | earns?\ [$€£]?\d\w*|was\ fired\ for|born\ (?:on|in)\ \w*\s?\d
    )\b"""
)


def is_personal(text: str) -> bool:
    """Return whether a statement contains contact or account data, or a private matter of a person."""
    phones = (sum(character.isdigit() for character in match[0]) for match in _PHONE.finditer(text))
    return bool(
        _MAIL.search(text)
        or _ACCOUNT.search(text)
        or _POSTAL.search(text)
        or _PRIVATE.search(text)
        or any(digits >= _MIN_DIGITS for digits in phones)
    )
