"""Find tool calls that would load much into the context."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.state import State
from hookline.shell import UNKNOWN, Reading, Redirect, SimpleCommand, read
from hookline.shell.options import parse_options, word_set

_PRINTERS = word_set("cat less more nl tac")
_SAVING_OPTIONS = ("-o", "-O", "--output", "--remote-name", "-I", "--head")
"""Options with which `curl` does not print the response body."""
_BYTES_PER_KB = 1000


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
        return _find_shell_load(event, state, lines, size)
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
    line_count, byte_count = measure(full_path, line_range[0] or 0, line_range[1], limits[1])
    if line_count <= limits[0] and byte_count <= limits[1]:
        return None
    amount = f"{line_count:,} lines" if line_count > limits[0] else f"{byte_count // _BYTES_PER_KB:,} kB"
    max_kb = limits[1] // _BYTES_PER_KB
    instead = (
        f"Search the file, or read only the part that you need: at most {limits[0]} lines and {max_kb} kB."
    )
    return Load("large-read", f"Reading {path} ({amount})", instead)


def _find_shell_load(event: PreToolUse, state: State, lines: int, size: int) -> Load | None:
    line = read(event.command or "", cwd=event.cwd, home=state.home)
    for command in _visible_commands(line):
        parsed = parse_options(command.words[1:], mixed=True)
        if command.name == "curl":
            if parsed.has(*_SAVING_OPTIONS):
                continue
            return Load("fetch", "Printing a page with `curl`", _WITHOUT_FETCH)
        for word in (
            *parsed.operands,
            *(redirect.target for redirect in command.redirects if redirect.op == "<"),
        ):
            cwd = command.cwd or event.cwd
            file_load = (
                None if UNKNOWN in word.text else _find_file_load(word.text, cwd, state, (lines, size))
            )
            if file_load is not None:
                return file_load
    return None


def _visible_commands(line: Reading) -> Iterator[SimpleCommand]:
    """Yield the commands whose output the agent reads: not piped into a command, not written to a file."""
    piped = {number for command in line.commands for number in command.stdin_origins}
    for number, command in enumerate(line.commands):
        is_saved = any(map(_redirects_stdout, command.redirects))
        if (
            command.name in {*_PRINTERS, "curl"}
            and number not in piped
            and not is_saved
            and "$(…)" not in command.via
        ):
            yield command


def _redirects_stdout(redirect: Redirect) -> bool:
    """Return whether a redirect takes standard output; descriptors other than 1 do not."""
    return redirect.op in ("&>", "&>>") or (redirect.op in (">", ">>", ">|") and redirect.fd in ("", "1"))
