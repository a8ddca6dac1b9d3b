"""List, search, add, edit, pin, forget, export, import and consolidate memories."""

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing

from msgspec import to_builtins

from hookline.cli import _require_person
from hookline.cli._output import dump, sanitize
from hookline.core.memory_kinds import RELATIONS
from hookline.core.ranking import decayed_confidence
from hookline.core.records import USER, Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory import learn
from hookline.memory.consolidate import consolidate_project
from hookline.memory.export_files import export_memories, read_memories, rewrite_exports
from hookline.memory.extract import (
    HALF_LIVES,
    MAX_AGENT_CONFIDENCE,
    find_memory_id,
    find_rule_kind,
    find_same_ids,
)
from hookline.memory.forget import (
    REFUSAL,
    clear_forgotten,
    find_forgotten,
    forget_memories,
    restore_replaced,
)
from hookline.memory.privacy import PERSONAL_DATA_MESSAGE, is_personal
from hookline.redact import redact
from hookline.runtime import open_store
from hookline.runtime.find_agent import find_agent
from hookline.runtime.setup import Setup, load_setup
from hookline.system import git_facts
from hookline.system.git_facts import find_origin

NO_LIMIT = 1_000_000
"""More memories than a store holds."""
ID_LENGTH = 8
"""Characters shown of an id; any unique prefix is accepted."""


def with_store(action: Callable[[Namespace, Store, Setup], int]) -> Callable[[Namespace], int]:
    """Return the *action* as a function that opens the project's store for it."""

    def act(args: Namespace) -> int:
        setup = load_setup(dict(os.environ), os.getcwd())
        setup.resources.close()
        with closing(open_store.open_store(setup)) as store:
            return action(args, store, setup)

    return act


@with_store
def show(args: Namespace, store: Store, setup: Setup) -> int:
    project = None if args.all else find_origin(setup.places.root)
    words, now = " ".join(getattr(args, "words", ())), time.time()
    recalled = store.recall(words, project=project, at=now, limit=NO_LIMIT)
    selected = [
        memory
        for memory in recalled
        if args.kind in (None, memory.kind) and args.scope in (None, memory.scope)
    ]
    for memory in selected[: args.most]:
        _print(memory, now, as_json=args.json)
    if not selected and not args.json:
        print("no memories")
    hidden = len(selected) - args.most
    if hidden > 0 and not args.json:
        print(f"{hidden} more; use -n to show more")
    return 0


@with_store
def add(args: Namespace, store: Store, setup: Setup) -> int:
    text = learn.normalize_text(" ".join(args.text))
    kind = args.kind or find_rule_kind(text)
    draft = Memory(
        id="", at=time.time(), text=text, kind=kind, confidence=0.9, half_life=HALF_LIVES[kind], source=USER
    )
    memory = _apply_options(replace(draft, project=find_origin(setup.places.root)), args, store, setup)
    agent = find_agent(setup.env)
    if agent and is_personal(text):
        raise ValueError(PERSONAL_DATA_MESSAGE)
    if agent:  # it may follow injected instructions, so its memories get less weight
        if memory.pinned or memory.scope == "user":
            _require_person.refuse_agent("pinning a memory or storing it for all projects", setup.env)
        memory = replace(memory, source=agent, confidence=min(memory.confidence, MAX_AGENT_CONFIDENCE))
    memory = replace(
        memory, id=find_memory_id(kind, f"{memory.branch} {memory.issue} {text}", memory.project)
    )
    if agent and find_forgotten(store, find_same_ids(memory)):
        raise ValueError(REFUSAL)
    clear_forgotten(store, find_same_ids(memory))
    for existing in store.memories([memory.id]):
        if not memory.may_change(existing):
            print(f"already remembered as {memory.id[:ID_LENGTH]}")
            return 0
        is_explicit = args.confidence is not None and not agent
        memory = _merge(
            memory
            if is_explicit
            else replace(memory, confidence=max(memory.confidence, existing.confidence)),
            existing,
        )
    replaced = learn.store_rule(store, memory)
    if replaced is None:
        raise ValueError(learn.USER_RULE_MESSAGE)
    also = "".join(f"\nreplaces {old.id[:ID_LENGTH]}: {sanitize(old.text)}" for old in replaced)
    print(f"remembered as {memory.id[:ID_LENGTH]}{also}")
    return 0


def _merge(memory: Memory, existing: Memory) -> Memory:
    """Return *memory* with the pin, tags and relations of the *existing* one, not an agent's relations."""
    relations = existing.relations if existing.by_user or not memory.by_user else ()
    return replace(
        memory,
        pinned=memory.pinned or existing.pinned,
        tags=tuple(dict.fromkeys((*existing.tags, *memory.tags))),
        relations=tuple(dict.fromkeys((*relations, *memory.relations))),
    )


@with_store
def edit(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("editing a memory", setup.env)
    memory = _find_memory(store, args.id)
    text = learn.normalize_text(" ".join(args.text)) if args.text else memory.text
    kind = args.kind or memory.kind
    edited = replace(memory, text=text, kind=kind, at=time.time(), source=USER)
    store.remember(_apply_options(edited, args, store, setup))
    _, problems = rewrite_exports(store, {memory.id: store.memories([memory.id])[0]})
    print(f"changed {memory.id[:ID_LENGTH]}")
    return _report_problems(problems)


@with_store
def pin(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("pinning a memory", setup.env)
    memory = _find_memory(store, args.id)
    store.remember(replace(memory, pinned=not args.off))
    print(f"{'unpinned' if args.off else 'pinned'} {memory.id[:ID_LENGTH]}")
    return 0


@with_store
def forget(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("forgetting a memory", setup.env)
    memories = {memory.id: memory for memory in (_find_memory(store, name) for name in args.ids)}
    count = forget_memories(store, [*memories.values()], time.time())
    restored = restore_replaced(store, memories)
    cleaned, problems = rewrite_exports(store, dict.fromkeys(memories))
    also = f", also removed from {', '.join(map(sanitize, cleaned))}" if cleaned else ""
    print(f"forgot {count} {'memory' if count == 1 else 'memories'}{also}")
    for memory in restored:
        print(f"restored {memory.id[:ID_LENGTH]}, which it had replaced: {sanitize(memory.text)}")
    return _report_problems(problems)


def _report_problems(problems: list[str]) -> int:
    for problem in problems:
        print(f"hookline: {sanitize(problem)}; update this exported file by hand", file=sys.stderr)
    return 1 if problems else 0


@with_store
def export(args: Namespace, store: Store, setup: Setup) -> int:
    project = None if args.all else find_origin(setup.places.root)
    count = export_memories(store, store.recall("", project=project, limit=NO_LIMIT), args.file)
    if args.file != "-":
        print(f"exported {count} to {sanitize(args.file)}; later `forget` and `edit` update this file")
    return 0


@with_store
def import_memories(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("importing memories", setup.env)
    memories = read_memories(args.file, project=find_origin(setup.places.root) if args.here else None)
    clear_forgotten(store, [memory.id for memory in memories])
    existing = {memory.id: memory for memory in store.memories([memory.id for memory in memories])}
    new = [memory for memory in memories if memory.id not in existing]
    newer = [memory for memory in memories if memory.id in existing and memory.at > existing[memory.id].at]
    for memory in (*new, *newer):
        store.remember(memory)
    print(f"imported {len(memories)}: {len(new)} new, {len(newer)} updated")
    return 0


@with_store
def consolidate(args: Namespace, store: Store, setup: Setup) -> int:
    summary = consolidate_project(store, setup.places, time.time())
    print(summary or "another process is consolidating")
    return 0


def _apply_options(memory: Memory, args: Namespace, store: Store, setup: Setup) -> Memory:
    """Return *memory* as changed by the options."""
    if args.scope or args.issue:
        memory = _set_scope(memory, args.scope or "issue", setup, args.issue)
    if args.half_life is not None:
        memory = replace(memory, half_life=args.half_life or None)
    relations = [
        (relation, _find_memory(store, name).id) for relation in RELATIONS for name in getattr(args, relation)
    ]
    return replace(
        memory,
        confidence=memory.confidence if args.confidence is None else args.confidence,
        pinned=memory.pinned or args.pin,
        tags=tuple(dict.fromkeys((*memory.tags, *map(redact, args.tag)))),
        relations=tuple(dict.fromkeys((*memory.relations, *relations))),
    )


def _set_scope(memory: Memory, scope: str, setup: Setup, issue: str) -> Memory:
    root = setup.places.root
    branch = git_facts.find_branch(root)
    issue = issue or git_facts.parse_issue(branch)
    if (scope == "branch" and not branch) or (scope == "issue" and not issue):
        raise ValueError(f"unknown {scope}: check out a branch, or use --issue N")
    return replace(
        memory,
        project="" if scope == "user" else find_origin(root),
        branch=branch if scope == "branch" else "",
        issue=issue if scope == "issue" else "",
    )


def _find_memory(store: Store, name: str) -> Memory:
    exact = store.memories([name])
    matches = exact or [memory for memory in store.recall("", limit=NO_LIMIT) if memory.id.startswith(name)]
    if len(matches) != 1 or not name:  # an empty name may come from an empty variable of a script
        problem = "ambiguous id" if matches else "no memory with id"
        raise LookupError(f"{problem} {name!r} (hookline memory list)")
    return matches[0]


def _print(memory: Memory, now: float, *, as_json: bool) -> None:
    if as_json:
        dump({**to_builtins(memory), "scope": memory.scope})
        return
    pinned, author = "pinned " if memory.pinned else "", "" if memory.by_user else " (by an agent)"
    print(
        sanitize(
            f"{memory.id[:ID_LENGTH]}  {pinned}{memory.scope} {memory.kind} "
            f"{decayed_confidence(memory, now):.2f}  {memory.text}{author}"
        )
    )
    for relation, other in memory.relations:
        print(f"          {relation} {sanitize(other[:ID_LENGTH])}")
