"""Select as seeds a few small inputs that together reach the most code."""

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .inputs import SEEDS, WORK, gathered, kept, name_of, saved
from .targets import TARGETS

TRACED = tuple(f"/hookline/{package}/" for package in ("shell", "redact", "hooks"))
LARGEST = 700
"""Maximum size of a seed, in bytes."""
MOST = 60
"""Maximum number of seeds in one folder."""
CONSIDERED = 1_500
"""Maximum number of candidates per folder, besides the existing seeds."""
Reached = set[tuple[str, int, int]]


def main() -> None:
    for folder in sorted({target.seeds for target in TARGETS.values()}):
        chosen = _chosen({data: _reached(folder, data) for data in set(_candidates(folder))})
        for path in (SEEDS / folder).glob("*"):
            path.unlink()
        for data in chosen:
            saved(SEEDS / folder, name_of(data), data)
        print(f"{folder:8} {len(chosen):3} seeds  {sum(map(len, chosen)):6} bytes")


def _candidates(folder: str) -> Iterator[bytes]:
    yield from kept(SEEDS / folder).values()
    names = [name for name, target in TARGETS.items() if target.seeds == folder]
    fuzzed = (path.read_bytes() for name in names for path in sorted((WORK / name).glob("*")))
    small = sorted({data for data in (*gathered(folder), *fuzzed) if len(data) <= LARGEST}, key=name_of)
    yield from small[:CONSIDERED]


def _reached(folder: str, data: bytes) -> Reached:
    """Return the line transitions that the targets of *folder* execute for *data*."""
    steps: Reached = set()
    before: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not any(room in frame.f_code.co_filename for room in TRACED):
            return None
        steps.add((frame.f_code.co_filename, before.get(frame, 0), frame.f_lineno))
        before[frame] = frame.f_lineno
        return trace

    for name, target in TARGETS.items():
        if target.seeds == folder and not name.startswith("repeated"):
            sys.settrace(trace)
            try:
                target.run(data)
            finally:
                sys.settrace(None)
            before.clear()
    return steps


def _chosen(reached: dict[bytes, Reached]) -> list[bytes]:
    """Return the inputs that add the most coverage for their size, selected greedily."""
    chosen: list[bytes] = []
    while reached and len(chosen) < MOST:
        best = max(reached, key=lambda data: (len(reached[data]) / (20 + len(data)), data))
        news = reached.pop(best)
        chosen.append(best)
        reached = {data: rest for data, steps in reached.items() if (rest := steps - news)}
    return sorted(chosen)


if __name__ == "__main__":
    main()
