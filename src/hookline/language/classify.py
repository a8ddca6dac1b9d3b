"""Find lasting statements and requests to ship in a prompt.

Sentences of a language other than English are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from hookline.language.features import Clause, hash_clause, hash_gaps, split_words
from hookline.language.model import Model, Models, load_models, to_probability
from hookline.language.segment import Sentence, find_sentences
from hookline.lazy import re

DURABLE = ("convention", "preference", "correction", "decision", "blocker", "resolved")
"""Kinds of statements that still hold in a later session."""
SHORTEST, LONGEST = 8, 400
"""Length in characters of a statement."""
INSIDE = 2.0
"""Log-odds, above those of an order, from which a clause belongs to the statement of its sentence."""
SENTENCE_CUT, CLAUSE_CUT = 1.0, -2.0
"""Log-odds from which a new sentence, or a new clause, begins in the gap between two words."""
MAX_DOUBT = 2.5
"""Log-odds below the threshold up to which a statement may last."""
PROMPT_WEIGHT, ORDER_WEIGHT = 0.7, 0.3
"""Weights of the log-odds of the whole prompt and of an order, beside those of a sentence and its clauses."""

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


class Scored(NamedTuple):
    """A clause with its hashed features and the log-odds of each label."""

    clause: Clause
    features: Sequence[int]
    scores: Mapping[str, float]


class ScoredSentence(NamedTuple):
    """A sentence with its clauses, and the log-odds of the prompt that contains it."""

    whole: Scored
    clauses: Sequence[Scored]
    prompt: float

    def score(self, run: Sequence[Scored], label: str) -> float:
        """Return the log-odds that a run of clauses has a label."""
        best = max(clause.scores[label] for clause in run)
        return (best + self.whole.scores[label]) / 2 + PROMPT_WEIGHT * self.prompt


def find_statements(prompt: str, models: Models | None = None) -> list[Statement]:
    """Return the lasting statements in the person's own words of a prompt."""
    models = models or load_models()
    return state_runs(prompt, score_runs(prompt, models), models)


def state_runs(
    prompt: str, runs: Iterable[tuple[float, ScoredSentence, list[Scored]]], models: Models
) -> list[Statement]:
    """Return the statements of the runs above the threshold."""
    threshold = models.thresholds["durable"]
    return [
        statement
        for score, sentence, run in runs
        if score >= threshold
        for statement in _state(prompt, run, sentence, score - threshold, models)
    ]


def is_unsure(prompt: str) -> bool:
    """Return whether a prompt has no lasting statement, but nearly one."""
    models = load_models()
    best = max((score for score, _, _ in score_runs(prompt, models)), default=-MAX_DOUBT)
    return -MAX_DOUBT < best - models.thresholds["durable"] < 0


def score_runs(prompt: str, models: Models) -> Iterator[tuple[float, ScoredSentence, list[Scored]]]:
    """Yield the possible statements of a prompt, with the log-odds that they last."""
    for sentence in score_sentences(prompt, models, "durable"):
        if is_english(sentence.whole.clause.words):
            for run in find_runs(sentence.clauses):
                order = max(clause.scores["order"] for clause in run)
                yield sentence.score(run, "durable") - ORDER_WEIGHT * order, sentence, run


def score_sentences(prompt: str, models: Models, label: str) -> Iterator[ScoredSentence]:
    """Yield each sentence with its clauses, scored by the models of this label."""
    sentences, clauses = find_clauses(prompt, models.models["cut"])
    parts = _score(clauses, f"{label} clause", models)
    wholes = _score(sentences, f"{label} sentence", models)
    union = {feature for whole in wholes for feature in whole.features}
    total = models.models[f"{label} prompt"].score(union)[label]
    for whole in wholes:
        end = whole.clause.start + len(whole.clause.text)
        yield ScoredSentence(
            whole, [part for part in parts if whole.clause.start <= part.clause.start < end], total
        )


def _score(clauses: Sequence[Clause], name: str, models: Models) -> list[Scored]:
    model = models.models[name]
    rows = [hash_clause(clauses, number, models.vocabulary) for number in range(len(clauses))]
    return [Scored(clause, row, model.score(row)) for clause, row in zip(clauses, rows, strict=True)]


def find_runs(parts: Sequence[Scored]) -> Iterator[list[Scored]]:
    """Yield the longest runs of clauses that belong to a statement."""
    for inside, run in groupby(
        parts, key=lambda part: part.scores["inside"] >= part.scores["order"] + INSIDE
    ):
        if inside:
            yield [*run]


def _state(
    prompt: str, run: Sequence[Scored], sentence: ScoredSentence, margin: float, models: Models
) -> Iterator[Statement]:
    kinds = models.models["kind"].score(sentence.whole.features)
    start, end = run[0].clause.start, run[-1].clause.start + len(run[-1].clause.text)
    begin, text = trim(prompt[start:end])
    if SHORTEST <= len(text) <= LONGEST:
        yield Statement(max(DURABLE, key=kinds.__getitem__), text, to_probability(margin + 1), start + begin)


def trim(text: str) -> tuple[int, str]:
    """Return *text* without greetings, address and filler at both ends, and the position where it begins."""
    opening = _OPENING.match(text)
    begin = opening.end() if opening else 0
    begin = begin if re.search(r"\w", text[begin:]) else 0
    ended = _ENDING.sub("", text[begin:])
    stripped = ended.strip(_EDGES) or text[begin:].strip(_EDGES)
    return begin + max(text[begin:].find(stripped), 0), " ".join(stripped.split())


def asks_to_ship(prompt: str) -> bool:
    """Return whether the person asks in this prompt to ship work now."""
    return any(score >= 0 for _, score in score_requests(prompt))


def score_requests(prompt: str, models: Models | None = None) -> Iterator[tuple[str, float]]:
    """Yield one clause per sentence, with the log-odds above the threshold that it asks to ship."""
    models = models or load_models()
    text = prompt.strip().replace("\u2019", "'")
    text = text[1:-1] if _QUOTATION.fullmatch(text) else text
    for sentence in score_sentences(text, models, "ship"):
        best = max(sentence.clauses, key=lambda part: part.scores["ship"])
        yield best.clause.text.strip(_EDGES), sentence.score([best], "ship") - models.thresholds["ship"]


def find_clauses(prompt: str, cut: Model) -> tuple[list[Clause], list[Clause]]:
    """Return the sentences of the person's own words, and their clauses."""
    sentences, clauses = list[Clause](), list[Clause]()
    for sentence in find_sentences(prompt):
        gaps = [(start, cut.score(features)["cut"]) for start, features in hash_gaps(sentence.text)]
        sentences += _divide(sentence, [start for start, score in gaps if score >= SENTENCE_CUT])
        clauses += _divide(sentence, [start for start, score in gaps if score >= CLAUSE_CUT])
    return sentences, clauses


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
