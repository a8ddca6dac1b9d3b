"""Test which sentences are learned as memories, and which are not."""

import json
from pathlib import Path

import pytest

from hookline.core.conversation import Message
from hookline.memory.extract import said

ROWS = [
    json.loads(line) for line in (Path(__file__).parent / "memory_sentences.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['by']}: {row['says']}" for row in ROWS])
def test_a_sentence_is_learnt_as_what_it_is_or_not_at_all(row):
    found = [kind for kind, _, _ in said([Message(by=row["by"], text=row["says"])])]

    assert found == ([row["kind"]] if row["kind"] else [])


def test_there_are_more_sentences_that_teach_nothing_than_such_that_do():
    assert sum(row["kind"] is None for row in ROWS) > len(ROWS) / 2 > 60
