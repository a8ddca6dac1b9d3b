"""The engine at work on a scratch repository, then recorded sessions through the real `hookline hook`.

Needs no key and no network: a scratch home, a scratch repository, real processes. With `--sessions` all
recorded sessions are played, and nothing else.
"""

# ruff: noqa: INP001 -- a script

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from optimisation import optimise
from recorded import LOOKS, Stage, play, show_trail
from rich.console import Console
from rich.rule import Rule
from rich.text import Text
from scenes import SCENES

SHORT = ("2-clock.jsonl", "3-dangers.jsonl")
"""The sessions that are played where the engine was at work before."""
NEXT = """
Try next:
  hookline target new NAME    say what to improve in a repository of yours
  hookline run                improve it, experiment by experiment
  hookline init               wire your own agents to the guards
"""


def main() -> int:
    console, began = Console(highlight=False), time.monotonic()
    whole = "--sessions" in sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="hookline-demo-") as folder:
        home = Path(folder).resolve()
        worked = whole or optimise(home, console)
        counts = sessions(Stage(home), console, whole=whole)
    told = ", ".join(f"[{look}]{counts[word]} {word}[/]" for word, (look, _) in LOOKS.items() if counts[word])
    console.print(Rule())
    console.print(f"{counts['calls']} calls of hooks, all in {time.monotonic() - began:.1f} s: {told}")
    console.print(Text(NEXT.rstrip()))
    return 0 if worked else 1


def sessions(stage: Stage, console: Console, *, whole: bool) -> Counter[str]:
    """What an agent's own session looks like meanwhile."""
    counts: Counter[str] = Counter()
    for scene in SCENES:
        if whole or scene.session in SHORT:
            counts += play(scene, stage, console)
    if whole:
        stage.set_up(SCENES[0])
        show_trail(stage, console)
    return counts


if __name__ == "__main__":
    sys.exit(main())
