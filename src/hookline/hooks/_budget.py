"""Judge tool calls against the budgets: large loads into the context, and commands when time is short."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from math import inf
from typing import Literal, NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.response import Response, block
from hookline.core.state import State
from hookline.shell import UNKNOWN, Reading, Redirect, Simple, Word, read
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import options, spelled

_SHOWING = spelled("cat less more nl tac")
_KEPT = ("-o", "-O", "--output", "--remote-name", "-I", "--head")
"""Options with which `curl` does not print what it fetches."""
_KILO = 1000


class Load(NamedTuple):
    rule: str
    what: str
    instead: str


def load(event: PreToolUse, state: State, lines: int, size: int) -> Load | None:
    """What *event* would load that has more than so many *lines* or bytes; None where it would not."""
    if event.kind == "agent":
        return Load("new-helper", "A helper brings its answer into the context", _ALONE)
    if event.kind == "fetch":
        return Load("fetch", "A fetched page is loaded whole", _LATER)
    if event.kind == "shell":
        return _shell(event, state, lines, size)
    return _file(event.path, event.cwd, state, (lines, size), _part(event))


_ALONE = "Do the step at hand yourself, commit it, and leave the rest to a fresh session."
_LATER = "Go on with what you know, or leave it to a fresh session."


def _part(event: PreToolUse) -> tuple[int | None, int | None]:
    """After how many lines it begins, and how many it has; some hosts name its first and its last line."""
    if "first" not in event.places:
        return _number(event, "offset"), _number(event, "limit")
    before, last = max((_number(event, "first") or 1) - 1, 0), _number(event, "last")
    return before, None if last is None else max(last - before, 0)


def _number(event: PreToolUse, name: str) -> int | None:
    value = event.input.get(event.places.get(name, name))
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _file(
    path: str | None,
    cwd: str,
    state: State,
    most: tuple[int, int],
    part: tuple[int | None, int | None] = (None, None),
) -> Load | None:
    weigh = state.facts.get("weight")
    if not path or weigh is None:
        return None
    whole = posixpath.join(cwd, path.replace("~", state.home, path.startswith("~/")))
    found_lines, found_size = weigh(whole, part[0] or 0, part[1], most[1])
    if found_lines <= most[0] and found_size <= most[1]:
        return None
    much = f"{found_lines:,} lines" if found_lines > most[0] else f"{found_size // _KILO:,} kB"
    instead = f"Search it, or read the part that you need: at most {most[0]} lines and {most[1] // _KILO} kB."
    return Load("large-read", f"{path} has {much} to load", instead)


def _shell(event: PreToolUse, state: State, lines: int, size: int) -> Load | None:
    line = read(event.command or "", cwd=event.cwd, home=state.home)
    for command in _visible_commands(line):
        split = options(command.words[1:], mixed=True)
        if command.name == "curl":
            if split.has(*_KEPT):
                continue
            return Load("fetch", "`curl` prints all that it fetches", _LATER)
        for word in (*split.operands, *(one.target for one in command.redirects if one.op == "<")):
            cwd = command.cwd or event.cwd
            found = None if UNKNOWN in word.text else _file(word.text, cwd, state, (lines, size))
            if found is not None:
                return found
    return None


def _visible_commands(line: Reading) -> Iterator[Simple]:
    """Commands whose output the agent reads: it goes into no other command, and into no file."""
    eaten = {number for one in line.commands for number in one.fed}
    for number, one in enumerate(line.commands):
        kept = any(map(_takes_output, one.redirects))
        if one.name in {*_SHOWING, "curl"} and number not in eaten and not kept and "$(…)" not in one.via:
            yield one


def _takes_output(redirect: Redirect) -> bool:
    """What is redirected by a number other than 1 is what goes wrong."""
    return redirect.op in ("&>", "&>>") or (redirect.op in (">", ">>", ">|") and redirect.fd in ("", "1"))


def said(left: int, wrap_up: int, stop: int) -> str:
    """What is said of a time budget with so many seconds *left*."""
    minutes, seconds = divmod(max(left, 0), 60)
    if left <= 0:
        return "▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲"
    if left <= stop:
        return f"▲▲▲ BUDGET: {minutes}m{seconds}s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"
    if left <= wrap_up:
        return f"▲ BUDGET: {minutes}m{seconds}s remaining — wrap up and commit soon"
    return f"BUDGET: {minutes}m remaining"


Shell = Literal["bash", "powershell", "cmd"]

LEAVE = "leave"
"""The kind of tools by which an agent ends its work."""
_GIT = spelled("add commit status diff")
_OUTSIDE = spelled("-c --config-env --exec-path --output -o --ext-diff --textconv")
"""Options by which those would write a file, or run something else."""
_WHOSE = ("user.name=", "user.email=", "commit.gpgsign=false")
"""What `-c` may set: whose commit it is."""
_QUIET = spelled("cd true : exit echo printf pwd")
_WRAPPERS = spelled("timeout gtimeout env command nice time bash sh")
"""Programs that are all right if what they run is."""
_SHELLS = spelled("bash sh")
"""Of those, the ones that also run files, of which a line tells nothing."""
_SHORTENING = spelled("cat head tail wc")
"""Programs that are all right behind a pipe: they show less of what was printed, and open nothing."""
_HARMLESS = spelled("<< <<- <<<")
_COPIED = re.compile(r"[0-9]*-?")
"""What `>&` and `<&` make of a number is no file; of anything else it is one."""
_STEERING = re.compile(r"PATH|LD_\w+|BASH_ENV|ENV|IFS|EDITOR|VISUAL|PAGER|GIT_(?!AUTHOR_|COMMITTER_)\w+")
SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}


def leaves(event: PreToolUse, home: str) -> bool:
    """Whether *event* commits or leaves, and does nothing else."""
    if event.kind not in SHELLS:
        return event.kind == LEAVE
    line = read(event.command or "", cwd=event.cwd, home=home, shell=SHELLS[event.kind])
    if line.problems or line.bombs or not line.commands:
        return False
    return all(_fine(command, line) for command in line.commands)


def _fine(command: Simple, line: Reading) -> bool:
    if any(_STEERING.fullmatch(name) for name, _ in command.assignments) or not _written_nowhere(command):
        return False
    if command.name == "git":
        return _commits(command)
    if command.name in _WRAPPERS:
        runs = any(via.split()[0] == command.name for one in line.commands for via in one.via if via)
        return runs and not _runs_a_file(command)
    if command.name in _SHORTENING and not options(command.words[1:], ("-n", "-c"), mixed=True).operands:
        return bool(command.fed or command.redirects)  # as in `git commit -m "$(cat <<EOF`
    return command.name in _QUIET or not command.words


def _runs_a_file(command: Simple) -> bool:
    split = options(command.words[1:], ("-c", "-o", "-O"))
    return command.name in _SHELLS and not split.has("-c") and bool(split.operands)


def _written_nowhere(command: Simple) -> bool:
    return all(_no_file(one) or one.target.text == "/dev/null" for one in command.redirects)


def _no_file(one: Redirect) -> bool:
    return one.op in _HARMLESS or (one.op in (">&", "<&") and bool(_COPIED.fullmatch(one.target.text)))


def _commits(command: Simple) -> bool:
    outer = options(command.words[1:], GLOBAL_VALUES)
    if not outer.operands or outer.operands[0].text not in _GIT:
        return False
    inner = options(outer.operands[1:], ("-m", "-F", "--message", "--file"), mixed=True)
    before = {name for name, value in outer.given if name != "-c" or not _names_somebody(value)}
    behind = {name for name, _ in inner.given}
    if outer.operands[0].text == "commit":  # where `-c` takes a message, and `-o` names files
        behind -= {"-c", "-o"}
    return not (before | behind) & _OUTSIDE


def _names_somebody(value: Word | None) -> bool:
    return value is not None and value.text.lower().startswith(_WHOSE)


_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_TIMEOUTS = ("timeout", "gtimeout")
_PLACES = {"timeout_ms": 0.001, "timeout_s": 1.0}
"""Where a host's shell tool takes a time limit, and what it counts in."""


def longest(event: PreToolUse, home: str) -> float | None:
    """The seconds that *event* gives itself; None where it says nothing. What the tool ends is over."""
    if event.kind not in SHELLS:
        return None
    told = _told(event)
    if told is not None or "timeout" not in (event.command or ""):
        return told
    line = read(event.command or "", cwd=event.cwd, home=home, shell=SHELLS[event.kind])
    return max((seconds for one in line.commands for seconds in _given(one)), default=None)


def _told(event: PreToolUse) -> float | None:
    for place, unit in _PLACES.items():
        value = event.input.get(event.places.get(place, ""))
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return value * unit
    return None


def _given(command: Simple) -> Iterator[float]:
    if command.name not in _TIMEOUTS:
        return
    split = options(command.words[1:], ("-k", "-s", "--kill-after", "--signal"))
    text = split.operands[0].text if split.operands else ""
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        return
    yield seconds if seconds > 0 else inf  # 0 is no limit


OVER = (
    "The time budget is over. Only `git add`, `git commit`, `git status` and `git diff` run now, and nothing "
    "new is written: commit what you have, and end your turn."
)


def stopped(event: PreToolUse, home: str, left: int) -> Response | None:
    """What to say to *event* with so many seconds *left*."""
    if left <= 0:
        return None if leaves(event, home) else block(OVER, rule="expired")
    seconds = longest(event, home)
    if seconds is None or seconds <= left:
        return None
    return block(
        f"This command gives itself {_duration(seconds)}, and {_duration(left)} of the time budget are left. "
        "Run it with a timeout that ends before, or commit and leave it out.",
        rule="too-long",
    )


def _duration(seconds: float) -> str:
    if seconds == float("inf"):
        return "no end"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
