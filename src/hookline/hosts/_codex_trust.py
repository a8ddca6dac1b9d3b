"""Whether a person has trusted the hooks that are wired into Codex; how it is told of some for one run."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from hookline.core.install_table import Entry, Place

QUICK = ("SessionEnd", "Interrupt")
BARE = ("UserPromptSubmit", "Stop", "Interrupt", "PreModelRequest", "PostModelRequest")
"""Moments of which no matcher counts."""


def waiting(holds: Mapping[str, Any], place: Place) -> str:
    """What is still to be trusted, in a sentence."""
    hooks = holds.get("hooks")
    state = hooks.get("state") if isinstance(hooks, Mapping) else None
    known = state if isinstance(state, Mapping) else {}
    keys = dict(hashes(place))
    left = [key for key, value in keys.items() if _trusted(known.get(key)) != value]
    if not left:
        return ""
    return f"{len(left)} of {len(keys)} hooks wait for your trust: start `codex` and type `/hooks`"


def _trusted(entry: Any) -> Any:
    return entry.get("trusted_hash") if isinstance(entry, Mapping) else None


def hashes(place: Place) -> Iterator[tuple[str, str]]:
    """(key, hash) of each hook of ours."""
    table = place.holds.get("hooks") if isinstance(place.holds, Mapping) else None
    for event, groups in table.items() if isinstance(table, Mapping) else ():
        for number, group in enumerate(groups):
            for place_in, hook in enumerate(group.get("hooks", ())):
                if "hookline" in str(hook.get("command", "")):
                    yield f"{place.path}:{_snake(event)}:{number}:{place_in}", _hash(event, group, hook)


def _hash(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    usual = {"timeout": 1 if event in QUICK else 600, "async": False}
    known = {"event_name": _snake(event), "hooks": [{**usual, **hook}]}
    if "matcher" in group and event not in BARE:
        known["matcher"] = group["matcher"]
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()


def words(
    entry: Callable[[Entry], Mapping[str, Any]],
) -> Callable[[tuple[Entry, ...]], tuple[str, ...]]:
    """In a linked worktree it reads the hooks of the main checkout, whatever the worktree's own files say."""

    def told(entries: tuple[Entry, ...]) -> tuple[str, ...]:
        return tuple(f"--config=hooks.{one.moment}=[{_inline(entry(one))}]" for one in entries)

    return told


def _inline(value: Any) -> str:
    """As TOML, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)
