"""Train the network of lasting statements with a teacher, and choose its threshold."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import torch
from evaluate import score_statements
from examples import NOTHING_FOUND, Part, Row, find_parts, find_threshold
from lists import generate_lists
from recurrent import Example, Plan, Reader, fit_network, load_model, read_example, score_highest, train_model
from run_on import generate_run_ons, generate_wrapped, join_all_parts
from teacher import fit_teacher, teach, vary_words
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.nn.utils.rnn import pad_sequence

from hookline.language.network import Network, Token, split_tokens
from hookline.language.segment import find_sentences
from hookline.language.statements import LABELS, find_candidates, select_statements

UNITS, EPOCHS, TEACHER_EPOCHS = 24, 8, 2
"""Units of the network, and passes over the examples of the network and of its teacher."""
PROPERTIES = 64, 32
"""Number of properties of a word, and of a kind."""
MORE_EPOCHS, MORE_RATE, MORE_TRUST = 5, 4e-3, 0.5
"""Passes, highest learning rate, and weight of its own labels, when the training of a network continues."""
MORE_COPIES, KEPT = 3, 0.2
"""Number of copies of the new prompts then, and share of each old weight in the new one."""
TEACHER_VARIANTS, VARIANTS = 12_000, 40_000
"""Number of variants from which the teacher learns, and of those with exchanged words from which the network learns."""
COPIES = 2
"""Number of copies of the prompts that only the teacher labels, which are natural prompts of unseen writers."""
DROPPED = 0.1, 0.05
"""Shares of the states, and of the words, that are left out at random in training."""
TRUST = 0.7
"""Weight of the labels of the teacher beside those of the corpus."""
PROMPT_WEIGHT = 0.5
"""Weight of the loss for whole prompts."""
MAX_WRONG = 0.01
"""Share of the prompts without a lasting statement that may count as one; a wrong memory affects later sessions."""
NO_TARGET = -1.0


def fit_statements(
    rows: Sequence[Row],
    common: Sequence[Row],
    unlabelled: Iterable[Row],
    vocabulary: Iterable[str],
    path: Path,
) -> Network:
    """Return the network for labelled prompts, common phrasings, variants of both, and prompts that only the teacher labels.

    The teacher is kept in the file at *path*.
    """
    labelled = read_examples(rows)
    variants = [*read_variants(rows, common), *read_examples(generate_lists(rows))]
    taught = [*labelled, *Random(0).sample(variants, TEACHER_VARIANTS)]
    teacher = fit_teacher(taught, PLAN._replace(epochs=TEACHER_EPOCHS), path)
    examples = label_all(teacher, [*labelled, *variants], read_examples(unlabelled), TRUST)
    return fit_network(examples, vocabulary, PLAN)


def continue_statements(
    network: Network,
    rows: Sequence[Row],
    new: Sequence[Row],
    common: Sequence[Row],
    unlabelled: Iterable[Row],
) -> Network:
    """Return a network after more training: on what it has learnt, as it labels that itself, and on *new* rows."""
    model = load_model(network, PLAN)
    known = [*read_examples(rows), *read_variants(rows, common)]
    examples = label_all(model, known, read_examples(unlabelled), MORE_TRUST)
    own = read_examples([*new, *join_all_parts(new), *generate_lists(new)])
    plan = PLAN._replace(epochs=MORE_EPOCHS, rate=MORE_RATE)
    return train_model(model, [*examples, *own * MORE_COPIES], plan, KEPT)


def label_all(
    teacher: Reader, labelled: Sequence[Example], others: Sequence[Example], trust: float
) -> list[Example]:
    """Return all examples, and variants with exchanged words, with labels of the teacher."""
    varied = [*vary_words([*labelled, *others], VARIANTS)]
    return [
        *teach(teacher, labelled, label_examples, trust),
        *[*teach(teacher, others, label_examples, 1.0)] * COPIES,
        *teach(teacher, varied, label_examples, 1.0),
    ]


def read_variants(rows: Sequence[Row], common: Sequence[Row]) -> list[Example]:
    return read_examples([*generate_run_ons(rows), *generate_wrapped(rows), *common])


def read_examples(rows: Iterable[Row]) -> list[Example]:
    return [example for example in map(read_row, rows) if example.words]


def read_row(row: Row) -> Example:
    """Return the words of a prompt with their labels; words of a lasting part outside its statement are filler."""
    sentences = [[*split_tokens(sentence)] for sentence in find_sentences(row["prompt"])]
    parts = find_parts(row)
    lasts = any(part.statement for part in parts)
    targets = [target for sentence in sentences for target in find_targets(parts, sentence)]
    return read_example(sentences, positive=lasts)._replace(targets=torch.tensor(targets))


def find_targets(parts: Sequence[Part], sentence: Iterable[Token]) -> Iterator[list[float]]:
    """Yield the shares of the labels of each token of a sentence, and whether a part or a statement begins or ends before it."""
    edges = [place for part in parts for place in (part.start, *(part.statement or ()))]
    last = -1
    for token in sentence:
        if token.start == token.end:
            yield [NO_TARGET] * (len(LABELS) + 1)
        else:
            label = find_label(parts, token.start)
            edge = last < 0 or any(last < edge <= token.start for edge in edges)
            yield [*(float(name == label) for name in LABELS), float(edge)]
            last = token.start


def find_label(parts: Iterable[Part], place: int) -> str:
    """Return the label of the word at a place."""
    for part in parts:
        start, end = part.statement or (part.start, part.end)
        if start <= place < end:
            return part.label
    return "filler"


def find_loss(model: Reader, batch: Sequence[Example]) -> Tensor:
    scores, totals = score(model, batch)
    targets = pad_sequence([example.targets for example in batch], batch_first=True, padding_value=NO_TARGET)
    counts = targets[..., -1] != NO_TARGET
    scores, targets = scores[counts], targets[counts]
    loss = cross_entropy(scores[:, :-1], targets[:, :-1])
    loss += binary_cross_entropy_with_logits(scores[:, -1], targets[:, -1])
    lasts = torch.tensor([example.positive for example in batch])
    return loss + PROMPT_WEIGHT * binary_cross_entropy_with_logits(totals, lasts)


def score(model: Reader, batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Return the scores of each token, and those of each prompt."""
    states, sentences = model.read(batch)
    return model.heads["label"](states), score_highest(model, "prompt", states, sentences >= 0)


def label_examples(model: Reader, batch: Sequence[Example], trust: float) -> Iterator[Example]:
    """Yield the examples with a mean of their labels and those of the model, which have the weight *trust*."""
    scores, totals = score(model, batch)
    found = torch.cat([scores[..., :-1].softmax(-1), scores[..., -1:].sigmoid()], -1)
    for example, own, lasts in zip(batch, found, totals.sigmoid().tolist(), strict=True):
        targets = torch.lerp(example.targets, own[: len(example.words)], trust)
        yield example._replace(
            targets=targets.masked_fill(example.targets == NO_TARGET, NO_TARGET),
            positive=example.positive + trust * (lasts - example.positive),
        )


PLAN = Plan(UNITS, PROPERTIES, EPOCHS, DROPPED, {"label": len(LABELS) + 1, "prompt": 1}, find_loss)


def choose_threshold(rows: Sequence[Row], network: Network) -> float:
    """Return the threshold of lasting statements for labelled prompts, and print their scores."""
    candidates = {row["prompt"]: [*find_candidates(row["prompt"], network)] for row in rows}
    wrong = [
        max((candidate.score for candidate in candidates[row["prompt"]]), default=NOTHING_FOUND)
        for row in rows
        if not any(part.statement for part in find_parts(row))
    ]
    threshold = find_threshold(wrong, MAX_WRONG)
    found = score_statements(
        rows, lambda row: select_statements(row["prompt"], candidates[row["prompt"]], threshold)
    )
    print(f"statements of unseen writers: {found}", file=sys.stderr, flush=True)
    return threshold
