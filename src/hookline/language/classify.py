"""Find lasting statements and requests to ship in a prompt.

Sentences of a language other than English are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hookline.language.features import Clause, hash_clause, split_words
from hookline.language.model import Models, load_models, to_probability
from hookline.language.network import Network
from hookline.language.segment import Sentence, find_cuts, find_sentences
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
WINDOW = 3
"""Neighbouring words whose mean log-odds are the score of a statement."""
MIN_ODDS = -2.0
"""Log-odds of a lasting statement from which a word counts for it, not against it."""
MAX_ORDER, ORDER_WEIGHT = -2.0, 4.0
"""Log-odds of an order that a word of a statement may have, and the weight of higher ones against it."""
MAX_DOUBT = 5.0
"""Log-odds below the threshold up to which a statement may last."""
CLAUSE_WEIGHT, SENTENCE_WEIGHT = 0.7, 0.3
"""Weights of the log-odds of a clause and of its sentence, beside those of its prompt, to ask to ship."""

_OPENING = re.compile(
    r"""(?ix)(?:(?:
      hey|hi|hello|hiya|yo|morning|good\ (?:morning|evening|afternoon)|thanks?(?:\ (?:you|a\ lot))?|thx
      |great|nice|cool
    | perfect|ok(?:ay)?|alright|right|well|so|um+|uh+|hmm+|btw|by\ the\ way|fyi|also|and|but|then|plus
      |anyway|anyways
    | oh|ah|yes|yeah|yep|no(?=\s*[,;.!–—])|nope|sorry
      |look|listen|just|quick\ (?:note|one)|one\ (?:more\ )?thing|side\ note
      |heads\ up|note|nb
    | reminder|for\ the\ record|for\ your\ info(?:rmation)?|for\ next\ time|important|ps|p\.s\.|tl;?dr|fwiw
      |actually|basically
    | claude|codex|cursor|gemini|mate|man|dude|bro|guys|team|folks|everyone|all|as\ (?:i|we)\ said
      |as\ a\ reminder|again
    | (?:please\ |pls\ |plz\ )?(?:remember|note|keep\ in\ mind|bear\ in\ mind|be\ aware|know|mind
      |don'?t\ forget)(?:\ that|\ to|:|,)
    | (?:just\ )?so\ you\ know|you\ should\ know(?:\ that)?|i(?:'d|\ would)?\ (?:want|like
      |need)\ you\ to\ (?:remember|know)(?:\ that)?
    | (?:please|pls|plz|kindly)
    )(?:\s*[,:;.!–—-]+\s*|\s+|$))+"""
)
_ENDING = re.compile(
    r"""(?ix)(?:[\s,;:.!–—-]*\b(?:please|pls|plz|thanks?(?:\ you)?|thx|ty|ok(?:ay)?\??|got\ it\??|right\?
    | cheers|fyi|btw|lol|haha|for\ the\ record|just\ so\ you\ know
    | so\ you\ know|keep\ (?:that|this)\ in\ mind|remember\ (?:that
      |this))\b\s*[.!?]*)+$"""
)
_QUOTATION = re.compile(r"""(["'`])(?:(?!\1).)*\1|“[^“”]*”""", re.DOTALL)
"""A prompt that is a single quotation, which counts as said."""
_EDGES = " \t\n,;:.!–—-…"
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


class Run(NamedTuple):
    """Neighbouring words that may be a lasting statement."""

    start: int
    """Position in the prompt."""
    end: int
    kind: str
    score: float
    """Log-odds that the statement lasts."""
    sentence: str


def find_statements(prompt: str, models: Models | None = None) -> list[Statement]:
    """Return the lasting statements in the person's own words of a prompt."""
    models = models or load_models()
    return state_runs(prompt, find_runs(prompt, models.network), models.thresholds["durable"])


def state_runs(prompt: str, runs: Iterable[Run], threshold: float) -> list[Statement]:
    """Return the statements of the runs above the threshold."""
    statements = []
    for run in runs:
        begin, text = trim(prompt[run.start : run.end])
        if run.score >= threshold and SHORTEST <= len(text) <= LONGEST:
            confidence = to_probability(run.score - threshold + 1)
            statements.append(Statement(run.kind, text, confidence, run.start + begin, run.sentence))
    return statements


def is_unsure(prompt: str) -> bool:
    """Return whether a prompt has no lasting statement, but nearly one."""
    models = load_models()
    best = max((run.score for run in find_runs(prompt, models.network)), default=-math.inf)
    return -MAX_DOUBT < best - models.thresholds["durable"] < 0


def find_runs(prompt: str, network: Network) -> Iterator[Run]:
    """Yield the possible statements of a prompt."""
    tagged, total = network.tag(prompt)
    for sentence, tokens, rows in tagged:
        words = [token for token in tokens if token.start < token.end]
        scores = rows[len(tokens) - len(words) :]
        if is_english([token.word for token in words]):
            odds = [find_odds(row) for row in scores]
            least = sentence.start + _find_opening(sentence.text)
            for begin, end in find_spans([*map(weigh_word, odds, scores)]):
                place = max(words[begin].start, least), words[end - 1].end
                score = total + find_peak(odds[begin:end])
                yield Run(*place, find_kind(scores[begin:end]), score, sentence.text)


def find_odds(scores: Sequence[float]) -> float:
    """Return the log-odds that a word belongs to a lasting statement."""
    others, lasting = scores[: -len(DURABLE)], scores[-len(DURABLE) :]
    return _add_exponents(lasting) - _add_exponents(others)


def weigh_word(odds: float, scores: Sequence[float]) -> float:
    """Return a number above zero if a word may be part of a statement, and below if it ends one."""
    order = LABELS.index("order")
    ordered = scores[order] - _add_exponents([*scores[:order], *scores[order + 1 :]])
    return odds - MIN_ODDS - ORDER_WEIGHT * max(ordered - MAX_ORDER, 0)


def _add_exponents(scores: Sequence[float]) -> float:
    return math.log(sum(map(math.exp, scores)))


def find_spans(weights: Sequence[float], begin: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the spans of words with the highest sums, in their order."""
    best, span, total, start = 0.0, (0, 0), 0.0, 0
    for number, value in enumerate(weights):
        total, start = (total, start) if total > 0 else (0.0, number)
        total += value
        best, span = (total, (start, number + 1)) if total > best else (best, span)
    if best > 0:
        yield from find_spans(weights[: span[0]], begin)
        yield begin + span[0], begin + span[1]
        yield from find_spans(weights[span[1] :], begin + span[1])


def find_peak(odds: Sequence[float]) -> float:
    """Return the highest mean of neighbouring log-odds."""
    starts = range(max(len(odds) - WINDOW, 0) + 1)
    return max(sum(odds[start : start + WINDOW]) for start in starts) / WINDOW


def find_kind(scores: Sequence[Sequence[float]]) -> str:
    """Return the kind of a statement by the scores of its words."""
    sums = [sum(column) for column in zip(*(row[-len(DURABLE) :] for row in scores), strict=True)]
    return DURABLE[sums.index(max(sums))]


def trim(text: str) -> tuple[int, str]:
    """Return *text* without greetings, address and filler at both ends, and the position where it begins."""
    begin = _find_opening(text)
    ended = _ENDING.sub("", text[begin:])
    stripped = ended.strip(_EDGES) or text[begin:].strip(_EDGES)
    return begin + max(text[begin:].find(stripped), 0), " ".join(stripped.split())


def _find_opening(text: str) -> int:
    """Return where *text* begins behind greetings, address and filler."""
    opening = _OPENING.match(text)
    begin = opening.end() if opening else 0
    return begin if re.search(r"\w", text[begin:]) else 0


def asks_to_ship(prompt: str) -> bool:
    """Return whether the person asks in this prompt to ship work now."""
    return any(score >= 0 for _, score in score_requests(prompt))


def score_requests(prompt: str, models: Models | None = None) -> Iterator[tuple[str, float]]:
    """Yield one clause per sentence, with the log-odds above the threshold that it asks to ship."""
    models = models or load_models()
    text = prompt.strip().replace("\u2019", "'")
    sentences, clauses = find_clauses(text[1:-1] if _QUOTATION.fullmatch(text) else text)
    rows = _hash_all(sentences, models)
    union = {feature for row in rows for feature in row}
    total = models.models["ship prompt"].score(union)["ship"] - models.thresholds["ship"]
    parts = [models.models["ship clause"].score(row)["ship"] for row in _hash_all(clauses, models)]
    for sentence, row in zip(sentences, rows, strict=True):
        end = sentence.start + len(sentence.text)
        own = [number for number, part in enumerate(clauses) if sentence.start <= part.start < end]
        best = max(own, key=parts.__getitem__)
        score = models.models["ship sentence"].score(row)["ship"]
        yield clauses[best].text.strip(_EDGES), CLAUSE_WEIGHT * parts[best] + SENTENCE_WEIGHT * score + total


def _hash_all(clauses: Sequence[Clause], models: Models) -> list[list[int]]:
    return [hash_clause(clauses, number, models.vocabulary) for number in range(len(clauses))]


def find_clauses(prompt: str) -> tuple[list[Clause], list[Clause]]:
    """Return the sentences of the person's own words, and their clauses."""
    sentences = find_sentences(prompt)
    wholes = [clause for sentence in sentences for clause in _divide(sentence, ())]
    return wholes, [part for sentence in sentences for part in _divide(sentence, find_cuts(sentence.text))]


def _divide(sentence: Sentence, cuts: Sequence[int]) -> Iterator[Clause]:
    heading = split_words(sentence.heading)
    for begin, end in pairwise([0, *cuts, len(sentence.text)]):
        text = sentence.text[begin:end].rstrip()
        place = (begin == 0, end == len(sentence.text), sentence.pasted)
        yield Clause(text, sentence.start + begin, split_words(text), heading, *place)


def is_english(words: Sequence[str]) -> bool:
    """Return whether most common words of a sentence are English, and its letters are Latin."""
    lower = [word.lower() for word in words]
    other = sum(word in _OTHER_WORDS and word not in _ENGLISH_WORDS for word in lower)
    letters = [character for word in words for character in word if character.isalpha()]
    latin = sum(character < "\u0250" for character in letters)
    return other <= sum(word in _ENGLISH_WORDS for word in lower) and latin * 4 >= len(letters) * 3
