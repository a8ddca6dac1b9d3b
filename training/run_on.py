"""Make prompts without punctuation, and with words around their statements, from the prompts of the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from examples import Row

SHARE, COUNT = 0.5, 10_000
"""Share of the prompts with several parts that lose their punctuation, and number of joined prompts."""
WRAPPED, TAILED, LOWERED = 8_000, 0.3, 0.8
"""Number of prompts with filler before a statement, and shares of those with filler after it and in lower case."""
LEADS = """hey, |hi! |hello, |ok, |ok so |okay so |right, |alright, |so, |well, |um, |also, |and |but |then |oh, |ah, |yes, |yeah, |
btw, |btw |by the way, |fyi, |fyi |anyway, |great, |nice. |cool, |thanks, |thanks! |thx, |perfect, |sorry, |look, |listen, |just |
quick note: |one thing: |one more thing: |side note: |heads up: |note: |NB: |reminder: |for the record, |for next time: |important: |PS: |
tl;dr |fwiw |actually, |basically |hey claude, |claude, |codex, |gemini: |mate, |guys, |team, |again, |as I said, |as a reminder, |please |
pls |please, |remember: |remember that |please remember that |note that |please note: |keep in mind that |keep in mind, |be aware that |
don't forget, |don't forget that |just so you know, |so you know: |you should know that |I want you to remember that |hey, quick one: |
good morning! |morning, |ok thanks, |got it, |no worries, |""".replace("\n", "").split("|")
TAILS = """, please| please| pls|, thanks| thanks!| thx|, ok?| ok| okay?|, got it?|, right?| cheers|, btw| btw| fyi| lol| haha|, for the record|
, just so you know|, so you know|, keep that in mind|, remember that| :)|, thank you|""".replace(
    "\n", ""
).split("|")
"""Filler before and after a statement."""
MARKS = " .,;:!?-–—\n"
JOINTS = ("", "", "", ", ", " and ", " so ", " - ", ". ")


def generate_run_ons(rows: Sequence[Row], seed: int = 0) -> Iterator[Row]:
    """Yield prompts with several parts without the punctuation between them, and joined prompts of one part each."""
    chance = Random(seed)
    yield from join_all_parts([row for row in rows if chance.random() < SHARE])
    single = [row["parts"][0] for row in rows if len(row["parts"]) == 1]
    lasting = [part for part in single if part[2]]
    orders = [part for part in single if part[1] == "order"]
    for _ in range(COUNT):
        pair = [(chance.choice(lasting), ""), (chance.choice(orders), "")]
        chance.shuffle(pair)
        yield join_parts([pair[0], (pair[1][0], chance.choice(JOINTS))])


def generate_wrapped(rows: Sequence[Row], seed: int = 0) -> Iterator[Row]:
    """Yield prompts of a single statement with filler around it."""
    chance = Random(seed)
    lasting = [row["parts"][0] for row in rows if len(row["parts"]) == 1 and row["parts"][0][2]]
    for _ in range(WRAPPED):
        text, label, statement = chance.choice(lasting)
        lead, tail = chance.choice(LEADS), chance.choice(TAILS) if chance.random() < TAILED else ""
        stated = statement.strip(MARKS) or statement
        if text.startswith(stated) and chance.random() < LOWERED:
            text, stated = _lower(text), _lower(stated)
        prompt = lead + (text.rstrip(MARKS) if tail else text) + tail
        if stated in prompt:
            yield {"prompt": prompt, "parts": [[prompt, label, stated]]}


def join_all_parts(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the prompts of several parts without the punctuation between them."""
    for row in rows:
        if len(row["parts"]) > 1:
            yield join_parts([(part, "") for part in row["parts"]])


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
