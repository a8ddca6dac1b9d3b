"""Run your own checks before a turn may end.

If one of the `commands` fails, the agent reads its output and the turn continues. A command is a line, or a
table like an entry of hooks.json. With `on_failure = "warn"`, only exit code 2 blocks; a timeout only warns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.events import TurnEnd
from hookline.core.hook import hook
from hookline.core.state import State


@hook(priority=45, nature="policy", runs="commands")
def turn_gate(event: TurnEnd, state: State, *, commands: tuple[str | Mapping[str, Any], ...] = ()) -> None:
    """Run your own checks before a turn may end.

    Each command is a separate hook; this function only lets the user switch off all of them together.
    """
