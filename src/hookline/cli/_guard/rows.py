"""A labelled file: what stands in a row, the event that it means, and whether a verdict is what was wanted.

One JSON object a line. `cmd`, or `tool` with `path`, `input` or `command`, is a call; `text` is the output of
one, with `{{S0}}`, `{{S1}}` for `secrets`, which are kept in pieces so that no file holds one; `prompt` is a
person's. In all of them the home is `/home/test` and the working directory `/home/test/project`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.core.events import Event, PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.outcome import Outcome

HOME, CWD = "/home/test", "/home/test/project"
TOOLS = "claude-code"
"""The host in whose words `tool` is."""
WANTED = ("block", "warn", "redact", "gate")
"""What a guard must do something about."""
HARMLESS = ("allow", "keep", "pass")
APART = "contested"
"""The tier about which good guards differ: counted by itself, in no sum."""
LARGE_CHANGE = 10_000
"""Lines that have changed where a prompt is judged: enough to hold a request to ship."""


class Row(Struct, frozen=True, kw_only=True):
    """One labelled case."""

    id: str
    tier: str
    category: str
    expect: str
    strict: str
    """What is expected under the strictest settings; empty where nobody said."""
    event: Event
    secrets: tuple[str, ...] = ()
    facts: Mapping[str, Any]
    """Facts of the machine as the row wants them."""
    shown: str
    """What it is about, without any secret."""


def read(file: str) -> list[Row]:
    """The rows of *file*; raises `ValueError` that names the first line that is none."""
    rows = list[Row]()
    with open(file, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                rows += [labelled(number, json.loads(line))] if line.strip() else []
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{file}:{number}: is no labelled case: {_short(error)}") from None
    if not rows:
        raise ValueError(f"{file}: holds no labelled cases")
    return rows


def _short(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if type(error) is KeyError else str(error)[:200]


def labelled(number: int, row: Mapping[str, Any]) -> Row:
    """The case that stands on a line; raises whatever a wrong type or a missing field leads to."""
    for key in ("expect", "strict_expect"):
        if row.get(key, HARMLESS[0] if key == "strict_expect" else None) not in (*WANTED, *HARMLESS):
            raise ValueError(f"{key!r} is {row.get(key)!r}; there are: {', '.join((*WANTED, *HARMLESS))}")
    secrets = tuple("".join(pieces) for pieces in row.get("secrets", ()))
    event, shown = _event(row, secrets)
    return Row(
        id=str(row.get("id", f"line {number}")),
        tier=str(row.get("tier", "all")),
        category=str(row.get("category") or row.get("type") or "all"),
        expect=row["expect"],
        strict=row.get("strict_expect", ""),
        event=event,
        secrets=secrets,
        facts={"changed_lines": LARGE_CHANGE, "branch": "work", "ckignore": str(row.get("ckignore", ""))},
        shown=shown,
    )


def _event(row: Mapping[str, Any], secrets: tuple[str, ...]) -> tuple[Event, str]:
    if "prompt" in row:
        return UserPromptSubmit(session="score", cwd=CWD, prompt=row["prompt"]), row["prompt"]
    if "text" in row:
        text = row["text"]
        for number, secret in enumerate(secrets):
            text = text.replace(f"{{{{S{number}}}}}", secret)
        return PostToolUse(session="score", cwd=CWD, tool="shell", kind="shell", output=text), row["text"]
    return _call(row)


def _call(row: Mapping[str, Any]) -> tuple[Event, str]:
    name = row.get("tool", "Bash")
    tool = hosts.load(TOOLS).tools[name]
    given = dict(row.get("input", {}))
    for ours, theirs in (("command", "cmd"), ("command", "command"), ("path", "path")):
        if theirs in row:
            given[tool.places[ours]] = row[theirs]
    if not given:
        raise ValueError("there is no cmd, command, path, input, text or prompt in it")
    event = PreToolUse(
        session="score", host=TOOLS, cwd=CWD, tool=name, kind=tool.kind, places=tool.places, input=given
    )
    return event, f"{name} {' '.join(map(str, given.values()))}" if "tool" in row else row["cmd"]


def said(outcome: Outcome) -> str:
    """The verdict in one word of the labels: block, ask, warn, modify or allow."""
    if outcome.action in ("block", "ask", "modify"):
        return outcome.action
    return "warn" if outcome.context else "allow"


def right(row: Row, expect: str, outcome: Outcome, *, warns: bool) -> bool:
    """Whether the verdict is as expected; *warns* tells that the labels know a warning from silence."""
    word = said(outcome)
    stopped = word in ("block", "ask")
    output = getattr(outcome.event, "output", None)
    return {
        "block": stopped,
        "gate": stopped,
        "warn": word == "warn",
        "redact": not any(secret in str(output) for secret in row.secrets),
        "keep": output == getattr(row.event, "output", None),
        "allow": not stopped and not (warns and word == "warn"),
        "pass": not stopped,
    }[expect]


def warning(rows: Sequence[Row]) -> bool:
    return any("warn" in (row.expect, row.strict) for row in rows)
