"""Whether a call only commits what is there and leaves: all that is of use once the time is over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from hookline.bash import Reading, Redirect, Simple, Word, read
from hookline.bash.gitruns import GLOBAL_VALUES
from hookline.bash.options import options, spelled
from hookline.events import PreToolUse

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
