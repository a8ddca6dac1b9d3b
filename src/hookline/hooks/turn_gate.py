"""Run your own checks before a turn may end: what fails is told to the agent, and the turn goes on.

`commands` lists them: each a command line, or a table of one with its `timeout` and whatever else an entry of
hooks.json may say. Each is a hook of its own, called `turn-gate.user-1` and so on, and those of your files
and of a project that you trust add up. A command that exits with 2, or fails in any other way, blocks; with
`on_failure = "warn"` only 2 does. One that is too slow only warns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.events import TurnEnd
from hookline.core.hook import hook
from hookline.core.state import State


@hook(priority=45, nature="policy", runs="commands")
def turn_gate(event: TurnEnd, state: State, *, commands: tuple[str | Mapping[str, Any], ...] = ()) -> None:
    """Run your own checks before a turn may end: what fails is told to the agent, and the turn goes on.

    The commands are hooks of their own; what is left here is to switch them off together.
    """
