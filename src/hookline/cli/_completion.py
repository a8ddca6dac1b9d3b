"""Completion of command lines in a shell: names of hosts, hooks, rules, sessions and runs, by argcomplete."""

import os
import time
from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing

import argcomplete

from hookline import hosts
from hookline.core.hook import rule_names
from hookline.engine.runs import list_runs
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load_setup
from hookline.system.paths import find_places

RECENT_SECONDS = 7 * 86_400
"""Age of the sessions that are offered."""


def complete(build: Callable[[Sequence[str]], ArgumentParser]) -> None:
    """Print the completions of the line in the environment, and exit; *build* returns a command's parser."""
    parser = build(os.environ.get("COMP_LINE", "").split()[1:2])
    for action in _list_actions(parser):
        find = _COMPLETERS.get(action.dest) or _COMPLETERS.get(str(action.metavar))
        if find is not None:
            setattr(action, "completer", _ignore_errors(find))  # noqa: B010 -- argcomplete reads this attribute
    argcomplete.autocomplete(parser)


def _list_actions(parser: ArgumentParser) -> Iterator[Action]:
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to list its options
        yield action
        if isinstance(action, _SubParsersAction):
            for subparser in action.choices.values():
                yield from _list_actions(subparser)


def _ignore_errors(find: Callable[[], Sequence[str]]) -> Callable[..., Sequence[str]]:
    """Return a completer without results if the project cannot be read, because a shell shows no errors."""

    def find_names(**_: object) -> Sequence[str]:
        try:
            return find()
        except Exception:  # noqa: BLE001 -- whatever it is, a completion must not print it
            return ()

    return find_names


def _load_setup() -> Setup:
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    return setup


def _list_hooks() -> Sequence[str]:
    return [hook.name for hook in _load_setup().hooks]


def _list_rules() -> Sequence[str]:
    return [f"{hook.name}:{rule}" for hook in _load_setup().hooks for rule in rule_names(hook)]


def _list_sessions() -> Sequence[str]:
    with closing(open_store.open_store(_load_setup())) as store:
        return [session.id for session in store.sessions(since=time.time() - RECENT_SECONDS)]


def _list_run_ids() -> Sequence[str]:
    return [run.id for run in list_runs(find_places(os.environ, os.getcwd()).root)]


_COMPLETERS: Mapping[str, Callable[[], Sequence[str]]] = {
    "host": hosts.names,
    "source": hosts.names,
    "target": hosts.names,
    "only": _list_hooks,
    "without": _list_hooks,
    "once": _list_rules,
    "rule": _list_rules,
    "session": _list_sessions,
    "RUN": _list_run_ids,
}
"""Functions that list the names, by the destination or metavar of an argument."""
