"""Show the hooks that there are, whose they are and why one is off; what each host can do; and the sinks."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hookline import hosts, sinks
from hookline.cli._command import Command
from hookline.cli._output import complaints, dump, table
from hookline.core.derive import abilities, coverage
from hookline.core.events import ALL, EVENTS, Event
from hookline.core.frozen import thawed
from hookline.core.hook import Hook
from hookline.core.host import Host
from hookline.runtime import telemetry
from hookline.runtime.setup import Setup, load

VIEWS = ("hooks", "hosts", "sinks")


def run(args: Namespace) -> int:
    setup = load(dict(os.environ), os.getcwd())
    views = (args.view,) if args.view else VIEWS
    with closing(setup.kept):
        if args.json:
            dump(_facts(setup, views))
        else:
            _show(setup, views)
    return 0


def _facts(setup: Setup, views: tuple[str, ...]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "problems": [str(problem) for problem in setup.settled.problems],
        "waiting": list(setup.settled.waiting),
    }
    if "hooks" in views:
        facts["hooks"] = [_hook(setup, hook) for hook in _in_order(setup)]
    if "hosts" in views:
        facts["hosts"] = [_host(host) for host in map(hosts.load, hosts.names())]
    if "sinks" in views:
        facts["sinks"] = [*_sinks(setup)]
    return facts


def _in_order(setup: Setup) -> list[Hook]:
    return sorted(setup.hooks, key=lambda hook: min(_places(hook)))


def _places(hook: Hook) -> list[int]:
    return [hook.place(event) for event in hook.on]


def _hook(setup: Setup, hook: Hook) -> dict[str, Any]:
    return {
        "name": hook.name,
        "events": _events(hook),
        "priority": hook.priority,
        "priorities": {event.__name__: place for event, place in hook.priorities.items()},
        "nature": hook.nature,
        "kind": hook.kind,
        "source": hook.source,
        "origin": hook.origin,
        "hosts": list(hook.hosts),
        "on": hook.enabled,
        "off": hook.off,
        "settings": {key: _setting(setup, hook, key) for key in hook.settings},
        "about": hook.about,
    }


def _events(hook: Hook) -> list[str]:
    return ["all"] if Event in hook.on else [event.__name__ for event in hook.on]


def _setting(setup: Setup, hook: Hook, key: str) -> dict[str, Any]:
    origin = setup.settled.given.get((hook.name, key), "default")
    return {"value": thawed(hook.settings[key]), "from": origin}


def _host(host: Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "about": host.about,
        "proved": host.proved,
        "documented": host.documented,
        "events": {
            name: {"how": coverage(host, event), "can": _can(host, event), "native": _natively(host, event)}
            for name, event in EVENTS.items()
        },
    }


def _can(host: Host, event: type[Event]) -> list[str]:
    able = abilities(host, event)
    return [str(can) for can in ALL if can in able]


def _natively(host: Host, event: type[Event]) -> list[str]:
    return [name for name, row in host.moments.items() if row.event is event]


def _show(setup: Setup, views: tuple[str, ...]) -> None:
    complaints(setup.settled.problems, setup.settled.waiting)
    if setup.complaints:
        print()
    if "hooks" in views:
        table(("hook", "on", "event", "priority", "nature", "from", "settings"), _hook_rows(setup))
    if len(views) > 1:
        print()
    if "hosts" in views:
        table(("host", "event", "how", "can", "the host's own name"), _host_rows())
    if len(views) > 1:
        print()
    if "sinks" in views:
        table(("sink", "on", "state", "what it is"), _sink_rows(setup))


def _hook_rows(setup: Setup) -> Iterator[tuple[str, ...]]:
    for hook in _in_order(setup):
        yield (
            hook.name,
            "on" if hook.enabled else f"off: {hook.off}",
            _where(hook),
            ", ".join(dict.fromkeys(map(str, _places(hook)))),
            hook.nature,
            f"{hook.source} {hook.origin}".strip(),
            ", ".join(_setting_shown(setup, hook, key) for key in hook.settings),
        )


def _where(hook: Hook) -> str:
    """The events, and the hosts where it is not all of them."""
    return ", ".join(_events(hook)) + (f" (only {', '.join(hook.hosts)})" if hook.hosts else "")


def _setting_shown(setup: Setup, hook: Hook, key: str) -> str:
    origin = setup.settled.given.get((hook.name, key))
    return f"{key} = {thawed(hook.settings[key])!r}" + (f" (set in {origin})" if origin else "")


def _host_rows() -> Iterator[tuple[str, ...]]:
    for host in map(hosts.load, hosts.names()):
        told = f"{host.name} {host.proved or ('(documents)' if host.documented else '')}".strip()
        for name, event in EVENTS.items():
            yield told, name, coverage(host, event), " ".join(_can(host, event)), _own_names(host, event)


def _own_names(host: Host, event: type[Event]) -> str:
    names = _natively(host, event)
    return "" if names == [event.__name__] else ", ".join(names)


def _sinks(setup: Setup) -> Iterator[dict[str, Any]]:
    """Every sink, configured or not, and how it is doing."""
    chosen = {one.name: one for one in setup.settled.sinks}
    doing = {one.name: one for one in telemetry.standing(setup.places, setup.settled.sinks)}
    for name in sinks.names():
        choice, state = chosen.get(name), doing.get(name)
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
    for one in _sinks(setup):
        yield one["name"], "on" if one["on"] else "off", one["state"], one["about"]


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("view", nargs="?", choices=VIEWS, help="only these; all unless told")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")


COMMAND = Command(
    about="Show the hooks (event, priority, whose, settings, on or off and why), the hosts and the sinks.",
    examples="""
hookline list
hookline list hooks
hookline list hosts --json | jq '.hosts[] | {name, proved}'

native: the host fires the event itself; derived: concluded from another of its events; none: unsupported.
Behind a host's name stands the version that all of this was seen on; (documents): nobody ran it, this is what
its documents and published schemas say.
""",
    run=run,
    arguments=arguments,
    exits="0, also when there are problems (they stand on top); 2 when it was called wrongly",
)
