"""Labelled rows: the event that a row describes, and whether a verdict matches its label.

One JSON object per line. `cmd`, or `tool` with `path`, `input` or `command`, is a call; `text` is the output
of one, with `{{S0}}`, `{{S1}}` for `secrets`, which are split into pieces so that no file contains one;
`prompt` is a user's. The home is always `/home/test` and the working directory `/home/test/project`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.core.events import Event, PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.outcome import Outcome

HOME, CWD = "/home/test", "/home/test/project"
TOOL_HOST = "claude-code"
"""The host whose tool names `tool` uses."""
HARMFUL = ("block", "warn", "redact", "gate")
"""Labels of rows on which a guard must act."""
HARMLESS = ("allow", "keep", "pass")
CONTESTED = "contested"
"""The tier about which good guards differ: counted separately, and not in the totals."""
LARGE_CHANGE = 10_000
"""Changed lines in the repository of a prompt: enough for the simplify gate to block."""


class Row(Struct, frozen=True, kw_only=True):
    """One labelled case."""

    id: str
    tier: str
    category: str
    expect: str
    strict: str
    """The expected verdict under the strictest settings; empty if not labelled."""
    event: Event
    secrets: tuple[str, ...] = ()
    facts: Mapping[str, Any]
    """Facts about the machine."""
    shown: str
    """Description without secrets."""


def read(file: str) -> list[Row]:
    """Return the rows of *file*; raise `ValueError` that names the first invalid line."""
    rows = list[Row]()
    with open(file, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                rows += [parse_row(number, json.loads(line))] if line.strip() else []
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(
                    f"{file}:{number}: invalid labelled case: {_describe_error(error)}"
                ) from None
    if not rows:
        raise ValueError(f"{file}: no labelled cases found")
    return rows


def _describe_error(error: Exception) -> str:
    return f"missing key {error.args[0]!r}" if type(error) is KeyError else str(error)[:200]


def parse_row(number: int, row: Mapping[str, Any]) -> Row:
    """Return the case of one line; raise the error that a wrong type or a missing field causes."""
    for key in ("expect", "strict_expect"):
        if row.get(key, HARMLESS[0] if key == "strict_expect" else None) not in (*HARMFUL, *HARMLESS):
            raise ValueError(f"invalid {key!r} {row.get(key)!r}: expected {', '.join((*HARMFUL, *HARMLESS))}")
    secrets = tuple("".join(pieces) for pieces in row.get("secrets", ()))
    event, shown = _build_event(row, secrets)
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


def _build_event(row: Mapping[str, Any], secrets: tuple[str, ...]) -> tuple[Event, str]:
    if "prompt" in row:
        return UserPromptSubmit(session="score", cwd=CWD, prompt=row["prompt"]), row["prompt"]
    if "text" in row:
        text = row["text"]
        for number, secret in enumerate(secrets):
            text = text.replace(f"{{{{S{number}}}}}", secret)
        return PostToolUse(session="score", cwd=CWD, tool="shell", kind="shell", output=text), row["text"]
    return _build_call(row)


def _build_call(row: Mapping[str, Any]) -> tuple[Event, str]:
    name = row.get("tool", "Bash")
    tool = hosts.load(TOOL_HOST).tools[name]
    tool_input = dict(row.get("input", {}))
    for field, key in (("command", "cmd"), ("command", "command"), ("path", "path")):
        if key in row:
            tool_input[tool.input_keys[field]] = row[key]
    if not tool_input:
        raise ValueError("expected one of: cmd, command, path, input, text, prompt")
    event = PreToolUse(
        session="score",
        host=TOOL_HOST,
        cwd=CWD,
        tool=name,
        kind=tool.kind,
        input_keys=tool.input_keys,
        input=tool_input,
    )
    return event, f"{name} {' '.join(map(str, tool_input.values()))}" if "tool" in row else row["cmd"]


def classify(outcome: Outcome) -> str:
    """Return the verdict as a word of the labels: block, ask, warn, modify or allow."""
    if outcome.action in ("block", "ask", "modify"):
        return outcome.action
    return "warn" if outcome.context else "allow"


def is_correct(row: Row, expect: str, outcome: Outcome, *, warns: bool) -> bool:
    """Return whether the verdict is as expected; *warns* if the labels distinguish a warning from silence."""
    word = classify(outcome)
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


def uses_warnings(rows: Sequence[Row]) -> bool:
    return any("warn" in (row.expect, row.strict) for row in rows)
