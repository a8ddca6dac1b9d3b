"""Make prompts without punctuation between their parts from the prompts of the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from examples import Row

SHARE, COUNT = 0.5, 10_000
"""Share of the prompts with several parts that lose their punctuation, and number of joined prompts."""
MARKS = " .,;:!?-–—\n"
JOINTS = ("", "", "", ", ", " and ", " so ", " - ", ". ")


def generate_run_ons(rows: Sequence[Row], seed: int = 0) -> Iterator[Row]:
    """Yield prompts with several parts without the punctuation between them, and joined prompts of one part each."""
    chance = Random(seed)
    for row in rows:
        if len(row["parts"]) > 1 and chance.random() < SHARE:
            yield join_parts([(part, "") for part in row["parts"]])
    single = [row["parts"][0] for row in rows if len(row["parts"]) == 1]
    lasting = [part for part in single if part[2]]
    orders = [part for part in single if part[1] == "order"]
    for _ in range(COUNT):
        pair = [(chance.choice(lasting), ""), (chance.choice(orders), "")]
        chance.shuffle(pair)
        yield join_parts([pair[0], (pair[1][0], chance.choice(JOINTS))])


def join_parts(parts: Sequence[tuple[Sequence[str], str]]) -> Row:
    """Return the prompt of labelled parts, each behind a joint, without the marks at their ends."""
    joined, prompt = [], ""
    for (text, label, statement), joint in parts:
        plain = text.strip(MARKS) or text
        stated = statement and (statement.strip(MARKS) if statement.strip(MARKS) in plain else plain)
        if prompt and plain[1:2].islower():
            plain, stated = (
                _lower(plain),
                stated and _lower(stated) if plain.startswith(stated or " ") else stated,
            )
        prompt += (joint or " ") * bool(prompt)
        joined.append([plain, label, stated or None])
        prompt += plain
    return {"prompt": prompt, "parts": joined}


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
