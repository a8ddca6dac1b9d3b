"""Labelled examples from sessions: sentences of the agent, and prompts of the person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from examples import Row

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.handoff.prompts import describe_prompts
from hookline.language.dialogue import Label, Labelled, hash_prompt, to_clauses
from hookline.language.features import hash_clause
from hookline.language.segment import read_message

SEED, VARIANTS = 1, 2
DROPPED, CONTINUED = 0.5, 0.2
"""Shares of the reports before a prompt that a variant leaves out, or puts calls behind."""
COMMANDS = {
    "ok": "make check",
    "fail": "make check",
    "commit": "git commit -am 'work'",
    "revert": "git checkout -- .",
}
Example = tuple[list[int], str]
"""Hashed features with the label."""


def join_texts(texts: Iterable[Sequence[str]]) -> str:
    """Return the message that consists of labelled texts."""
    return "".join(text if text.endswith(("\n", " ")) else f"{text} " for text, _ in texts)


def label_texts(texts: Sequence[Sequence[str]]) -> list[Labelled]:
    """Return the sentences of the message, each with the label of the text that contains it."""
    rest, found = [*texts], list[Labelled]()
    for clause in to_clauses(read_message(join_texts(texts))):
        at = next((at for at, (text, _) in enumerate(rest) if clause.text[:20] in text.replace("**", "")), 0)
        rest = rest[at:]
        label: Label = rest[0][1]  # type: ignore[assignment]
        found.append(Labelled(clause.text, label))
    return found


def find_sentences(row: Row, vocabulary: frozenset[str]) -> Iterator[Example]:
    for turn in row["turns"]:
        clauses = to_clauses(read_message(join_texts(turn.get("agent", ()))))
        for number, (_, label) in enumerate(label_texts(turn.get("agent", ()))):
            yield hash_clause(clauses, number, vocabulary), label


def find_prompts(row: Row, vocabulary: frozenset[str]) -> Iterator[Example]:
    kinds = (turn["kind"] for turn in row["turns"] if "user" in turn)
    labels = dict(_label_messages(row))
    described = describe_prompts(to_entries(row), labels.__getitem__)
    for (_, text, facts), kind in zip(described, kinds, strict=True):
        yield hash_prompt(text, facts, vocabulary), kind


def _label_messages(row: Row) -> Iterator[tuple[str, list[Labelled]]]:
    for turn in row["turns"]:
        if "agent" in turn:
            yield join_texts(turn["agent"]), label_texts(turn["agent"])


def to_entries(row: Row) -> list[TranscriptEntry]:
    """Return the entries of the transcript of a session."""
    entries = list[TranscriptEntry]()
    for turn in row["turns"]:
        if "user" in turn:
            entries.append(Message(by="person", text=turn["user"]))
        elif "agent" in turn:
            entries.append(Message(by="agent", text=join_texts(turn["agent"])))
        for act in turn.get("acts", ()):
            entries += _act(act, str(len(entries)))
    return entries


def _act(act: str, call: str) -> list[TranscriptEntry]:
    path = "" if act in COMMANDS else f"other{call}" if act == "edit other" else "file"
    kind = "shell" if act in COMMANDS else "read" if act == "look" else "edit"
    use = ToolUse(call=call, tool="X", kind=kind, command=COMMANDS.get(act, ""), path=path)
    return [use, ToolResult(call=call, error="failed" * (act == "fail"))]


def vary_sessions(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield each session, and variants in which the person interrupts the agent before it reports, or after more calls."""
    chance = Random(SEED)
    for row in rows:
        yield row
        for _ in range(VARIANTS):
            yield {**row, "turns": [*_interrupt(row["turns"], chance)]}


def _interrupt(turns: Sequence[Row], chance: Random) -> Iterator[Row]:
    for before, turn, later in zip([{}, *turns], turns, [*turns[1:], {}], strict=False):
        is_report = "agent" in turn and "user" in later
        if is_report and "acts" in before and chance.random() < DROPPED:
            continue
        yield turn
        if is_report and chance.random() < CONTINUED:
            yield {"acts": [chance.choice(("look", "ok"))]}
