"""Hashed features of a sentence: its words, their classes, its neighbours and its position."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from hookline.language.pasted_text import mask_quotations
from hookline.lazy import re

MAX_WORDS, MAX_NEIGHBOUR = 40, 8
"""Words of a clause, and of each neighbour, that become features."""

_WORD = re.compile(r"[\x01-\x04]+|[^\W_][\w'’./@#+:=-]*[^\W_]|[^\W_]|[,:?!]")
_PARTS = re.compile(r"(?:'|’)(re|ve|ll|d|m)$")
_WHOLE = {"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
_SPELLINGS = {
    "im": "i am", "ive": "i have", "youre": "you are", "u": "you", "ur": "your", "weve": "we have",
    "theyre": "they are", "pls": "please", "plz": "please", "plaese": "please", "dont": "do not",
    "doesnt": "does not", "didnt": "did not", "cant": "can not", "cannot": "can not", "wont": "will not",
    "isnt": "is not", "arent": "are not", "wasnt": "was not", "shouldnt": "should not", "its": "it is",
    "thats": "that is", "lets": "let us", "theres": "there is", "whats": "what is", "gonna": "going to",
    "wanna": "want to", "w": "with", "w/o": "without", "bc": "because", "cuz": "because", "cause": "because",
    "coz": "because", "rn": "right now", "tmrw": "tomorrow", "thx": "thanks", "ty": "thanks",
    "everytime": "every time", "alot": "a lot", "havent": "have not", "hasnt": "has not",
    "wouldnt": "would not", "couldnt": "could not", "mustnt": "must not", "aint": "is not",
    "gotta": "have to", "til": "until", "till": "until",
    "repository": "repo", "codebase": "repo", "ok": "okay", "k": "okay",
}  # fmt: skip
_FUNCTION_WORDS = frozenset(
    """the a an is are was we i you it to of in on for with and or but not do does please use this that
    our my your if be have has will can should always never no from at by as so when all only he she
    they them us me his her their what which who why how there here now then than too very just also
    more most any each every some such up out off over into until before after again still yet ever
    once must may might could would need want like get go let make keep put take say said says think
    know see did done been being am were had having where while because though although either
    neither both nor about between under against without within instead rather""".split()
)
_SYMBOLS = {"\x01": "<code>", "\x02": "<quote>", "\x03": "<url>"}
_SUFFIXES = ("ing", "ed", "ly", "tion", "er", "s")
_INFLECTIONS = ("ing", "ed", "es", "s")
_COARSE = re.compile(r"(?<=^[A-Z])\.[a-z]+")
_KINDS = Path(__file__).parent / "word_classes.txt"
"""Kinds of words; a line has a kind and its words."""


class Clause(NamedTuple):
    """A sentence with its words, and those of the heading above it."""

    text: str
    words: tuple[str, ...]
    heading: tuple[str, ...] = ()


def spell_words(text: str) -> tuple[str, ...]:
    """Return the words of *text* in one spelling; names and numbers keep their form."""
    return tuple(_normalized(_WORD.findall(mask_quotations(text)[: MAX_WORDS * 12])))


def _normalized(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        symbol = _SYMBOLS.get(word[0])
        if symbol:
            yield symbol
            continue
        base, *rest = _PARTS.split(word)
        plain = base.replace("'", "").replace("’", "")
        yield from _SPELLINGS.get(plain.lower(), plain).split()
        if rest:
            yield _WHOLE[rest[0]]


def _shape(word: str) -> str:
    """Return the class of a word that the vocabulary does not contain."""
    if word[0].isdigit():
        return "<number>"
    if any(c in "/_.@#=" for c in word) or (word[1:] != word[1:].lower() and not word.isupper()):
        return "<name>"
    if word.isupper() and len(word) > 1:
        return "<capitals>"
    if word[0].isupper():
        return "<Capital>"
    lower = word.lower()
    return next((f"<{suffix}>" for suffix in _SUFFIXES if lower.endswith(suffix)), "<word>")


def to_classes(words: Sequence[str], vocabulary: Container[str]) -> list[str]:
    """Return the words in lower case, and the class of each word outside the *vocabulary*."""
    return [low if (low := word.lower()) in vocabulary or word[0] == "<" else _shape(word) for word in words]


def hash_clause(clauses: Sequence[Clause], number: int, vocabulary: frozenset[str]) -> list[int]:
    """Return the hashed features of a clause among its neighbours."""
    own = hash_words(clauses[number].words, vocabulary)
    return own + _hash_context(clauses, number, vocabulary)


@lru_cache(maxsize=256)
def hash_words(words: tuple[str, ...], vocabulary: frozenset[str]) -> list[int]:
    """Return the hashed features of words alone, cached because messages repeat sentences."""
    words = words[:MAX_WORDS]
    lower = [word.lower() for word in words]
    features = [f"w {word}" for word in lower]
    features += _chain(to_classes(words, vocabulary))
    features += _kinds(words)
    features += _characters(words, vocabulary)
    return hash_features(features)


def _hash_context(clauses: Sequence[Clause], number: int, vocabulary: frozenset[str]) -> list[int]:
    features = _position(clauses, number)
    for name, other in (("p", number - 1), ("n", number + 1)):
        if 0 <= other < len(clauses):
            features += _neighbour(name, clauses[other], vocabulary)
        else:
            features.append(f"{name} none")
    heading = to_classes(clauses[number].heading[:MAX_NEIGHBOUR], vocabulary)
    return hash_features([*features, *(f"h {word}" for word in heading)])


def hash_features(features: Iterable[str]) -> list[int]:
    """Return a number for each feature, the same in every process."""
    return [crc32(name.encode(errors="replace")) for name in dict.fromkeys(features)]


def _chain(classes: Sequence[str]) -> list[str]:
    row = ["^", *classes, "$"]
    pairs = [f"{a} {b}" for a, b in pairwise(row)]
    threes = [f"{a} {b} {c}" for a, b, c in zip(row, row[1:], row[2:], strict=False)]
    skips = [f"{a} _ {b}" for a, b in zip(row, row[2:], strict=False)]
    starts = [f"^{position} {word}" for position, word in enumerate(classes[:4])]
    return [*classes, *pairs, *threes, *skips, *starts]


def _kinds(words: Sequence[str]) -> list[str]:
    """Return runs of function words and kinds of words, and pairs of function words in order."""
    fine = ["^", *map(find_kind, words), "$"]
    coarse = [_COARSE.sub("", kind) for kind in fine]
    runs = [f"a {kind}" for kind in fine]
    runs += [f"a {a} {b}" for a, b in pairwise(fine)]
    runs += [f"a {a} {b} {c}" for a, b, c in zip(fine, fine[1:], fine[2:], strict=False)]
    threes = [f"b {a} {b} {c}" for a, b, c in zip(coarse, coarse[1:], coarse[2:], strict=False)]
    runs += threes + [f"{three} {kind}" for three, kind in zip(threes, coarse[3:], strict=False)]
    known = [kind for kind in fine if kind in _FUNCTION_WORDS]
    return runs + [f"f {a} {b}" for at, a in enumerate(known) for b in known[at + 1 : at + 6]]


@lru_cache(maxsize=4096)
def find_kind(word: str) -> str:
    """Return a function word or mark itself, and the kind of any other word, with its inflection."""
    lower, kinds = word.lower(), _word_kinds()
    if lower in _FUNCTION_WORDS or not lower[0].isalnum():
        return lower
    if lower in kinds:
        return kinds[lower]
    for suffix, stem in ((suffix, lower.removesuffix(suffix)) for suffix in _INFLECTIONS):
        base = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
        kind = kinds.get(stem) or kinds.get(f"{stem}e") or kinds.get(base)
        if stem != lower and kind:
            return f"{kind}+{suffix}" if kind[0] == "V" else kind
    return _shape(word)


@cache
def _word_kinds() -> dict[str, str]:
    rows = (line.split() for line in _KINDS.read_text(encoding="utf-8").splitlines())
    return {word: kind for kind, *words in rows for word in words}


def _characters(words: Sequence[str], vocabulary: Container[str]) -> list[str]:
    unknown = [word.lower() for word in words if word.lower() not in vocabulary and word.isalpha()][:8]
    return [f"c {f'^{word}$'[at : at + 4]}" for word in unknown for at in range(min(len(word) - 1, 8))]


def _neighbour(name: str, clause: Clause, vocabulary: Container[str]) -> list[str]:
    classes = to_classes(clause.words[:MAX_NEIGHBOUR], vocabulary)
    pairs = [f"{name}2 {a} {b}" for a, b in zip(["^", *classes[:3]], classes[:3], strict=False)]
    end = clause.text.rstrip()[-1:]
    kinds = [find_kind(word) for word in clause.words[:2]]
    kind = [f"{name}a {' '.join(kinds)}", f"{name}a1 {''.join(kinds[:1])}"]
    mark = f"{name}$ {end if not end.isalnum() else 'a'}"
    return [*(f"{name} {word}" for word in classes), *pairs, *kind, mark]


def _position(clauses: Sequence[Clause], number: int) -> list[str]:
    clause, count = clauses[number], len(clauses)
    end = clause.text.rstrip()[-1:]
    marks = {
        f"end {end if not end.isalnum() else 'a'}": True,
        "first": number == 0,
        "last": number == count - 1,
        "only": count == 1,
        "item": bool(clause.heading),
    }
    sizes = [f"size {min(len(clause.words), 24) // 3}", f"count {min(count, 6)}"]
    return [*(name for name, holds in marks.items() if holds), *sizes]
