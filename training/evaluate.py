"""Score the shipped models on labelled sets: `python training/evaluate.py [FILE ...]`.

A statement is learnt if at least half of it is found, and intact if at least 80 % of it is found
with at most 12 characters of parts that do not last. A prompt without a lasting statement is wrong if
anything is learnt from it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from examples import CORPUS, Part, Row, find_parts, read_rows

from hookline.language.ship_requests import find_request
from hookline.language.statements import Statement, find_statements, may_have_statement
from hookline.memory.compare import compare_rules
from hookline.memory.privacy import is_personal

MAX_FOREIGN = 12
"""Characters of a part that does not last, in an intact statement."""


def common(statement: Statement, start: int, end: int) -> int:
    return max(min(statement.start + len(statement.text), end) - max(statement.start, start), 0)


def score_part(part: Part, parts: Sequence[Part], found: Sequence[Statement]) -> tuple[bool, bool, bool]:
    """Return whether the statement of a part is learnt, intact, and of the right kind."""
    start, end = part.statement or (0, 0)
    hits = [one for one in found if common(one, start, end)]
    covered = sum(common(one, start, end) for one in hits) / (end - start)
    foreign = sum(
        common(one, other.start, other.end) for one in hits for other in parts if not other.statement
    )
    learnt = covered >= 0.5
    return (
        learnt,
        covered >= 0.8 and foreign <= MAX_FOREIGN,
        learnt and any(one.kind == part.label for one in hits),
    )


def score_statements(rows: Sequence[Row], find: Callable[[Row], list[Statement]]) -> str:
    results, wrong, none, orders = list[tuple[bool, bool, bool]](), 0, 0, 0
    for row in rows:
        parts, found = find_parts(row), find(row)
        lasting = [part for part in parts if part.statement]
        results += [score_part(part, parts, found) for part in lasting]
        none += not lasting
        wrong += bool(found) and not lasting
        orders += sum(
            common(one, part.start, part.end) > MAX_FOREIGN
            for one in found
            for part in parts
            if part.label == "order"
        )
    learnt, intact, kinds = (sum(result[number] for result in results) for number in range(3))
    return (
        f"learnt {share(learnt, len(results))}, intact {share(intact, len(results))}, kind {share(kinds, learnt)}, "
        f"wrongly learnt {share(wrong, none)}, statements with an order {orders}"
    )


def score_ship(rows: Sequence[Row]) -> str:
    ships = [find_request(row["prompt"]) is not None for row in rows if row["ship"]]
    others = [find_request(row["prompt"]) is not None for row in rows if not row["ship"]]
    return f"found {share(sum(ships), len(ships))}, wrongly found {share(sum(others), len(others))}"


def score_pairs(rows: Sequence[Row]) -> str:
    pairs = [(row["relation"], compare_rules(row["old"], row["new"])) for row in rows]
    related = [relation for label, relation in pairs if label != "different"]
    others = [relation for label, relation in pairs if label == "different"]
    right = sum(label == relation != "different" for label, relation in pairs)
    found, wrong = (sum(relation != "different" for relation in side) for side in (related, others))
    return (
        f"related {share(found, len(related))}, as the right relation {share(right, found)}, "
        f"wrongly related {share(wrong, len(others))}"
    )


def score_private(rows: Sequence[Row]) -> str:
    personal = [is_personal(row["text"]) for row in rows if row["personal"]]
    others = [is_personal(row["text"]) for row in rows if not row["personal"]]
    return f"found {share(sum(personal), len(personal))}, wrongly found {share(sum(others), len(others))}"


def score_file(rows: Sequence[Row]) -> str:
    if "relation" in rows[0]:
        return score_pairs(rows)
    if "personal" in rows[0]:
        return score_private(rows)
    if "ship" in rows[0]:
        return score_ship(rows)
    return f"{score_statements(rows, lambda row: find_statements(row['prompt']))}, {score_doubt(rows)}"


def score_doubt(rows: Sequence[Row]) -> str:
    """Return how often the agent is asked about prompts in which nothing was found."""
    unfound = [row for row in rows if not find_statements(row["prompt"])]
    missed, others = (
        [
            may_have_statement(row["prompt"])
            for row in unfound
            if any(p.statement for p in find_parts(row)) is lasting
        ]
        for lasting in (True, False)
    )
    return f"agent asked about {share(sum(missed), len(missed))} missed and {share(sum(others), len(others))} others"


def share(count: int, total: int) -> str:
    return f"{count} of {total} ({100 * count / max(total, 1):.1f} %)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", default=sorted(CORPUS.glob("held*.jsonl")))
    for path in parser.parse_args().files:
        print(f"{path.name}: {score_file(read_rows([path]))}")


if __name__ == "__main__":
    main()
