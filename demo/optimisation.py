"""A small real optimisation: the embedded agent makes a compressor's settings better, and cannot cheat."""

# ruff: noqa: INP001, TID251 -- a script's neighbour, which runs processes in an environment of its own

import os
import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

PROJECT = Path(__file__).parent / "project"
CHART = Path(__file__).parent.parent / "build" / "demo.png"
ABOUT = (
    "A scratch repository with a compressor: one choice of algorithm, three numbers, all marked `# tune:`. "
    "The embedded agent has twelve experiments; each is committed, guarded and measured in a clean checkout, "
    "and kept only if it is better. One of the numbers gains by losing data: the guard has to see that.\n"
)
STOPPED = ("guard_failed", "scope_violation", "hook_blocked")
LIMIT = 300.0
WORKED = 2
"""How a run exits that has used all its experiments."""
WIDE = 40


def optimise(home: Path, console: Console) -> bool:
    """Whether it went as it should."""
    console.print(Rule("[bold]the engine at work: hookline run[/]"))
    console.print(Text(ABOUT, style="dim"))
    repository = _repository(home)
    ran = _hookline(home, repository, "run")
    (journal,) = repository.glob("autoresearch/*/results.tsv")
    rows = _rows(journal)
    _journal(journal, rows, console)
    _stopped(rows, console)
    _chart(home, repository, console)
    return ran == WORKED and any(row["status"] == "keep" for row in rows)


def _repository(home: Path) -> Path:
    repository = home / "compressor"
    shutil.copytree(PROJECT, repository, ignore=shutil.ignore_patterns("__pycache__"))
    who = ["-c", "user.name=demo", "-c", "user.email=demo@example.invalid"]
    for words in (
        ["init", "--quiet", "--initial-branch", "main"],
        ["add", "."],
        [*who, "commit", "-qm", "begin"],
    ):
        subprocess.run(["git", *words], cwd=repository, env=_env(home), check=True, timeout=LIMIT)
    return repository


def _env(home: Path) -> dict[str, str]:
    known = {name: os.environ[name] for name in ("PATH", "TERM", "COLUMNS", "LINES") if name in os.environ}
    return {
        **known,
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "MPLCONFIGDIR": str(CHART.parent),
    }


def _hookline(home: Path, repository: Path, *words: str, quiet: bool = False) -> int:
    """Where the demo's own output goes, so that a terminal shows it live."""
    sys.stdout.flush()
    argv = [sys.executable, "-m", "hookline", *words]
    told = subprocess.DEVNULL if quiet else None
    env = _env(home)
    return subprocess.run(argv, cwd=repository, env=env, stdout=told, check=False, timeout=LIMIT).returncode


def _rows(journal: Path) -> list[dict[str, str]]:
    lines = [line.split("\t") for line in journal.read_text(encoding="utf-8").splitlines()]
    return [dict(zip(lines[1], line, strict=True)) for line in lines[2:]]


def _journal(journal: Path, rows: list[dict[str, str]], console: Console) -> None:
    """As a chart of its own: the longer, the worse."""
    console.print(Rule(f"the journal: {Path(*journal.parts[-3:])}"))
    most = max(float(row["metric"]) for row in rows if row["metric"])
    for row in rows:
        style = {"keep": "green", "baseline": "blue"}.get(
            row["status"], "red" if row["guard"] == "fail" else "dim"
        )
        bar = "█" * round(WIDE * float(row["metric"] or 0) / most)
        text = (
            f"{row['iteration']:>3} {row['status']:<13} {row['metric']:>6} {bar:<{WIDE}} {row['description']}"
        )
        console.print(Text(text, style=style), no_wrap=True, overflow="ellipsis")
    first, best = float(rows[0]["metric"]), float(rows[-1]["best"])
    console.print(f"\n{first:g} bytes became [bold green]{best:g}[/], {1 - best / first:.0%} less\n")


def _stopped(rows: list[dict[str, str]], console: Console) -> None:
    console.print(Rule("what the guard stopped on the way"))
    better = [row for row in rows if row["status"] in STOPPED and row["delta"].startswith("-")]
    for row in better:
        text = f"{row['iteration']:>3} {row['delta']:>7} bytes, but what comes out is not what went in: "
        console.print(Text(text + row["description"].partition(";")[0]), no_wrap=True, overflow="ellipsis")
    console.print()


def _chart(home: Path, repository: Path, console: Console) -> None:
    CHART.parent.mkdir(exist_ok=True)
    if _hookline(home, repository, "plot", "--out", str(CHART), quiet=True) == 0:
        console.print(f"The chart of it, by `hookline plot`, is [bold]{CHART.parent.name}/{CHART.name}[/].\n")
