"""The template of a new target file, for `hookline target new`."""

import json
from collections.abc import Sequence

from hookline.engine.target import Direction

TEXT = """\
goal = {goal}

[scope]
mutable = {mutable}
# immutable = ["tests/**"]      # never changed, also where it is in the scope above

[metric]
command = {command}
direction = "{direction}"
# extract = "grep total"        # what the output goes through; the last number counts
# target = 1.0                  # the run ends when this is reached
# repeats = 1                   # the median of so many runs
# min_delta = 0.0               # what is not better by more than this is not better
# timeout = "10m"
# name = "seconds"
# unit = "s"
{guard}
[agent]
host = "{host}"
{agent}# budget = "20m"                # for each experiment
# grace = "30s"                 # after the budget, to commit
# args = []
# env = {{}}

[limits]
experiments = 50
# time = "8h"
# tokens = 5000000
# cost = 20.0                   # in US dollars
# failures = 5                  # in a row, that did not work at all

# [escalation]                  # failures in a row, then pivots
# refine = 3
# pivot = 5
# search = 2
# halt = 3
# plateau = 20                  # experiments without a better result

# [noise]
# kind = "auto"                 # or deterministic, noisy
# samples = 4
# p = 0.05
"""
GUARD = """
[guard]
command = {command}
# extract = "grep total"
# threshold = 90.0              # the last number of its output; else the exit code counts
# direction = "higher"
# timeout = "10m"
# rework = 2                    # how often the agent may mend what fails
"""
NO_GUARD = """
# [guard]                       # what must hold whatever is gained
# command = "make test"
# extract = "grep total"
# threshold = 90.0              # the last number of its output; else the exit code counts
# direction = "higher"
# timeout = "10m"
# rework = 2                    # how often the agent may mend what fails
"""
HOST_LINES = """\
# profile = "default"           # a folder .hookline/agents/NAME
# model = "its-name"
"""


def render_target(
    name: str,
    *,
    host: str,
    goal: str = "",
    mutable: Sequence[str] = (),
    metric: str = "",
    direction: Direction = "lower",
    guard: str = "",
    command: str = "",
) -> str:
    """Return the text of a new target file; commented lines show the defaults."""
    agent_lines = f"command = {quote(command or 'python improve.py')}\n" if host == "command" else ""
    agent_lines = agent_lines if host in ("command", "tuner") else HOST_LINES
    return TEXT.format(
        goal=quote(goal or f"Make {name} better."),
        mutable=f"[{', '.join(map(quote, mutable or ['src/**']))}]",
        command=quote(metric or "python bench.py"),
        direction=direction,
        guard=GUARD.format(command=quote(guard)) if guard else NO_GUARD,
        host=host,
        agent=agent_lines,
    )


def quote(value: str) -> str:
    """Return the value as a TOML string, which is nearly a JSON string."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
