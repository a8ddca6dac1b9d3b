"""Show what is configured: every value that holds, and where it comes from."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import complaints, dump, table, visible
from hookline.core.frozen import thawed
from hookline.core.hook import Hook
from hookline.core.host import CONTEXT_CAP, CONTINUATIONS
from hookline.core.run_variables import BUDGET_END
from hookline.core.store import Limits
from hookline.hooks.token_budget import ENGINE
from hookline.policy import read_files
from hookline.policy.layers import SWITCH, switches
from hookline.policy.model import Problem
from hookline.redact import redact
from hookline.runtime import telemetry
from hookline.runtime.open_store import ADDRESS, STORE
from hookline.runtime.runtime import ANSWER_WITHIN
from hookline.runtime.select_hooks import DEPTH
from hookline.runtime.setup import SETTINGS, Setup, load

USUAL: Mapping[str, Any] = {
    "profile": "default",
    "import": [],
    "store": STORE,
    "store_address": "",
    "keep_days": Limits().days,
    "keep_records": Limits().records,
    "answer_within": ANSWER_WITHIN,
    "context_cap": CONTEXT_CAP,
    "continuations": CONTINUATIONS,
}
"""The options of hookline.toml where no file says otherwise."""
VARIABLES = (ADDRESS, "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", BUDGET_END, ENGINE, DEPTH)
Row = tuple[str, Any, str, str]
"""What, its value, where from, and where another value was given that does not hold."""


def run(args: Namespace) -> int:
    setup = load(dict(os.environ), os.getcwd())
    with closing(setup.kept):
        if args.json:
            dump(_facts(setup))
        else:
            _show(setup)
    return 0


def _facts(setup: Setup) -> dict[str, Any]:
    return {
        "problems": [str(problem) for problem in setup.settled.problems],
        "waiting": list(setup.settled.waiting),
        "values": [_fact(*row) for row in _values(setup)],
        "environment": _environment(os.environ),
        "files": _files(setup),
        "places": _places(setup),
        "sinks": _sinks(setup),
    }


def _fact(name: str, value: Any, origin: str, refused: str) -> dict[str, Any]:
    return {"name": name, "value": value, "from": origin, **({"refused": refused} if refused else {})}


def _values(setup: Setup) -> Iterator[Row]:
    refused = setup.settled.refused
    for name, usual in USUAL.items():
        given = setup.settled.options.get(name)
        value, origin = (_bare(given.value), given.origin) if given else (usual, "default")
        yield name, value, origin, refused.get(("", name), "")
    for hook in setup.hooks:
        yield from _of_hook(setup, hook)
    for sink in setup.settled.sinks:
        values = {"enabled": sink.enabled, **thawed(sink.settings)}
        for key, value in values.items():
            yield f"sinks.{sink.name}.{key}", _unsaid(key, value), sink.given.get(key, "default"), ""


def _unsaid(key: str, value: Any) -> Any:
    """Headers by their names only: what they hold lets one in."""
    return dict.fromkeys(value, "(not shown)") if key == "headers" else value


def _sinks(setup: Setup) -> dict[str, str]:
    return {one.name: str(one) for one in telemetry.standing(setup.places, setup.settled.sinks)}


def _bare(value: Any) -> Any:
    """An address may have a password in it."""
    return redact(value) if isinstance(value, str) else thawed(value)


def _of_hook(setup: Setup, hook: Hook) -> Iterator[Row]:
    values = {"enabled": hook.enabled, "priority": hook.priority, "on_failure": hook.on_failure}
    values |= {"on_timeout": hook.on_timeout or hook.on_failure, **thawed(hook.settings)}
    for key, value in values.items():
        refused = setup.settled.refused.get((hook.name, key), "")
        yield f"hooks.{hook.name}.{key}", value, _origin(setup, hook, key), refused


def _origin(setup: Setup, hook: Hook, key: str) -> str:
    if key == "enabled" and hook.off and hook.off in switches(setup.env).values():
        return f"environment: {hook.off}"
    given = setup.settled.given.get((hook.name, key))
    if given is None and key == "enabled" and hook.off:
        return hook.off
    return given or hook.origin or "default"


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that mean something to us."""
    ours = sorted(name for name in env if name in VARIABLES or name.startswith(SWITCH))
    return {name: redact(env[name]) for name in ours}


def _files(setup: Setup) -> list[str]:
    """Every file of configuration that is there, as it would be read."""
    places = setup.places
    user = read_files.Folder(path=places.config, source="user")
    project = read_files.Folder(path=places.project, source="project", root=places.root)
    found: list[str] = []
    for folder in (user, project):
        names = [(name, folder.source) for name in (*SETTINGS, "hookline.local.toml")]
        found += [one.name for one in read_files.load(folder, names) if not isinstance(one, Problem)]
        found += [
            read_files.shown(path, folder) for path in read_files.scripts(folder) if isinstance(path, str)
        ]
    return found


def _places(setup: Setup) -> dict[str, str]:
    places = setup.places
    named = {"project": places.root, "config": places.config, "state": places.state}
    return {**named, "scratch": places.scratch, "store": places.store, "trust": places.trust}


def _show(setup: Setup) -> None:
    complaints(setup.settled.problems, setup.settled.waiting)
    if setup.complaints:
        print()
    table(("value", "is", "from"), (_told(*row) for row in _values(setup)))
    _show_named("environment", _environment(os.environ), none="says nothing to us")
    print("\nfiles that were read:")
    print("\n".join(f"  {visible(name)}" for name in _files(setup)) or "  none")
    _show_named("places", _places(setup))
    if setup.settled.sinks:
        _show_named("sinks", _sinks(setup))


def _told(name: str, value: Any, origin: str, refused: str) -> tuple[str, str, str]:
    return name, _plain(value), f"{origin}, because {refused} is wrong" if refused else origin


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) and value else repr(value)


def _show_named(title: str, named: Mapping[str, str], none: str = "") -> None:
    print(f"\n{title}:")
    width = max(map(len, named), default=0)
    for name, value in named.items():
        print(f"  {name:{width}}  {visible(value)}")
    if not named:
        print(f"  {none}")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=("show",), metavar="show", help="show what holds")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


COMMAND = Command(
    about="Show every value that holds and where it comes from: default, file and line, or environment.",
    examples="""
hookline config show
hookline config show --json | jq '.values[] | select(.from != "default")'
""",
    run=run,
    arguments=arguments,
    exits="0, also when there are problems (they stand on top); 2 when it was called wrongly",
)
