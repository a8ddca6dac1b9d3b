"""The messages of the countdown, and the commands that may run when time is short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Literal

from hookline.core.events import PreToolUse
from hookline.core.response import Response, block
from hookline.lazy import re
from hookline.shell import Reading, Redirect, SimpleCommand, Word, read
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import parse_options, word_set


def format_time_left(left: int, wrap_up: int, stop: int) -> str:
    """Return the message about a time budget with *left* seconds remaining."""
    minutes, seconds = divmod(max(left, 0), 60)
    if left <= 0:
        return "▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲"
    if left <= stop:
        return f"▲▲▲ BUDGET: {minutes}m{seconds}s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"
    if left <= wrap_up:
        return f"▲ BUDGET: {minutes}m{seconds}s remaining — wrap up and commit soon"
    return f"BUDGET: {minutes}m remaining"


LEAVE_KIND = "leave"
"""Kind of the tools with which an agent ends its work."""


_GIT_SUBCOMMANDS = word_set("add commit status diff")


_UNSAFE_OPTIONS = word_set("-c --config-env --exec-path --output -o --ext-diff --textconv")
"""Options with which these git commands would write a file or run a program."""


_AUTHOR_SETTINGS = ("user.name=", "user.email=", "commit.gpgsign=false")
"""Settings that `-c` may change: the author of the commit."""


_HARMLESS_PROGRAMS = word_set("cd true : exit echo printf pwd")


_WRAPPERS = word_set("timeout gtimeout env command nice time bash sh")
"""Programs that are allowed if the command that they run is."""


_SHELLS = word_set("bash sh")
"""Wrappers that can also run script files, whose content is not known."""


_FILTERS = word_set("cat head tail wc")
"""Programs that are allowed after a pipe: they shorten output and open no files."""


_HEREDOC_OPERATORS = word_set("<< <<- <<<")


_DESCRIPTOR = re.compile(r"[0-9]*-?")
"""Target of `>&` and `<&` that is a file descriptor; any other target is a file."""


_STEERING_VARIABLE = re.compile(
    r"PATH|LD_\w+|BASH_ENV|ENV|IFS|EDITOR|VISUAL|PAGER|GIT_(?!AUTHOR_|COMMITTER_)\w+"
)


SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}


def only_commits(event: PreToolUse, home: str) -> bool:
    """Return whether *event* commits or leaves, and does nothing else."""
    if event.kind not in SHELLS:
        return event.kind == LEAVE_KIND
    line = read(event.command or "", cwd=event.cwd, home=home, shell=SHELLS[event.kind])
    if line.problems or line.fork_bombs or not line.commands:
        return False
    return all(_is_allowed(command, line) for command in line.commands)


def _is_allowed(command: SimpleCommand, line: Reading) -> bool:
    if any(_STEERING_VARIABLE.fullmatch(name) for name, _ in command.assignments) or not _writes_no_file(
        command
    ):
        return False
    if command.name == "git":
        return _is_safe_git(command)
    if command.name in _WRAPPERS:
        runs_command = any(
            via.split()[0] == command.name for other in line.commands for via in other.via if via
        )
        return runs_command and not _runs_script_file(command)
    if command.name in _FILTERS and not parse_options(command.words[1:], ("-n", "-c"), mixed=True).operands:
        return bool(command.stdin_origins or command.redirects)  # as in `git commit -m "$(cat <<EOF`
    return command.name in _HARMLESS_PROGRAMS or not command.words


def _runs_script_file(command: SimpleCommand) -> bool:
    parsed = parse_options(command.words[1:], ("-c", "-o", "-O"))
    return command.name in _SHELLS and not parsed.has("-c") and bool(parsed.operands)


def _writes_no_file(command: SimpleCommand) -> bool:
    return all(
        _opens_no_file(redirect) or redirect.target.text == "/dev/null" for redirect in command.redirects
    )


def _opens_no_file(redirect: Redirect) -> bool:
    return redirect.op in _HEREDOC_OPERATORS or (
        redirect.op in (">&", "<&") and bool(_DESCRIPTOR.fullmatch(redirect.target.text))
    )


def _is_safe_git(command: SimpleCommand) -> bool:
    outer = parse_options(command.words[1:], GLOBAL_VALUES)
    if not outer.operands or outer.operands[0].text not in _GIT_SUBCOMMANDS:
        return False
    inner = parse_options(outer.operands[1:], ("-m", "-F", "--message", "--file"), mixed=True)
    global_options = {name for name, value in outer.options if name != "-c" or not _sets_author(value)}
    own_options = {name for name, _ in inner.options}
    if outer.operands[0].text == "commit":  # where `-c` takes a message, and `-o` names files
        own_options -= {"-c", "-o"}
    return not (global_options | own_options) & _UNSAFE_OPTIONS


def _sets_author(value: Word | None) -> bool:
    return value is not None and value.text.lower().startswith(_AUTHOR_SETTINGS)


_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


_TIMEOUTS = ("timeout", "gtimeout")


_TIMEOUT_FIELDS = {"timeout_ms": 0.001, "timeout_s": 1.0}
"""Input fields in which a host's shell tool takes a time limit, with their unit in seconds."""


def find_time_limit(event: PreToolUse, home: str) -> float | None:
    """Return the time limit of *event* in seconds, the tool's before the command's; None without one."""
    if event.kind not in SHELLS:
        return None
    tool_timeout = _find_tool_timeout(event)
    if tool_timeout is not None or "timeout" not in (event.command or ""):
        return tool_timeout
    line = read(event.command or "", cwd=event.cwd, home=home, shell=SHELLS[event.kind])
    return max(
        (seconds for command in line.commands for seconds in _find_command_timeouts(command)), default=None
    )


def _find_tool_timeout(event: PreToolUse) -> float | None:
    for field, unit in _TIMEOUT_FIELDS.items():
        value = event.input.get(event.input_keys.get(field, ""))
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return value * unit
    return None


def _find_command_timeouts(command: SimpleCommand) -> Iterator[float]:
    if command.name not in _TIMEOUTS:
        return
    parsed = parse_options(command.words[1:], ("-k", "-s", "--kill-after", "--signal"))
    text = parsed.operands[0].text if parsed.operands else ""
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        return
    yield seconds if seconds > 0 else inf  # 0 means no limit


EXPIRED_MESSAGE = (
    "The time budget has expired. Only `git add`, `git commit`, `git status` and `git diff` may run, and no "
    "files may be written. Commit your work, and end your turn."
)


def check_time(event: PreToolUse, home: str, left: int) -> Response | None:
    """Block *event* if the time has expired, or if its own time limit exceeds the *left* seconds."""
    if left <= 0:
        return None if only_commits(event, home) else block(EXPIRED_MESSAGE, rule="expired")
    seconds = find_time_limit(event, home)
    if seconds is None or seconds <= left:
        return None
    return block(
        f"This command may run for {_format_duration(seconds)}, "
        f"but only {_format_duration(left)} of the time budget are left. "
        "Run it with a shorter timeout, or skip it and commit.",
        rule="too-long",
    )


def _format_duration(seconds: float) -> str:
    if seconds == float("inf"):
        return "an unlimited time"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
