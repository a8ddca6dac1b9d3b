"""Split a prompt into sentences, and those into clauses of plain words, without quotations."""

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 20_000
"""Number of characters read at either end of a prompt; pasted text between them is not a request."""
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_RUN = re.compile(r"\b(run|execute|do|type|call)\s+`([^`\n]{1,200})`", re.IGNORECASE)
_QUOTED = re.compile(
    r"""`[^`\n]{1,400}` | "[^"\n]{1,400}" | “[^”\n]{1,400}” | (?<![\w'])'[^'\n]{1,400}'(?!\w) | https?://\S+""",
    re.VERBOSE,
)
_WHOLE = re.compile(r"""(["'`])(?:(?!\1).)*\1|“[^“”]*”""", re.DOTALL)
"""A prompt that is a single quotation, which counts as said."""
_DONE = {
    "shipped": "ship",
    "merged": "merge",
    "deployed": "deploy",
    "published": "publish",
    "released": "release",
}
_UNTIL_DONE = re.compile(rf"\b((?:stop|rest|quit) (?:until|till) you)(?:'ve| have) ({'|'.join(_DONE)})\b")
"""`don't stop until you've shipped it`, which means the same as `until you ship it`."""
_SENTENCE = re.compile(r"(?:[.!;…]+(?=\s|$)|[?\n])[?!.\s]*")
_CLAUSE = re.compile(r"\s*(?:[,()—–]|:(?=\s|$)|\s--?\s)\s*|\s+but\s+")
_WORD = re.compile(r"[a-z0-9#@+'/_-][a-z0-9#@+'/._-]*(?:\(\))?")
_STANDS_FOR = " quoted "


class Clause(NamedTuple):
    words: tuple[str, ...]
    end: str
    """The punctuation mark after it: `,` `:` `?` and so on, empty at the end of a plain sentence."""


class Sentence(NamedTuple):
    clauses: tuple[Clause, ...]
    question: bool


def sentences(prompt: str) -> Iterator[Sentence]:
    text = _plain(prompt)
    start = 0
    for found in _SENTENCE.finditer(text):
        yield _sentence(text[start : found.start()], question="?" in found.group())
        start = found.end()
    yield _sentence(text[start:], question=False)


def _plain(prompt: str) -> str:
    """Return the prompt in lower case, with straight apostrophes and a placeholder for each quotation."""
    text = prompt if len(prompt) <= 2 * LONGEST else f"{prompt[:LONGEST]}\n{prompt[-LONGEST:]}"
    text = text.strip().replace("’", "'").replace("‘", "'")
    if _WHOLE.fullmatch(text):
        text = text[1:-1]
    text = text.replace(" & ", " and ")
    text = _RUN.sub(r"\1 \2", _FENCED.sub("\n", text))
    return _UNTIL_DONE.sub(_to_do, _QUOTED.sub(_STANDS_FOR, text).lower())


def _to_do(found: re.Match[str]) -> str:
    return f"{found[1]} {_DONE[found[2]]}"


def _sentence(text: str, *, question: bool) -> Sentence:
    clauses = []
    start = 0
    for found in _CLAUSE.finditer(text):
        clauses.append(Clause(_words(text[start : found.start()]), found.group().strip()))
        start = found.end()
    clauses.append(Clause(_words(text[start:]), "?" if question else ""))
    return Sentence(tuple(clause for clause in clauses if clause.words), question)


def _words(text: str) -> tuple[str, ...]:
    found = (word.rstrip(".-/'_").lstrip("-'/_") for word in _WORD.findall(text))
    return tuple(word for word in found if word)
