"""Facts that hooks may read: of the machine, of the session, of known errors and of memories."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import hookline
from hookline import hosts
from hookline.budget.ledger import Ledger
from hookline.core.events import Event, SessionStart
from hookline.core.parse_journal import Journal
from hookline.core.records import KnownError
from hookline.core.store import Attempt, Store
from hookline.core.variables import BUDGET_END, JOURNAL, RUN, SCOPE_FILE
from hookline.handoff import handoffs
from hookline.memory.known_errors import find_known_errors
from hookline.memory.recall import make_recall
from hookline.policy import project_trust, read_files
from hookline.policy.consents import SYSTEM_FOLDER
from hookline.runtime.call_hook import Grants
from hookline.runtime.setup import Setup
from hookline.shell import Facts as ShellFacts
from hookline.system import (
    file_facts,
    full_outputs,
    git_diff,
    git_facts,
    own_command,
    read_script,
    workspace_fingerprint,
)
from hookline.system.file_facts import find_active
from hookline.system.paths import Places, virtual_environment

PROMPT_COUNTER = "prompts"
"""Name of the counter of a session's prompts."""
ENGINE_VARIABLES = (JOURNAL, BUDGET_END)
"""Variables that an engine sets in its sessions."""


def find_journal(places: Places, env: Mapping[str, str], now: float) -> Journal | None:
    """Return the journal of the experiment that is running here; None without one."""
    return find_active(places.root, env.get(JOURNAL, ""), now)


def read_run_scope(env: Mapping[str, str]) -> Mapping[str, Any] | None:
    """Return the globs of files that the agent of a run may change and may not change; None without a run."""
    journal = env.get(JOURNAL, "") if env.get(RUN) else ""
    if not journal:
        return None
    text, _problem = read_files.read(os.path.join(os.path.dirname(journal), SCOPE_FILE))
    try:
        scope = json.loads(text)
        return {name: tuple(map(str, scope[name])) for name in ("mutable", "immutable")}
    except (ValueError, TypeError, LookupError):
        return None


def is_headless(host: str, env: Mapping[str, str]) -> bool:
    """Return whether the session has no user: according to the host, or because an engine runs it."""
    if any(env.get(name) for name in ENGINE_VARIABLES):
        return True
    variables = hosts.load(host).headless_env if host in hosts.names() else {}
    return any(env.get(name) == value for name, value in variables.items())


def reports_start(host: str) -> bool:
    """Return whether the host reports the start of a session."""
    rows = hosts.load(host).moments.values() if host in hosts.names() else ()
    return any(row.event is SessionStart for row in rows)


@cache
def find_guarded_paths(places: Places) -> tuple[str, ...]:
    """Return the paths that guard an agent: hookline's own, and settings that contain its entries."""
    all_hosts = [hosts.load(name) for name in hosts.names()]
    settings_paths = [name.replace("~", places.home, 1) for host in all_hosts for name in host.settings]
    settings_paths += [
        os.path.join(places.root, name) for host in all_hosts for name in host.repository_switches
    ]
    project_paths = [
        host.install.layout.project for host in all_hosts if host.install and host.install.layout.project
    ]
    settings_paths += [os.path.join(places.root, name) for name in project_paths]
    programs = [os.path.join(os.path.dirname(sys.executable), f"hookline{end}") for end in ("", "-client")]
    environment = virtual_environment()
    own = [os.path.dirname(os.path.abspath(hookline.__file__)), *programs]
    own += [environment] if os.path.basename(environment) == "hookline" else []  # created by pipx or uv
    # A checkout or environment inside the project is the agent's work, so it is not guarded.
    own = [path for path in own if not _is_inside(path, places.root)]
    return (places.config, places.state, SYSTEM_FOLDER, *places.daemon, *own, *settings_paths)


def _is_inside(path: str, root: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)


def _save_output(places: Places, text: str) -> Any:
    return full_outputs.save(os.path.join(places.scratch, "outputs"), text)


def _make_shell_facts(places: Places) -> ShellFacts:
    """Return the facts about one command line; new functions for each event, because readings are cached."""
    user_files = (os.path.join(os.path.dirname(places.config), "git", "config"), places.home + "/.gitconfig")
    return ShellFacts(
        read_script=read_script.read_executed_script,
        git_setting=lambda cwd, name: git_facts.find_setting(cwd, name, user_files, places.home),
    )


MACHINE_FACTS: Mapping[str, Callable[[Places], Any]] = {
    "root": lambda places: places.root,
    "home": lambda places: places.home,
    "branch": lambda places: git_facts.find_branch(places.root),
    "realpath": lambda places: file_facts.path_resolver(),
    "shell_facts": _make_shell_facts,
    "is_file": lambda places: file_facts.is_file,
    "read_project_file": lambda places: lambda name: file_facts.read_project_file(places.root, name),
    "newest_folder": lambda places: lambda name: file_facts.newest_folder(places.root, name),
    "measure_file": lambda places: file_facts.measure_file,
    "ckignore": lambda places: read_files.read_ckignore(places.root),
    "ckignore_trusted": project_trust.is_ckignore_trusted,
    "rule_file": lambda places: lambda name: read_files.read_rule_file(places, name),
    "own_command": lambda places: own_command.command(),
    "workspace": lambda places: workspace_fingerprint.fingerprint(places.root),
    "hash_file": lambda places: workspace_fingerprint.hash_file,
    "save_output": lambda places: lambda text: _save_output(places, text),
}
"""Functions that find the facts of the machine, by name."""


HANDOFF_FACTS = (
    *("handoff_content", "delivery", "own_handoff", "agent_text"),
    *("in_run", "reads_compaction_guidance", "reports_compaction", "has_transcript"),
)
"""Names of the facts about handoffs; `handoffs.FACTS` finds each."""


class FactContext(NamedTuple):
    """The event for which a hook reads facts, and their sources."""

    event: Event
    store: Store
    setup: Setup
    ledger: Ledger
    attempt: Attempt
    grants: Grants
    find_author: Callable[[], str]
    """Return the agent that writes the prompts of the session, or ""."""


def _find_errors(context: FactContext, **filters: Any) -> Any:
    no_errors: Sequence[KnownError] = ()
    return context.attempt(
        lambda: find_known_errors(context.store, context.setup.places.root, **filters), default=no_errors
    )


def _make_recall(context: FactContext) -> Any:
    return make_recall(context.store, context.setup.places.root, context.ledger.now, context.attempt)


def _handoff_fact(name: str, context: FactContext) -> Any:
    places, env = context.setup.places, context.setup.env
    handoff_context = handoffs.HandoffContext(
        event=context.event,
        store=context.store,
        root=places.root,
        now=context.ledger.now,
        env=env,
        state=places.state,
    )
    return context.attempt(lambda: handoffs.FACTS[name](handoff_context), default=None)


def _machine_fact(find: Callable[[Places], Any], context: FactContext) -> Any:
    return find(context.setup.places)


FACTS: Mapping[str, Callable[[FactContext], Any]] = {
    **{name: partial(_machine_fact, find) for name, find in MACHINE_FACTS.items()},
    **{name: partial(_handoff_fact, name) for name in HANDOFF_FACTS},
    "changed_lines": lambda context: git_diff.changed_lines(context.setup.places.root, context.setup.env),
    "has_changes": lambda context: (
        lambda path: git_diff.has_changes(context.setup.places.root, context.setup.env, path)
    ),
    "approvals": lambda context: context.grants.find_approvals(),
    "guarded_paths": lambda context: find_guarded_paths(context.setup.places),
    "usage": lambda context: context.ledger.usage,
    "prompts": lambda context: context.attempt(
        lambda: context.store.count(context.event.session, PROMPT_COUNTER), default=0
    ),
    "journal": lambda context: find_journal(context.setup.places, context.setup.env, context.ledger.now),
    "run_scope": lambda context: read_run_scope(context.setup.env),
    "headless": lambda context: is_headless(context.event.host, context.setup.env),
    "prompted_by_agent": lambda context: bool(context.find_author()),
    "reports_start": lambda context: reports_start(context.event.host),
    "known_error": lambda context: lambda key: _find_errors(context, key=key),
    "fixed_errors": lambda context: _find_errors(context, fixed=True),
    "recall": _make_recall,
}
"""Functions that find all facts, by name; a table, because at most events hooks read few of them."""
