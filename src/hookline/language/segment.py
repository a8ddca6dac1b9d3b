"""Split a text into sentences and clauses, and a prompt into those of the person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from hookline.language.pasted_text import (
    ITEM,
    NEGATING_MARKS,
    find_fenced,
    find_typed_lines,
    mask_quotations,
)
from hookline.lazy import re

MAX_TYPED, END = 4_000, 1_000
"""Length in characters from which a prompt counts as pasted, and of each end that counts as typed."""
MAX_PARSED = 100_000
"""Characters of each end of a prompt in which pasted text is recognized."""
MAX_SENTENCE = 1_200
"""Characters of a sentence that are read."""


class Sentence(NamedTuple):
    """A sentence of the person's own words."""

    text: str
    start: int
    """Position of the text in the prompt."""
    heading: str
    """The line that introduces the list of which this sentence is an item, or an empty string."""
    pasted: bool
    """True if pasted text precedes it in the prompt."""


_HEADING = re.compile(r"#.+|\*\*[^*]+\*\*|.+(?::|:\*\*|\uff1a)")
_STOP = re.compile(r"(?:(?<![.!?…])[.!?…]+[\"')\]]*|;|:[)(DPp]|\x04)(?=\s|$)|(?<=[^\s!?])[!?]+(?=[A-Za-z])")
_STOP_OR_DASH = re.compile(rf"{_STOP.pattern}|\s[–—]\s|\s--?\s")
_CUT = re.compile(
    r"(?<=[,:)])\s+|\s+(?=\()|\s+(?=(?i:and|so|but|because|cause|cuz|then|also|plus|please|pls|plz|meanwhile|"
    r"anyway|thanks|thx|btw|(?:um|uh|ok|okay|now) (?:can|could|please|i|the|we|you)|(?:can|could|would|will) "
    r"(?:you|u|we)|i want|i need|just [a-z]+|i will|i'll|ill|i know)\b)"
)
_JOINT = re.compile(r"(?i)(?:and|so|but|then|also|plus|ok|okay|um|uh|now|yes|no|well|please|pls|[,:]|\s)*")
"""Words that are not a clause of their own."""
_NO_STOP = re.compile(
    r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|approx|resp|incl|dr|mr|mrs|nr|fig|sec|ca|cf|al|inc|v)|\.)$"
)


def find_sentences(prompt: str) -> list[Sentence]:
    """Return the sentences of the person's own words, in their order; of a long prompt, only at both ends."""
    if len(prompt) <= MAX_TYPED:
        return _split_text(prompt, 0, [(0, len(prompt))])
    head, tail = prompt.rfind("\n", 0, END), len(prompt) - END
    head, tail = head if head > 0 else END, prompt.find("\n", tail, len(prompt.rstrip())) + 1 or tail
    if len(prompt) <= MAX_PARSED:
        return _split_text(prompt, 0, [(0, head), (tail, len(prompt))])
    last = len(prompt) - MAX_PARSED
    fenced = find_fenced(prompt[:last].split("\n"))[-1]
    return [
        *_split_text(prompt[:MAX_PARSED], 0, [(0, head)]),
        *_split_text("```" * fenced + prompt[last + 3 * fenced :], last, [(tail, len(prompt))]),
    ]


def _split_text(text: str, position: int, windows: Iterable[tuple[int, int]]) -> list[Sentence]:
    """Return the sentences of the *windows* of a prompt, of which the *text* begins at a *position*."""
    sentences: list[Sentence] = []
    pasted, headings = False, _Headings()
    for at, line, typed in find_typed_lines(text):
        if not typed:
            pasted, headings = True, _Headings()
            continue
        item, heading = ITEM.match(line), headings.read(line)
        start = position + at
        for window in windows:
            begin, end = (min(max(place - start, 0), len(line)) for place in window)
            begin = item.end() if item and not begin else begin
            sentences += [
                Sentence(line[first:last][:MAX_SENTENCE], start + first, heading, pasted)
                for first, last in _split_line(line[:end], _STOP, begin)
            ]
    return sentences


class _Headings:
    """The lines above the lists of a text, which is read line by line."""

    def __init__(self) -> None:
        self._outer = self._inner = ""
        self._indent = -1
        """Indentation of the item that is the heading of items below it; -1 if there is none."""

    def read(self, line: str) -> str:
        """Return the heading of a line if this is an item, or its mark if that negates it."""
        item, indent = ITEM.match(line), len(line) - len(line.lstrip())
        if not item:
            if not indent:  # otherwise, the line continues an item
                self._outer, self._indent = line.strip(), -1
            return ""
        self._indent = self._indent if indent > self._indent else -1
        heading = self._inner if self._indent >= 0 else self._outer
        if is_heading(line):
            self._inner, self._indent = line.strip(), indent
        mark = item[0].strip()
        return mark if mark in NEGATING_MARKS else heading


def split_sentences(text: str) -> list[str]:
    """Return all sentences of a text of any author, without code blocks, tables and the marks of lines."""
    lines = [strip_marks(line) for line in _drop_fenced(text) if not line.startswith("|")]
    return [line[begin:end] for line in lines for begin, end in _split_line(line, _STOP_OR_DASH)]


def read_message(text: str) -> list[tuple[str, int | None]]:
    """Return the sentences and headings of an agent's message, each with the number of its heading."""
    sentences, heading = list[tuple[str, int | None]](), None
    for line in _drop_fenced(text):
        plain = strip_marks(line)
        if plain and is_heading(line):
            heading = len(sentences)
            sentences.append((plain, None))
        elif plain and not line.startswith("|"):
            heading = heading if is_item(line) or heading == len(sentences) - 1 else None
            sentences += [
                (plain[begin:end][:MAX_SENTENCE], heading) for begin, end in _split_line(plain, _STOP_OR_DASH)
            ]
    return sentences


def _drop_fenced(text: str) -> list[str]:
    lines = text.split("\n")
    return [line for line, fenced in zip(lines, find_fenced(lines), strict=True) if not fenced]


def is_heading(line: str) -> bool:
    """Return whether a line only introduces the lines below it."""
    return _HEADING.fullmatch(line.strip()) is not None


def strip_marks(line: str) -> str:
    """Return a line without the marks of a list, heading or emphasis."""
    plain = line.replace("**", "").strip().lstrip("# ")
    item = ITEM.match(plain)
    return plain[item.end() :] if item else plain


def is_item(line: str) -> bool:
    """Return whether a line is an item of a list."""
    return ITEM.match(line) is not None


def split_clauses(text: str) -> list[str]:
    """Return the clauses of all sentences of a text; each begins with its conjunction."""
    return [
        sentence[begin:end].strip()
        for sentence in split_sentences(text)
        for begin, end in pairwise([0, *find_cuts(sentence), len(sentence)])
    ]


def find_cuts(text: str) -> list[int]:
    """Return the positions in a sentence at which a new clause may begin, outside quotations."""
    masked = mask_quotations(text)
    cuts, last = [], 0
    for match in _CUT.finditer(masked):
        if _JOINT.fullmatch(masked[last : match.start()]):
            last = match.start()
        else:
            last = match.end()
            cuts.append(last)
    return cuts


def _split_line(line: str, stops: re.Pattern[str], start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences of a line, which end at *stops* outside quotations."""
    masked = mask_quotations(line)
    begin = start
    for stop in stops.finditer(masked, start):
        if _NO_STOP.search(masked[begin : stop.start()][-8:]) and stop[0].startswith("."):
            continue
        yield from _trimmed(line, begin, stop.end() if stop[0].strip(" -–—") else stop.start())
        begin = stop.end()
    yield from _trimmed(line, begin, len(line))


def _trimmed(line: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    text = line[begin:end]
    begin += len(text) - len(text.lstrip())
    end = begin + len(text.strip())
    if re.search(r"\w", line[begin:end]):
        yield begin, end
