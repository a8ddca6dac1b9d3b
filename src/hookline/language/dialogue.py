"""Classify the prompts of a person, and the sentences of an agent, in any language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

from hookline.language.features import Clause, hash_clause, hash_features, spell_words
from hookline.language.model import load_models
from hookline.language.segment import read_message, split_sentences

PromptKind = Literal["task", "addition", "choice", "problem", "reply"]
Label = Literal["failed", "open", "done", "other"]
PROMPT_KINDS: tuple[PromptKind, ...] = ("task", "addition", "choice", "problem", "reply")
"""Kinds of prompts: other work, more work, how to do it, a defect of it, or anything else."""
SENTENCE_LABELS: tuple[Label, ...] = ("failed", "open", "done", "other")
"""A sentence tells an approach that was given up, work that is left, a result, or anything else."""
MAX_SENTENCES, MAX_LENGTH = 8, 24
"""Sentences of a prompt that become features, and words from which its length no longer counts."""
SETTLED = frozenset({"first", "result", "published"})
"""Facts that show that no work was open before a prompt."""
_SALT = 0x5BD1E995
"""Changes the features of the first sentence, so that they differ from those of all sentences."""
TASK_MARGIN = 2.0
"""Log-odds subtracted from `task` while work is open."""


class Labelled(NamedTuple):
    """A sentence of an agent with its label."""

    text: str
    label: Label


@lru_cache(maxsize=512)
def label_message(text: str) -> tuple[Labelled, ...]:
    """Return the labelled sentences of an agent's message; those under an open heading are open."""
    models, parts = load_models(), read_message(text)
    rows = _hash_all(to_clauses(parts), models.vocabulary)
    scores = [models.models["sentence"].score(row) for row in rows]
    labels: list[Label] = [max(SENTENCE_LABELS, key=score.__getitem__) for score in scores]
    headings = {heading for _, heading in parts}
    return tuple(
        Labelled(part, "open" if heading is not None and labels[heading] == "open" else labels[number])
        for number, (part, heading) in enumerate(parts)
        if number not in headings
    )


def to_clauses(parts: Sequence[tuple[str, int | None]]) -> list[Clause]:
    """Return the sentences and headings of a message, as `read_message` returns them, with their words."""
    return [
        Clause(text, spell_words(text), spell_words(parts[heading][0]) if heading is not None else ())
        for text, heading in parts
    ]


def is_result(labelled: Iterable[Labelled]) -> bool:
    """Return whether a message reports a result, and neither open work, a failure nor a question."""
    sentences = tuple(labelled)
    labels = {label for _, label in sentences}
    return (
        "done" in labels and not labels & {"failed", "open"} and not any("?" in text for text, _ in sentences)
    )


def classify_prompt(text: str, facts: Sequence[str]) -> PromptKind:
    """Return the kind of a prompt; *facts* name what the agent did before it and after it."""
    models = load_models()
    scores = models.models["prompt"].score(hash_prompt(text, facts, models.vocabulary))
    scores["task"] -= 0 if SETTLED & {*facts} else TASK_MARGIN
    return max(PROMPT_KINDS, key=scores.__getitem__)


def hash_prompt(text: str, facts: Sequence[str], vocabulary: frozenset[str]) -> list[int]:
    """Return the hashed features of a prompt: of its sentences, and of pairs of facts."""
    sentences = split_sentences(text)[:MAX_SENTENCES] or [""]
    clauses = [Clause(one, spell_words(one)) for one in sentences]
    rows = _hash_all(clauses, vocabulary)
    first = [feature ^ _SALT for feature in rows[0]]
    length = f"length {min(len(text.split()), MAX_LENGTH) // 3}"
    words = [f"word {word.lower()}" for word in clauses[0].words[:1]]
    about = [*facts, length, *words, *(["question"] if "?" in text else [])]
    return [*{feature for row in rows for feature in row}, *first, *_hash_facts(about)]


def _hash_all(clauses: Sequence[Clause], vocabulary: frozenset[str]) -> list[list[int]]:
    return [hash_clause(clauses, number, vocabulary) for number in range(len(clauses))]


def _hash_facts(facts: Sequence[str]) -> list[int]:
    return hash_features([*facts, *(f"{a} & {b}" for a, b in combinations(facts, 2))])
