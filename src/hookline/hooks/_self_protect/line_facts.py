"""Facts about a whole command line, computed once and shared by the checks of its commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct, field

from hookline.hooks._self_protect.commands import moves_home, sets_switch
from hookline.hooks._self_protect.writes import targets
from hookline.shell import UNKNOWN, SimpleCommand
from hookline.shell.options import parse_options


class Line(Struct, frozen=True, kw_only=True, dict=True):
    text: str
    commands: Sequence[SimpleCommand]
    told: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    """Cache of whether a command's output may name a guarded file, by its number and the links so far."""
    fed: dict[int, Sequence[int]] = field(default_factory=dict)

    def behind(self, number: int) -> Sequence[int]:
        """Return the numbers of the commands whose output this command uses."""
        if number not in self.fed:
            one = self.commands[number]
            given = (*one.stdin_origins, *(origin for word in one.words for origin in word.origins))
            self.fed[number] = tuple(dict.fromkeys(given))
        return self.fed[number]

    @cached_property
    def wrappers(self) -> frozenset[str]:
        """Programs that run another command of the line."""
        return frozenset(via.split()[0] for one in self.commands for via in one.via[-1:] if via.strip())

    @cached_property
    def escapes(self) -> bool:
        """True if the line contains a `$'...'` string."""
        return "$'" in self.text

    @cached_property
    def sets(self) -> bool:
        """True if a text in the line sets one of the switches."""
        return any(sets_switch(text) for one in self.commands for text in _texts(one))

    @cached_property
    def moves(self) -> bool:
        """True if a text in the line changes the folders of the user's own files."""
        return any(moves_home(text) for one in self.commands for text in _texts(one))

    @cached_property
    def changing(self) -> Sequence[SimpleCommand]:
        """Commands that write to an unknown path, or to the results of `find`."""
        return [one for one in self.commands if _changes(one)]

    @cached_property
    def listed(self) -> Sequence[str]:
        """Files that `xargs` may read."""
        return [path for one in self.commands if one.name == "xargs" for path in files(one)]


def _texts(command: SimpleCommand) -> Iterator[str]:
    yield command.stdin
    yield from (word.text for word in command.words[1:])


def _changes(command: SimpleCommand) -> bool:
    found = bool(command.via) and command.via[-1].startswith("find")
    written = (target for target in targets(command, frozenset()) if target.sure)
    return any(found or UNKNOWN in target.word.text for target in written)


def files(command: SimpleCommand) -> Iterator[str]:
    """Yield the files that a command may read: input redirections and operands."""
    yield from (one.target.text for one in command.redirects if one.op in ("<", "<>"))
    yield from (word.text for word in parse_options(command.words[1:], mixed=True).operands)
    yield from (word.text.lstrip("-a") for word in command.words[1:] if command.name == "xargs")
