"""Find the lasting statements in a prompt.

Sentences of a language other than English are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hookline.language.model import load_models, to_probability
from hookline.language.network import Network, SentenceStates, find_highest
from hookline.language.segment import Sentence
from hookline.lazy import re

DURABLE = ("convention", "preference", "correction", "decision", "blocker", "resolved")
"""Kinds of statements that still hold in a later session."""
SHORTEST, LONGEST = 8, 400
"""Length in characters of a statement."""
LABELS = (
    "filler", "order", "question", "conditional", "report", "quotation", "code", "smalltalk", "private",
    "opinion", "fact", *DURABLE,
)  # fmt: skip
"""Labels of words, in the order of the network's scores; filler is beside a statement in its sentence."""
WINDOW = 8
"""Neighbouring words whose highest mean of log-odds, with the score of the prompt, is that of a statement."""
WORD_WEIGHT, MIN_ODDS = 0.3, -1.0
"""Weight of a word beside that of an edge, and log-odds from which it counts for a statement."""
MAX_ORDER, ORDER_WEIGHT = -2.5, 4.0
"""Log-odds of an order above which a word counts less for a statement, and the weight of the excess."""
MIN_DOUBT = -2.0
"""Log-odds from which a prompt may have a lasting statement."""

_OPENING = re.compile(
    r"(?i)^(?:[\s,;:!–—…]|[.-](?![\w-])|\*\*(?=\w)(?![^*]*\*\*)|(?:no|yes|ok|okay|hey|well|so)[,!.:]\s+"
    r"|(?:please|pls)[,!.:]?\s+|(?:remember|note)\s+that\s+)+"
)
"""Marks and words stripped from the beginning of a statement."""
_MARKS = " \t\n,;:.!–—-…"
"""Characters stripped from the end of a statement."""
_NAME_START = re.compile(r"[^\s,;:!?()\[\]\"'“”‘’«»…—–]*\Z")
_NAME_END = re.compile(r"(?:[^\s,;:!?()\[\]\"'“”‘’«»….—–]|\.(?=\w))*")
"""Symbols of a name that the tokens at the ends of a statement lack, as in `.env`, `C++` and `build/`."""
_MAX_NAME = 80
"""Characters of a name that are read."""
_OTHER_WORDS = frozenset(
    """der die das und nicht ist wir ich ein eine mit auf für bitte immer nie kein keine den dem des
    sind wird soll nur auch oder aber wenn le la les une nous vous est sont pas que qui pour dans
    avec toujours jamais il je tu sur el los las una es son para con siempre nunca por favor no más
    pero este esta usar os um uma não é são sempre com na em ao você het een niet wij zijn altijd
    nooit van voor lo gli di che non mai per sono nel della""".split()
)
_ENGLISH_WORDS = frozenset(
    """the a an is are was we i you it to of in on for with and or but not do does please use this
    that our my your if be have has will can should always never no from at by as so when all only""".split()
)


class Statement(NamedTuple):
    """A lasting statement in a prompt."""

    kind: str
    text: str
    confidence: float
    start: int
    """Position of the text in the prompt."""
    sentence: str
    """The sentence that contains it."""
    heading: str
    """The line above the list in which it is, or an empty string."""


class Candidate(NamedTuple):
    """Neighbouring words that may be a lasting statement."""

    start: int
    """Position in the prompt."""
    end: int
    kind: str
    score: float
    """Log-odds that the statement lasts."""
    sentence: Sentence


def find_statements(prompt: str) -> list[Statement]:
    """Return the lasting statements in the person's own words of a prompt."""
    models = load_models()
    candidates = find_candidates(prompt, models.networks["statements"])
    return select_statements(prompt, candidates, models.thresholds["statements"])


def select_statements(prompt: str, candidates: Iterable[Candidate], threshold: float) -> list[Statement]:
    """Return the statements of the candidates above the threshold."""
    statements = []
    for candidate in candidates:
        begin, end = _complete_names(prompt, candidate.start, candidate.end)
        stated = _OPENING.sub("", prompt[begin:end])
        text = " ".join(stated.rstrip(_MARKS).split())
        if candidate.score >= threshold and SHORTEST <= len(text) <= LONGEST:
            confidence = to_probability(candidate.score - threshold + 1)
            start, sentence = end - len(stated), candidate.sentence
            statements.append(
                Statement(candidate.kind, text, confidence, start, sentence.text, sentence.heading)
            )
    return statements


def _complete_names(prompt: str, begin: int, end: int) -> tuple[int, int]:
    """Return the span of a statement with all symbols of the names at its ends."""
    before = _NAME_START.search(prompt, max(begin - _MAX_NAME, 0), begin)
    after = _NAME_END.match(prompt, end, end + _MAX_NAME)
    return before.start() if before else begin, after.end() if after else end


def may_have_statement(prompt: str) -> bool:
    """Return whether an English prompt may have a lasting statement, found or not."""
    network = load_models().networks["statements"]
    read = network.read_prompt(prompt)
    words = [token.word for row in read for token in row.tokens if token.word[0] != "<"]
    return is_english(words) and score_prompt(read, network) >= MIN_DOUBT


def score_prompt(read: Iterable[SentenceStates], network: Network) -> float:
    """Return the log-odds that a prompt has a lasting statement."""
    return network.score("prompt", find_highest(state for row in read for state in row.states))[0]


def find_candidates(prompt: str, network: Network) -> Iterator[Candidate]:
    """Yield the possible statements of a prompt."""
    read = network.read_prompt(prompt)
    total = score_prompt(read, network)
    for sentence, tokens, states in read:
        words = [token for token in tokens if token.start < token.end]
        if is_english([token.word for token in words]):
            scores = [network.score("label", state) for state in states[len(tokens) - len(words) :]]
            odds = [*map(find_odds, scores)]
            for begin, end in find_spans(odds):
                place = words[begin].start, words[end - 1].end
                score = total + find_peak([lasting for lasting, _ in odds[begin:end]])
                yield Candidate(*place, find_statement_kind(scores[begin:end]), score, sentence)


def find_odds(scores: Sequence[float]) -> tuple[float, float]:
    """Return the log-odds that a word is part of a lasting statement, and that an edge is before it.

    The first is lower if the word may be part of an order.
    """
    *shares, _ = map(math.exp, scores)
    order, lasting = shares.pop(LABELS.index("order")), sum(shares[-len(DURABLE) :])
    others = sum(shares[: -len(DURABLE)])
    ordered = math.log(order / (lasting + others))
    return math.log(lasting / (others + order)) - ORDER_WEIGHT * max(ordered - MAX_ORDER, 0), scores[-1]


def find_spans(odds: Iterable[tuple[float, float]]) -> list[tuple[int, int]]:
    """Return the spans of words in statements on the best path through a sentence, by the odds of its words.

    A path has the sum of the weights of the words in statements, and of the log-probabilities that it crosses
    an edge before a word or not.
    """
    outside, inside = 0.0, 0.0
    origins = list[tuple[bool, bool]]()
    for lasting, edge in odds:
        weight = WORD_WEIGHT * (lasting - MIN_ODDS)
        stay, cross = math.log(to_probability(-edge)), math.log(to_probability(edge))
        origins.append((inside + cross > outside + stay, inside + stay > outside + cross))
        outside, inside = max(outside + stay, inside + cross), weight + max(inside + stay, outside + cross)
    state, path = inside > outside, [False]
    for origin in reversed(origins):
        path.append(state)
        state = origin[state]
    crossed = [at for at, (a, b) in enumerate(pairwise([*path, False][::-1])) if a != b]
    return list(zip(crossed[::2], crossed[1::2], strict=True))


def find_peak(odds: Sequence[float]) -> float:
    """Return the highest mean of neighbouring log-odds."""
    width = min(WINDOW, len(odds))
    return max(sum(odds[start : start + width]) for start in range(len(odds) - width + 1)) / width


def find_statement_kind(scores: Sequence[Sequence[float]]) -> str:
    """Return the kind of a statement by the scores of its words."""
    sums = [sum(column) for column in zip(*(row[-len(DURABLE) - 1 : -1] for row in scores), strict=True)]
    return DURABLE[sums.index(max(sums))]


def is_english(words: Sequence[str]) -> bool:
    """Return whether most common words of a sentence are English, and its letters are Latin."""
    lower = [word.lower() for word in words]
    other = sum(word in _OTHER_WORDS and word not in _ENGLISH_WORDS for word in lower)
    letters = [character for word in words for character in word if character.isalpha()]
    latin = sum(character < "\u0250" for character in letters)
    return other <= sum(word in _ENGLISH_WORDS for word in lower) and latin * 4 >= len(letters) * 3
