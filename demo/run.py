"""Recorded sessions with hooks, then a run of the engine.

Requires no key and no network; everything happens in a temporary home. With `--sessions`, only the recorded
sessions are played, and all of them.
"""

# ruff: noqa: INP001 -- a script

import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from optimisation import optimise
from recorded import LOOKS, Stage, play, show_trail
from rich.console import Console
from rich.rule import Rule
from scenes import SCENES

SHORT = ("2-clock.jsonl", "3-dangers.jsonl")
"""Sessions that are played before the run of the engine."""
NEXT = "Next: [bold]pipx install .[/], then [bold]hookline init[/] in your repository, to guard your agents."


def main() -> int:
    console, only_sessions = Console(highlight=False), "--sessions" in sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="hookline-demo-", ignore_cleanup_errors=True) as folder:
        home = Path(folder).resolve()
        with Stage(home) as stage:
            sessions(stage, console, every=only_sessions)
        succeeded = only_sessions or optimise(home, console)
    console.print(NEXT)
    return 0 if succeeded else 1


def sessions(stage: Stage, console: Console, *, every: bool) -> None:
    """Play recorded sessions; show the number of calls, their decisions and their time."""
    start, counts = time.monotonic(), Counter[str]()
    for scene in SCENES:
        if every or scene.session in SHORT:
            counts += play(scene, stage, console)
    if every:
        stage.set_up(SCENES[0])
        show_trail(stage, console)
    shown = ", ".join(
        f"[{style}]{counts[kind]} {kind}[/]" for kind, (style, _) in LOOKS.items() if counts[kind]
    )
    median = statistics.median(stage.call_times) * 1000
    console.print(Rule())
    console.print(
        f"{len(stage.call_times)} hook calls in {time.monotonic() - start:.1f} s "
        f"(median {median:.0f} ms): {shown}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
