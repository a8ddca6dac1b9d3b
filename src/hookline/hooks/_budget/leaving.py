"""Whether a call only commits what is there and leaves: all that is of use once the time is over."""

from __future__ import annotations

from hookline.bash import Reading, Simple, read
from hookline.bash.gitruns import GLOBAL_VALUES
from hookline.bash.options import options, spelled
from hookline.events import PreToolUse
from hookline.pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Shell = Literal["bash", "powershell", "cmd"]

LEAVE = "leave"
"""The kind of tools by which an agent ends its work."""
_GIT = spelled("add commit status diff")
_OUTSIDE = spelled("-c --config-env --exec-path --output -o --ext-diff --textconv")
"""Options by which those would write a file, or run something else."""
_QUIET = spelled("cd true : exit echo printf pwd")
_WRAPPERS = spelled("timeout gtimeout env command nice time bash sh")
"""Programs that are all right if what they run is."""
_HARMLESS = spelled("<< <<- <<< >& <&")
_STEERING = lazy(r"PATH|LD_\w+|BASH_ENV|ENV|IFS|EDITOR|VISUAL|PAGER|GIT_(?!AUTHOR_|COMMITTER_)\w+")
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
        return any(via.split()[0] == command.name for one in line.commands for via in one.via if via)
    if command.name == "cat":  # as in `git commit -m "$(cat <<EOF`
        return len(command.words) == 1 and bool(command.redirects)
    return command.name in _QUIET or not command.words


def _written_nowhere(command: Simple) -> bool:
    return all(one.op in _HARMLESS or one.target.text == "/dev/null" for one in command.redirects)


def _commits(command: Simple) -> bool:
    outer = options(command.words[1:], GLOBAL_VALUES)
    inner = options(outer.operands[1:], ("-m", "-F", "--message", "--file"), mixed=True)
    given = {name for name, _ in (*outer.given, *inner.given)} & _OUTSIDE
    committing = bool(outer.operands) and outer.operands[0].text == "commit"
    if committing:
        given -= {"-c", "-o"} - {
            name for name, _ in outer.given
        }  # `commit -c` takes a message, `-o` names files
    return bool(outer.operands) and outer.operands[0].text in _GIT and not given
