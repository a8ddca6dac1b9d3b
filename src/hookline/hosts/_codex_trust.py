"""Trust state of the hooks installed in Codex, and command-line options that add hooks for one run."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from hookline.core.install_table import Installation, InstallEntry

SHORT_MOMENTS = ("SessionEnd", "Interrupt")
MOMENTS_WITHOUT_MATCHER = ("UserPromptSubmit", "Stop", "Interrupt", "PreModelRequest", "PostModelRequest")
"""Moments at which Codex ignores matchers."""


def count_untrusted(settings: Mapping[str, Any], place: Installation) -> str:
    """Return a sentence with the number of hooks that are not trusted yet."""
    hooks = settings.get("hooks")
    state = hooks.get("state") if isinstance(hooks, Mapping) else None
    trusted = state if isinstance(state, Mapping) else {}
    expected = dict(hook_hashes(place))
    untrusted = [key for key, value in expected.items() if _trusted_hash(trusted.get(key)) != value]
    if not untrusted:
        return ""
    return f"{len(untrusted)} of {len(expected)} hooks wait for your trust: start `codex` and type `/hooks`"


def _trusted_hash(entry: Any) -> Any:
    return entry.get("trusted_hash") if isinstance(entry, Mapping) else None


def hook_hashes(place: Installation) -> Iterator[tuple[str, str]]:
    """Yield (key, hash) of each of hookline's hooks."""
    table = place.content.get("hooks") if isinstance(place.content, Mapping) else None
    for event, groups in table.items() if isinstance(table, Mapping) else ():
        for group_index, group in enumerate(groups):
            for hook_index, hook in enumerate(group.get("hooks", ())):
                if "hookline" in str(hook.get("command", "")):
                    yield (
                        f"{place.path}:{_to_snake_case(event)}:{group_index}:{hook_index}",
                        _hash_hook(event, group, hook),
                    )


def _hash_hook(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    defaults = {"timeout": 1 if event in SHORT_MOMENTS else 600, "async": False}
    identity = {"event_name": _to_snake_case(event), "hooks": [{**defaults, **hook}]}
    if "matcher" in group and event not in MOMENTS_WITHOUT_MATCHER:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _to_snake_case(event: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()


def make_options(
    encode_entry: Callable[[InstallEntry], Mapping[str, Any]],
) -> Callable[[tuple[InstallEntry, ...]], tuple[str, ...]]:
    """Return a function that turns entries into command-line options.

    In a linked worktree Codex reads the hook files of the main checkout and ignores the worktree's own.
    """

    def format_options(entries: tuple[InstallEntry, ...]) -> tuple[str, ...]:
        return tuple(f"--config=hooks.{entry.moment}=[{_to_toml(encode_entry(entry))}]" for entry in entries)

    return format_options


def _to_toml(value: Any) -> str:
    """Return *value* as TOML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_to_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_to_toml, value)) + "]"
    return json.dumps(value)
