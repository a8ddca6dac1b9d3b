"""What a command is."""

from __future__ import annotations

from hookline.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable


@record
class Command:
    """One file of this room."""

    about: str
    """One sentence, for the list of commands."""
    examples: str
    """What to type, a line each, with what it gives."""
    run: Callable[[Namespace], int]
    """The exit code."""
    arguments: Callable[[ArgumentParser], None] = lambda parser: None
    exits: str = "0 when it worked, 1 when it did not, 2 when it was called wrongly"
