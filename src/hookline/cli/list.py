"""Show the hooks with their source and state, the abilities of each host, and the sinks."""

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hookline import hosts, sinks
from hookline.cli._arguments.list import VIEWS
from hookline.cli._output import dump, print_problems, print_table
from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import ALL_ABILITIES, EVENTS, Event
from hookline.core.frozen import thaw
from hookline.core.hook import Hook
from hookline.core.host import Host
from hookline.runtime import telemetry
from hookline.runtime.setup import Setup, load_setup

NOT_RUN = "(from its documentation, not run)"


def run(args: Namespace) -> int:
    setup = load_setup(dict(os.environ), os.getcwd())
    views = (args.view,) if args.view else VIEWS
    with closing(setup.resources):
        if args.json:
            dump(_collect_facts(setup, views))
        else:
            _show(setup, views, wide=args.wide)
    return 0


def _collect_facts(setup: Setup, views: tuple[str, ...]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "problems": [str(problem) for problem in setup.config.problems],
        "waiting": list(setup.config.waiting),
    }
    if "hooks" in views:
        facts["hooks"] = [_hook_facts(setup, hook) for hook in _sort_hooks(setup)]
    if "hosts" in views:
        facts["hosts"] = [_host_facts(host) for host in map(hosts.load, hosts.names())]
    if "sinks" in views:
        facts["sinks"] = [*_sink_facts(setup)]
    return facts


def _sort_hooks(setup: Setup) -> list[Hook]:
    return sorted(setup.hooks, key=lambda hook: min(_list_priorities(hook)))


def _list_priorities(hook: Hook) -> list[int]:
    return [hook.priority_for(event) for event in hook.on]


def _hook_facts(setup: Setup, hook: Hook) -> dict[str, Any]:
    return {
        "name": hook.name,
        "events": _list_events(hook),
        "priority": hook.priority,
        "priorities": {event.__name__: place for event, place in hook.priorities.items()},
        "nature": hook.nature,
        "kind": hook.kind,
        "source": hook.source,
        "origin": hook.origin,
        "hosts": list(hook.hosts),
        "on": hook.enabled,
        "off": hook.off,
        "settings": {key: _setting_facts(setup, hook, key) for key in hook.settings},
        "about": hook.about,
    }


def _list_events(hook: Hook) -> list[str]:
    return ["all"] if Event in hook.on else [event.__name__ for event in hook.on]


def _setting_facts(setup: Setup, hook: Hook, key: str) -> dict[str, Any]:
    origin = setup.config.origins.get((hook.name, key), "default")
    return {"value": thaw(hook.settings[key]), "from": origin}


def _host_facts(host: Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "about": host.about,
        "proved": host.tested_version,
        "documented": host.documented,
        "events": {
            name: {
                "how": find_coverage(host, event),
                "can": _list_abilities(host, event),
                "native": _list_native_names(host, event),
            }
            for name, event in EVENTS.items()
        },
    }


def _list_abilities(host: Host, event: type[Event]) -> list[str]:
    supported = find_abilities(host, event)
    return [str(ability) for ability in ALL_ABILITIES if ability in supported]


def _list_native_names(host: Host, event: type[Event]) -> list[str]:
    return [name for name, row in host.moments.items() if row.event is event]


def _show(setup: Setup, views: tuple[str, ...], *, wide: bool) -> None:
    print_problems(setup.config.problems, setup.config.waiting)
    if setup.user_messages:
        print()
    if "hooks" in views:
        columns = (
            "hook",
            "state",
            "events",
            "priority",
            "nature",
            "source",
            *(("settings",) if wide else ()),
        )
        print_table(columns, (row[: len(columns)] for row in _hook_rows(setup)), wide=wide)
    if len(views) > 1:
        print()
    if "hosts" in views:
        print_table(("host", "event", "support", "abilities", "native event"), _host_rows(), wide=wide)
    if len(views) > 1:
        print()
    if "sinks" in views:
        print_table(("sink", "state", "delivery", "description"), _sink_rows(setup), wide=wide)


def _hook_rows(setup: Setup) -> Iterator[tuple[str, ...]]:
    for hook in _sort_hooks(setup):
        yield (
            hook.name,
            "on" if hook.enabled else f"off: {hook.off}",
            _format_events(hook),
            ", ".join(dict.fromkeys(map(str, _list_priorities(hook)))),
            hook.nature,
            f"{hook.source} {hook.origin}".strip(),
            ", ".join(_format_setting(setup, hook, key) for key in hook.settings),
        )


def _format_events(hook: Hook) -> str:
    """Return the events, and the hosts if the hook is restricted to some."""
    return ", ".join(_list_events(hook)) + (f" (only {', '.join(hook.hosts)})" if hook.hosts else "")


def _format_setting(setup: Setup, hook: Hook, key: str) -> str:
    origin = setup.config.origins.get((hook.name, key))
    return f"{key} = {thaw(hook.settings[key])!r}" + (f" (set in {origin})" if origin else "")


def _host_rows() -> Iterator[tuple[str, ...]]:
    for host in map(hosts.load, hosts.names()):
        title = f"{host.name} {host.tested_version or (NOT_RUN if host.documented else '')}".strip()
        for name, event in EVENTS.items():
            yield (
                title,
                name,
                find_coverage(host, event),
                " ".join(_list_abilities(host, event)),
                _format_native_names(host, event),
            )


def _format_native_names(host: Host, event: type[Event]) -> str:
    names = _list_native_names(host, event)
    return "" if names == [event.__name__] else ", ".join(names)


def _sink_facts(setup: Setup) -> Iterator[dict[str, Any]]:
    """Yield the state of every sink, configured or not."""
    configured = {item.name: item for item in setup.config.sinks}
    states = {item.name: item for item in telemetry.sink_statuses(setup.places, setup.config.sinks)}
    for name in sinks.names():
        choice, state = configured.get(name), states.get(name)
        yield {
            "name": name,
            "on": choice is not None and choice.enabled,
            "waiting": state.waiting if state else 0,
            "dropped": state.dropped if state else 0,
            "failed": state.failed if state else "",
            "state": str(state) if state else "",
            "about": sinks.about(name),
        }


def _sink_rows(setup: Setup) -> Iterator[tuple[str, ...]]:
    for facts in _sink_facts(setup):
        yield facts["name"], "on" if facts["on"] else "off", facts["state"], facts["about"]
