"""Score built-in guards on labelled rows: recall and false alarms.

A row is one JSON object per line. `cmd`, or `tool` with `path`, `input` or `command`, is a call; `text` is
the output of one, with `{{S0}}`, `{{S1}}` for `secrets`, which are split into pieces so that no file contains
one; `prompt` is a user's. The home is always `/home/test` and the working directory `/home/test/project`.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.core import chain
from hookline.core.events import Event, PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.hook import Hook, configure, find_hook
from hookline.core.outcome import Outcome
from hookline.core.state import Facts, State
from hookline.core.values import replace
from hookline.runtime.facts import MACHINE_FACTS
from hookline.system.paths import Places, find_places

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


def read_rows(file: str) -> list[Row]:
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


STRICT = {"shell": "block"}
"""The settings that `strict_expect` refers to, for every hook that has them."""
TOTAL = "all"


class Scored(Struct, frozen=True, kw_only=True):
    """A row with its verdict."""

    row: Row
    expect: str
    verdict: str
    rules: tuple[str, ...]
    correct: bool
    judged: bool
    """True if a hook listens for this event."""
    failed: tuple[str, ...] = ()
    """The hooks that failed, with the reason."""


class Share(Struct, frozen=True, kw_only=True):
    """The counts of one tier, or of one category of it."""

    tier: str
    category: str
    harmful: int
    caught: int
    harmless: int
    flagged: int

    @property
    def recall(self) -> float | None:
        """Return the recall; None if nothing is harmful."""
        return self.caught / self.harmful if self.harmful else None

    @property
    def false_alarms(self) -> float | None:
        return self.flagged / self.harmless if self.harmless else None


def select_guards(hooks: Sequence[Hook], only: Sequence[str]) -> list[Hook]:
    """Return the built-in guards, or those named in *only*; raise `LookupError` for an unknown name."""
    guards = [hook for hook in hooks if hook.source == "built-in" and hook.nature == "policy"]
    for name in only:
        if find_hook(guards, name) is None:
            names = ", ".join(sorted(hook.name for hook in guards))
            raise LookupError(f"no built-in guard named {name!r}; available: {names}")
    selected = (
        [find_hook(guards, name) for name in only] if only else [hook for hook in guards if hook.enabled]
    )
    return [replace(hook, enabled=True) for hook in selected if hook is not None]


def score(rows: Sequence[Row], hooks: Sequence[Hook], *, strict: bool = False) -> list[Scored]:
    """Judge every row; with *strict*, the rows with a strict label, under the settings of `STRICT`."""
    hooks = [_make_strict(hook) for hook in hooks] if strict else hooks
    labelled = [row for row in rows if row.strict] if strict else list(rows)
    places, warns = replace(find_places({"HOME": HOME}, CWD), root=CWD), uses_warnings(rows)
    expected = [(row, row.strict if strict else row.expect) for row in labelled]
    return [_score_row(row, expect, hooks, places, warns=warns) for row, expect in expected]


def _make_strict(hook: Hook) -> Hook:
    return configure(hook, {key: value for key, value in STRICT.items() if key in hook.settings})


def _score_row(row: Row, expect: str, hooks: Sequence[Hook], places: Places, *, warns: bool) -> Scored:
    facts = Facts({name: _return_value(value) for name, value in row.facts.items()}, MACHINE_FACTS, places)
    outcome = chain.run(row.event, State(now=0.0, facts=facts), hooks)
    return Scored(
        row=row,
        expect=expect,
        verdict=classify(outcome),
        rules=outcome.rules,
        correct=is_correct(row, expect, outcome, warns=warns),
        judged=bool(outcome.trail),
        failed=_failures(outcome),
    )


def _return_value(value: Any) -> Any:
    return lambda: value


def _failures(outcome: Outcome) -> tuple[str, ...]:
    return tuple(f"hook {step.hook!r} {step.note}" for step in outcome.trail if step.action == "failed")


def by_tier(scored: Sequence[Scored]) -> list[Share]:
    """Return the counts of every tier, and of all tiers but the contested."""
    tiers = _count_shares(scored, lambda item: (item.row.tier, TOTAL))
    counted = [item for item in scored if item.row.tier != CONTESTED]
    return [*tiers, *_count_shares(counted, lambda item: (TOTAL, TOTAL))] if len(tiers) > 1 else tiers


def by_category(scored: Sequence[Scored]) -> list[Share]:
    return _count_shares(scored, lambda item: (item.row.tier, item.row.category))


def _count_shares(scored: Sequence[Scored], key: Any) -> list[Share]:
    counts: dict[tuple[str, str], Counter[tuple[bool, bool]]] = {}
    for item in scored:
        counts.setdefault(key(item), Counter())[item.expect in HARMFUL, item.correct] += 1
    order = sorted(
        counts, key=lambda group: group[0] == CONTESTED
    )  # a stable sort: in the order of the file, contested ones last
    return [_build_share(tier, category, counts[tier, category]) for tier, category in order]


def _build_share(tier: str, category: str, counts: Mapping[tuple[bool, bool], int]) -> Share:
    return Share(
        tier=tier,
        category=category,
        harmful=counts.get((True, True), 0) + counts.get((True, False), 0),
        caught=counts.get((True, True), 0),
        harmless=counts.get((False, True), 0) + counts.get((False, False), 0),
        flagged=counts.get((False, False), 0),
    )


def failures(scored: Sequence[Scored]) -> Counter[str]:
    return Counter(text for item in scored for text in item.failed)
