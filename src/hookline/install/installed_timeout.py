"""The time that a host waits for hookline at a moment: as its settings files say, and as they should say."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.host import Host
from hookline.core.install_table import InstallEntry, SettingsFile
from hookline.core.values import replace
from hookline.install import install_hooks
from hookline.install.compare import find_commands
from hookline.install.host_command import build_call
from hookline.install.inspect import read_table
from hookline.system.paths import Places

_SAMPLE_SECONDS = (100.0, 200.0)
"""Two timeouts; an entry with the one and an entry with the other differ only in the host's number."""


def find_timeout(host: Host, moment: str, places: Places, env: Mapping[str, str]) -> float | None:
    """Return the shortest timeout of the installed entries for *moment*, in seconds; None if unknown."""
    layout = host.install.layout if host.install else None
    if not isinstance(layout, SettingsFile):
        return None
    scopes = [install_hooks.locate_settings(host, scope, places, env) for scope in ("user", "project")]
    private = os.path.join(places.root, layout.private_project) if layout.private_project else ""
    files = dict.fromkeys(path for path in (*scopes, private) if path)
    return min((s for path in files for s in _find_timeouts(host, layout, moment, path)), default=None)


def _find_timeouts(host: Host, layout: SettingsFile, moment: str, path: str) -> Iterator[float]:
    entries = read_table(layout, path).get(moment)
    samples = [
        layout.make_entry(InstallEntry(moment=moment, command=build_call("hookline", host.name), timeout=s))
        for s in _SAMPLE_SECONDS
    ]
    for entry in entries if isinstance(entries, list) else ():
        if any(find_commands(entry, host.name)):
            value = _find_at(entry, samples)
            default = layout.default_timeout or host.timeout
            yield default if value is None else value


def _find_at(entry: Any, samples: list[Any]) -> float | None:
    """Return the timeout of *entry* in seconds, which stands where the *samples* differ."""
    first, second = samples
    if isinstance(first, dict) and isinstance(entry, dict):
        keys = [key for key in first if first[key] != second[key]]
        return _find_at(entry.get(keys[0]), [first[keys[0]], second[keys[0]]]) if keys else None
    if isinstance(first, list) and isinstance(entry, list) and len(entry) == len(first):
        pairs = [(e, [a, b]) for e, a, b in zip(entry, first, second, strict=True) if a != b]
        return _find_at(*pairs[0]) if pairs else None
    is_number = isinstance(entry, int | float) and isinstance(first, int | float)
    return entry * _SAMPLE_SECONDS[0] / first if is_number and not isinstance(entry, bool) else None


def extend_timeouts(host: Host, seconds: float) -> Host:
    """Return *host* with timeouts that let a call of a tool wait so many *seconds* for a person."""
    moments = {
        name: row.with_timeout(max(row.timeout or host.timeout, seconds)) if row.event is PreToolUse else row
        for name, row in host.moments.items()
    }
    return replace(host, moments=moments)
