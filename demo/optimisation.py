"""A small optimisation: the embedded agent tunes a compressor, and a guard rejects results that lose data."""

# ruff: noqa: INP001, TID251 -- part of a script, which runs processes with their own environment

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

PROJECT = Path(__file__).parent / "project"
CHART = Path(__file__).parent.parent / "build" / "demo.png"
ABOUT = (
    "A temporary repository with a compressor. Its algorithm and three numbers are marked with `# tune:`. "
    "The embedded agent makes twelve experiments. Each is committed, then checked by the guard and measured "
    "in a clean checkout, and kept only if it is better. One number gains by losing data: the guard must "
    "reject that.\n"
)
REJECTED = ("guard_failed", "scope_violation", "hook_blocked")
TIMEOUT = 300.0
"""Seconds per command."""
WIDTH = 40


def optimise(home: Path, console: Console) -> bool:
    """Run the optimisation and show it; return whether it succeeded."""
    console.print(Rule("[bold]the engine: hookline run[/]"))
    console.print(Text(ABOUT, style="dim"))
    repository, start = _create_repository(home), time.monotonic()
    exit_code = _hookline(home, repository, "run")
    journal = next(repository.glob("autoresearch/*/results.tsv"), None)
    if journal is None:
        console.print("[yellow]The run did not start; the message above says why.[/]\n")
        return False
    rows = _rows(journal)
    console.print(f"{len(rows) - 1} experiments in {time.monotonic() - start:.1f} s\n")
    _show_rejected(rows, console)
    _show_journal(journal, rows, console)
    _save_chart(home, repository, console)
    return exit_code == 0 and any(row["status"] == "keep" for row in rows)


def _create_repository(home: Path) -> Path:
    repository = home / "compressor"
    shutil.copytree(PROJECT, repository, ignore=shutil.ignore_patterns("__pycache__"))
    identity = ["-c", "user.name=demo", "-c", "user.email=demo@example.invalid"]
    for args in (
        ["init", "--quiet", "--initial-branch", "main"],
        ["add", "."],
        [*identity, "commit", "-qm", "start"],
    ):
        subprocess.run(["git", *args], cwd=repository, env=_env(home), check=True, timeout=TIMEOUT)
    return repository


def _env(home: Path) -> dict[str, str]:
    inherited = {
        name: os.environ[name] for name in ("PATH", "TERM", "COLUMNS", "LINES") if name in os.environ
    }
    return {
        **inherited,
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "MPLCONFIGDIR": str(CHART.parent),
    }


def _hookline(home: Path, repository: Path, *args: str, quiet: bool = False) -> int:
    """Run hookline with the output of the demo, so that a terminal shows it live; return the exit code."""
    sys.stdout.flush()
    argv = [sys.executable, "-m", "hookline", *args]
    stdout = subprocess.DEVNULL if quiet else None
    env = _env(home)
    return subprocess.run(
        argv, cwd=repository, env=env, stdout=stdout, check=False, timeout=TIMEOUT
    ).returncode


def _rows(journal: Path) -> list[dict[str, str]]:
    lines = [line.split("\t") for line in journal.read_text(encoding="utf-8").splitlines()]
    return [dict(zip(lines[1], line, strict=True)) for line in lines[2:]]


def _show_journal(journal: Path, rows: list[dict[str, str]], console: Console) -> None:
    """Show the journal with a bar per metric; shorter is better."""
    console.print(Rule(f"the journal: {Path(*journal.parts[-3:])}"))
    largest = max(float(row["metric"]) for row in rows if row["metric"])
    for row in rows:
        style = {"keep": "green", "baseline": "blue"}.get(
            row["status"], "red" if row["guard"] == "fail" else "dim"
        )
        bar = "█" * round(WIDTH * float(row["metric"] or 0) / largest)
        numbers = f"{row['iteration']:>3} {row['status']:<13} {row['metric']:>6}"
        text = f"{numbers} {bar:<{WIDTH}} {row['description']}"
        console.print(Text(text, style=style), no_wrap=True, overflow="ellipsis")
    first, best = float(rows[0]["metric"]), float(rows[-1]["best"])
    console.print(f"\n{first:g} bytes reduced to [bold green]{best:g}[/], {1 - best / first:.0%} less")


def _show_rejected(rows: list[dict[str, str]], console: Console) -> None:
    console.print(Rule("results that the guard rejected"))
    rejected = [row for row in rows if row["status"] in REJECTED and row["delta"].startswith("-")]
    for row in rejected:
        text = f"{row['iteration']:>3} {row['delta']:>7} bytes, but the data is not restored: "
        console.print(Text(text + row["description"].partition(";")[0]), no_wrap=True, overflow="ellipsis")
    console.print()


def _save_chart(home: Path, repository: Path, console: Console) -> None:
    CHART.parent.mkdir(exist_ok=True)
    if _hookline(home, repository, "plot", "--out", str(CHART), quiet=True) == 0:
        console.print(f"Chart of the run, by `hookline plot`: [bold]{CHART.parent.name}/{CHART.name}[/]\n")
