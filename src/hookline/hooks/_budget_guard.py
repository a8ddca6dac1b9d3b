"""Find tool calls that would load much into the context."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.state import State
from hookline.hooks._load_size import Amount, find_outputs
from hookline.lazy import re
from hookline.shell import UNKNOWN, SimpleCommand, read
from hookline.shell.options import parse_options

_SAVING_OPTIONS = ("-o", "-O", "--output", "--remote-name", "-I", "--head")
"""Options with which `curl` does not print the response body."""
_STATUS_PAGE = re.compile(r"/(?:health\w*|ready\w*|live\w*|status|version|ping|up)/?$")
_BYTES_PER_KB = 1000
_SHORT_LINES = 4
"""Lines count only in output of at least this part of the size limit."""


class Load(NamedTuple):
    """A large load into the context: its rule, the action, and the advice to the agent."""

    rule: str
    what: str
    instead: str


def find_load(event: PreToolUse, state: State, lines: int, size: int) -> Load | None:
    """Return the large load that *event* causes, of a file with more than *lines* lines or *size* bytes."""
    if event.kind == "agent":
        return Load("new-helper", "Starting a subagent", _WITHOUT_HELPER)
    if event.kind == "fetch":
        return Load("fetch", "Fetching a page", _WITHOUT_FETCH)
    if event.kind == "shell":
        return _find_shell_load(event, state, (lines, size))
    return _find_file_load(event.path, event.cwd, state, (lines, size), _read_range(event))


_WITHOUT_HELPER = "Do the current step yourself, commit it, and leave the rest to a new session."
_WITHOUT_FETCH = "Continue without it, or leave it to a new session."


def _read_range(event: PreToolUse) -> tuple[int | None, int | None]:
    """Return the number of lines skipped and read; some hosts name the first and the last line instead."""
    if "first" not in event.input_keys:
        return _read_count(event, "offset"), _read_count(event, "limit")
    before, last = max((_read_count(event, "first") or 1) - 1, 0), _read_count(event, "last")
    return before, None if last is None else max(last - before, 0)


def _read_count(event: PreToolUse, name: str) -> int | None:
    value = event.input.get(event.input_keys.get(name, name))
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _find_file_load(
    path: str | None,
    cwd: str,
    state: State,
    limits: tuple[int, int],
    line_range: tuple[int | None, int | None] = (None, None),
) -> Load | None:
    measure = state.facts.get("measure_file")
    if not path or measure is None:
        return None
    full_path = posixpath.join(cwd, path.replace("~", state.home, path.startswith("~/")))
    amount = Amount(*measure(full_path, line_range[0] or 0, line_range[1], limits[1]))
    return _describe_read(path, amount, limits) if _is_large(amount, limits) else None


def _is_large(amount: Amount, limits: tuple[int, int]) -> bool:
    """Return whether an amount is over the size, or has many lines that are not all very short."""
    return amount.size > limits[1] or (amount.lines > limits[0] and amount.size > limits[1] // _SHORT_LINES)


def _describe_read(path: str, amount: Amount, limits: tuple[int, int]) -> Load:
    is_long = amount.lines > limits[0]
    size = f"{amount.lines:,} lines" if is_long else f"{amount.size // _BYTES_PER_KB:,} kB"
    max_kb = limits[1] // _BYTES_PER_KB
    instead = (
        f"Search the file, or read only the part that you need: at most {limits[0]} lines and {max_kb} kB."
    )
    return Load("large-read", f"Reading {path} ({size})", instead)


def _find_shell_load(event: PreToolUse, state: State, limits: tuple[int, int]) -> Load | None:
    measure = state.facts.get("measure_file") or (lambda *_: (0, 0))
    line = read(event.command or "", cwd=event.cwd, home=state.home)
    for output in find_outputs(line, event.cwd, state.home, lambda *part: measure(*part, limits[1])):
        if _fetches(output.command):
            return Load("fetch", f"Printing a page with `{output.command.name}`", _WITHOUT_FETCH)
        if _is_large(output.amount, limits):
            if output.path and UNKNOWN not in output.path:
                return _describe_read(output.path, output.amount, limits)
            return Load("large-read", f"Printing all output of `{output.command.name}`", _LIMITED)
    return None


_LIMITED = "Limit it, count it, search it, or write it to a file."


def _fetches(command: SimpleCommand) -> bool:
    """Return whether a command prints a page; a status page is short."""
    words = [word.text for word in command.words[1:]]
    if command.name == "wget":
        return any(word.lstrip("-").endswith("O-") or word == "-" for word in words)
    if command.name not in ("curl", "http", "xh") or any(map(_STATUS_PAGE.search, words)):
        return False
    return not parse_options(command.words[1:], mixed=True).has(*_SAVING_OPTIONS)
