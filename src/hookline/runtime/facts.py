"""Facts that hooks may read: of the machine, of the session, of known errors and of memories."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import hookline
from hookline import hosts
from hookline.budget.ledger import Purse
from hookline.core.events import Event, SessionStart
from hookline.core.journal import Journal
from hookline.core.records import Signature
from hookline.core.run_variables import BUDGET_END, JOURNAL
from hookline.core.store import Store
from hookline.handoff import handoffs
from hookline.memory.known_errors import known
from hookline.memory.learn import Attempt, recaller
from hookline.policy import approvals, ckignore, read_files
from hookline.runtime.setup import Setup
from hookline.system import (
    file_facts,
    full_outputs,
    git_diff,
    git_facts,
    own_command,
    read_script,
    workspace_fingerprint,
)
from hookline.system.find_journal import active
from hookline.system.paths import Places

PROMPTS = "prompts"
"""The counter of a session's prompts."""
ENGINE = (JOURNAL, BUDGET_END)
"""Variables that an engine gives to the sessions it runs."""


def journal(places: Places, env: Mapping[str, str], now: float) -> Journal | None:
    """The one that is at work here."""
    return active(places.root, env.get(JOURNAL, ""), now)


def headless(host: str, env: Mapping[str, str]) -> bool:
    """Whether nobody sits at it: the host says so, or an engine runs it."""
    if any(env.get(name) for name in ENGINE):
        return True
    said = hosts.load(host).headless_env if host in hosts.names() else {}
    return any(env.get(name) == value for name, value in said.items())


def tells_start(host: str) -> bool:
    """Whether the host says itself when a session starts."""
    rows = hosts.load(host).moments.values() if host in hosts.names() else ()
    return any(row.event is SessionStart for row in rows)


@cache
def guarded(places: Places) -> tuple[str, ...]:
    """Files and folders by which an agent is guarded: ours, and those that wire us."""
    known = [hosts.load(name) for name in hosts.names()]
    wired = [name.replace("~", places.home, 1) for host in known for name in host.settings]
    wired += [os.path.join(places.root, name) for host in known for name in host.repository_switches]
    ways = [host.wiring.way.project for host in known if host.wiring and host.wiring.way.project]
    wired += [os.path.join(places.root, name) for name in ways]
    programs = [os.path.join(os.path.dirname(sys.executable), f"hookline{end}") for end in ("", "-client")]
    own = [os.path.dirname(os.path.abspath(hookline.__file__)), *programs]
    own = [one for one in own if not _within(one, places.root)]
    return (places.config, places.state, *places.daemon, *own, *wired)


def _within(path: str, root: str) -> bool:
    """What lies in the project itself is the project's work: its own checkout of us, or its environment."""
    return path.startswith(root.rstrip(os.sep) + os.sep)


def _keep_output(places: Places, text: str) -> Any:
    return full_outputs.keep(os.path.join(places.scratch, "outputs"), text)


MACHINE_FACTS: Mapping[str, Callable[[Places], Any]] = {
    "root": lambda places: places.root,
    "home": lambda places: places.home,
    "branch": lambda places: git_facts.branch(places.root),
    "changed_lines": lambda places: git_diff.changed_lines(places.root),
    "realpath": lambda places: file_facts.follower(),
    "script": lambda places: read_script.script,
    "is_file": lambda places: file_facts.is_file,
    "inside": lambda places: lambda name: file_facts.inside(places.root, name),
    "newest_folder": lambda places: lambda name: file_facts.newest_folder(places.root, name),
    "weight": lambda places: file_facts.weight,
    "ckignore": lambda places: ckignore.text(places.root),
    "ckignore_trusted": ckignore.trusted,
    "approvals": lambda places: approvals.load(places.state, places.root),
    "rule_file": lambda places: lambda name: read_files.rule_file(places, name),
    "ourselves": lambda places: own_command.command(),
    "workspace": lambda places: workspace_fingerprint.fingerprint(places.root),
    "content": lambda places: workspace_fingerprint.content,
    "keep_output": lambda places: lambda text: _keep_output(places, text),
}
"""Facts of the machine."""


HANDED_ON = (
    *("leaves", "handed", "own_handoff", "agent_words"),
    *("in_a_run", "can_guide", "tells_compaction", "talks"),
)
"""Facts of what a session leaves and was left; `handoffs.FACTS` finds each."""


class Looking(NamedTuple):
    """Where a hook asks, and of what."""

    event: Event
    store: Store
    setup: Setup
    purse: Purse
    attempt: Attempt


def _errors(at: Looking, **wanted: Any) -> Any:
    none: Sequence[Signature] = ()
    return at.attempt(lambda: known(at.store, at.setup.places.root, **wanted), usual=none)


def _recall(at: Looking) -> Any:
    return recaller(at.store, at.setup.places.root, at.purse.now, at.attempt)


def _handed_on(name: str, at: Looking) -> Any:
    places, env = at.setup.places, at.setup.env
    asked = handoffs.Asked(
        event=at.event, store=at.store, root=places.root, now=at.purse.now, env=env, state=places.state
    )
    return at.attempt(lambda: handoffs.FACTS[name](asked), usual=None)


def _of_machine(find: Callable[[Places], Any], at: Looking) -> Any:
    return find(at.setup.places)


FACTS: Mapping[str, Callable[[Looking], Any]] = {
    **{name: partial(_of_machine, find) for name, find in MACHINE_FACTS.items()},
    **{name: partial(_handed_on, name) for name in HANDED_ON},
    "guarded": lambda at: guarded(at.setup.places),
    "usage": lambda at: at.purse.usage,
    "prompts": lambda at: at.attempt(lambda: at.store.count(at.event.session, PROMPTS), usual=0),
    "journal": lambda at: journal(at.setup.places, at.setup.env, at.purse.now),
    "headless": lambda at: headless(at.event.host, at.setup.env),
    "tells_start": lambda at: tells_start(at.event.host),
    "known_error": lambda at: lambda key: _errors(at, key=key),
    "fixed_errors": lambda at: _errors(at, fixed=True),
    "recall": _recall,
}
"""All that a hook may ask for by name; made once, because at most events few are asked for."""
