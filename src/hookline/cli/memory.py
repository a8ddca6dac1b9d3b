"""Show memories and correct them: list, search, add, edit, pin, forget, export, import, consolidate."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable
from contextlib import closing
from typing import Any

from msgspec import to_builtins

from hookline.cli import _require_person
from hookline.cli._command import Command, parse_positive_int
from hookline.cli._memory_files import export_memories, read_memories, rewrite_exports
from hookline.cli._output import dump, sanitize
from hookline.core.ranking import decayed_confidence
from hookline.core.records import KINDS, RELATIONS, USER, Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory import learn
from hookline.memory.consolidate import consolidate_project
from hookline.memory.extract import HALF_LIVES, named
from hookline.memory.forget import REFUSAL, find_forgotten, forget_memories, restore_memories
from hookline.redact import redact
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load_setup
from hookline.system import git_facts
from hookline.system.git_facts import find_origin

SCOPES = ("user", "repository", "branch", "issue")
MAX_MEMORIES = 1_000_000
DEFAULT_ROWS = 50
ID_LENGTH = 8
"""Characters of an id that are shown; a user may type any unique prefix."""


def run(args: Namespace) -> int:
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    with closing(open_store.open_store(setup)) as store:
        return int(args.carry_out(args, store, setup))


def show(args: Namespace, store: Store, setup: Setup) -> int:
    project = None if args.all else find_origin(setup.places.root)
    words, now = " ".join(getattr(args, "words", ())), time.time()
    recalled = store.recall(words, project=project, at=now, limit=MAX_MEMORIES)
    selected = [
        memory
        for memory in recalled
        if args.kind in (None, memory.kind) and args.scope in (None, memory.scope)
    ]
    for memory in selected[: args.most]:
        _print(memory, now, as_json=args.json)
    hidden = len(selected) - args.most
    if hidden > 0 and not args.json:
        print(f"and {hidden} more; `-n` shows more of them")
    return 0


def add(args: Namespace, store: Store, setup: Setup) -> int:
    kind = args.kind or "fact"
    text = learn.normalize_text(" ".join(args.text))
    draft = Memory(
        id="", at=time.time(), text=text, kind=kind, confidence=0.9, half_life=HALF_LIVES[kind], source=USER
    )
    memory = _apply_options(replace(draft, project=find_origin(setup.places.root)), args, store, setup)
    agent = _require_person.find_agent_by_variables(setup.env)
    if agent:  # it may have been tricked: not pinned, not for every project, and with less confidence
        if memory.pinned or memory.scope == "user":
            _require_person.refuse_agent("to pin a memory, or have it hold everywhere,", setup.env)
        memory = replace(memory, source=agent, confidence=min(memory.confidence, learn.MAX_AGENT_CONFIDENCE))
    memory = replace(memory, id=named(kind, f"{memory.branch} {memory.issue} {text}", memory.project))
    if agent and find_forgotten(store, [memory.id]):
        raise ValueError(REFUSAL)
    restore_memories(store, [memory.id])
    for existing in store.memories([memory.id]):
        is_explicit = args.confidence is not None and not agent
        memory = _merge(
            memory
            if is_explicit
            else replace(memory, confidence=max(memory.confidence, existing.confidence)),
            existing,
        )
    store.remember(memory)
    print(f"remembered as {memory.id[:ID_LENGTH]}")
    return 0


def _merge(memory: Memory, existing: Memory) -> Memory:
    """Return *memory* with the pin, tags, relations and user's authorship of the *existing* one."""
    return replace(
        memory,
        pinned=memory.pinned or existing.pinned,
        source=existing.source if existing.source == USER else memory.source,
        tags=tuple(dict.fromkeys((*existing.tags, *memory.tags))),
        relations=tuple(dict.fromkeys((*existing.relations, *memory.relations))),
    )


def edit(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("to change a memory", setup.env)
    memory = _find_memory(store, args.id)
    text = learn.normalize_text(" ".join(args.text)) if args.text else memory.text
    kind = args.kind or memory.kind
    edited = replace(memory, text=text, kind=kind, at=time.time(), source=USER)
    store.remember(_apply_options(edited, args, store, setup))
    _, problems = rewrite_exports(store, {memory.id: store.memories([memory.id])[0]})
    return _report_problems(problems)


def pin(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("to pin a memory", setup.env)
    store.remember(replace(_find_memory(store, args.id), pinned=not args.off))
    return 0


def forget(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("to forget", setup.env)
    memories = {memory.id: memory for memory in (_find_memory(store, name) for name in args.ids)}
    count = forget_memories(store, [*memories.values()], time.time())
    cleaned, problems = rewrite_exports(store, dict.fromkeys(memories))
    also = f", also in {', '.join(map(sanitize, cleaned))}" if cleaned else ""
    print(f"forgot {count}{also}")
    return _report_problems(problems)


def _report_problems(problems: list[str]) -> int:
    for problem in problems:
        print(f"hookline: {sanitize(problem)}; it may still say it: see to it yourself", file=sys.stderr)
    return 1 if problems else 0


def export(args: Namespace, store: Store, setup: Setup) -> int:
    project = None if args.all else find_origin(setup.places.root)
    count = export_memories(store, store.recall("", project=project, limit=MAX_MEMORIES), args.file)
    if args.file != "-":
        print(f"wrote {count} to {sanitize(args.file)}; what you forget later is taken out of it too")
    return 0


def import_memories(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.refuse_agent("to import memories", setup.env)
    memories = read_memories(args.file, project=find_origin(setup.places.root) if args.here else None)
    restore_memories(store, [memory.id for memory in memories])
    existing = {memory.id: memory for memory in store.memories([memory.id for memory in memories])}
    new = [memory for memory in memories if memory.id not in existing]
    newer = [memory for memory in memories if memory.id in existing and memory.at > existing[memory.id].at]
    for memory in (*new, *newer):
        store.remember(memory)
    changes = f", {len(newer)} changed" if newer else ""
    print(f"read {len(memories)}, {len(new)} of them new{changes}")
    return 0


def consolidate(args: Namespace, store: Store, setup: Setup) -> int:
    summary = consolidate_project(store, setup.places, time.time())
    print(summary or "somebody else is at it")
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
        raise ValueError(f"which {scope} is not known here; check one out, or say --issue N")
    return replace(
        memory,
        project="" if scope == "user" else find_origin(root),
        branch=branch if scope == "branch" else "",
        issue=issue if scope == "issue" else "",
    )


def _find_memory(store: Store, name: str) -> Memory:
    exact = store.memories([name])
    matches = exact or [
        memory for memory in store.recall("", limit=MAX_MEMORIES) if memory.id.startswith(name)
    ]
    if len(matches) != 1 or not name:  # empty, for example, because a script's variable is
        count = "every memory begins" if len(matches) == 1 else "several memories begin"
        count = count if matches else "no memory begins"
        raise LookupError(f"{count} with {name!r}; `hookline memory list` shows them")
    return matches[0]


def _print(memory: Memory, now: float, *, as_json: bool) -> None:
    if as_json:
        dump({**to_builtins(memory), "scope": memory.scope})
        return
    pinned = "pinned " if memory.pinned else ""
    print(
        sanitize(
            f"{memory.id[:ID_LENGTH]}  {pinned}{memory.scope} {memory.kind} "
            f"{decayed_confidence(memory, now):.2f}  {memory.text}"
        )
    )
    for relation, other in memory.relations:
        print(f"          {relation} {sanitize(other[:ID_LENGTH])}")


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    _add_filter_options(
        _add_subcommand(subparsers, "list", "Show what is remembered here, the surest first.", show)
    )
    search_parser = _add_subcommand(subparsers, "search", "Show what fits some words, the best first.", show)
    search_parser.add_argument("words", nargs="+", metavar="WORD")
    _add_filter_options(search_parser)
    add_parser = _add_subcommand(subparsers, "add", "Remember something.", add)
    add_parser.add_argument("text", nargs="+", metavar="TEXT")
    edit_parser = _add_subcommand(
        subparsers, "edit", "Change what a memory says, or where and how it holds.", edit
    )
    edit_parser.add_argument("id", metavar="ID")
    edit_parser.add_argument("text", nargs="*", metavar="TEXT", help="what it says from now on")
    for subparser in (add_parser, edit_parser):
        _add_memory_options(subparser)
    pin_parser = _add_subcommand(subparsers, "pin", "Keep a memory for good, in front of the others.", pin)
    pin_parser.add_argument("id", metavar="ID")
    pin_parser.add_argument("--off", action="store_true", help="let it fade again")
    forget_parser = _add_subcommand(
        subparsers, "forget", "Forget memories: in the store, handoffs and files exported.", forget
    )
    forget_parser.add_argument("ids", nargs="+", metavar="ID")
    export_parser = _add_subcommand(
        subparsers, "export", "Write what is remembered here as JSON, a line each.", export
    )
    export_parser.add_argument("--all", action="store_true", help="of every project")
    import_parser = _add_subcommand(
        subparsers, "import", "Remember what a file that was exported holds.", import_memories
    )
    import_parser.add_argument(
        "--here", action="store_true", help="as memories of this project, whatever it says"
    )
    for subparser in (export_parser, import_parser):
        subparser.add_argument("file", metavar="FILE", help="`-` for the terminal or a pipe")
    _add_subcommand(
        subparsers, "consolidate", "Merge what says the same and let go what faded, now.", consolidate
    )


def _add_filter_options(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="of every project")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scope", choices=SCOPES)
    parser.add_argument(
        "-n", dest="most", type=parse_positive_int, default=DEFAULT_ROWS, metavar="N", help="at most so many"
    )
    parser.add_argument("--json", action="store_true", help="a JSON object a line, with everything")


def _add_memory_options(parser: ArgumentParser) -> None:
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scope", choices=SCOPES, help="where it holds; usually this repository")
    parser.add_argument("--issue", default="", metavar="N", help="holds for this issue; else by the branch")
    parser.add_argument("--confidence", type=float, metavar="0..1")
    parser.add_argument("--half-life", type=float, metavar="DAYS", help="0: it never fades")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--tag", action="append", default=[], metavar="WORD", help="found by this too")
    for what in RELATIONS:
        parser.add_argument(f"--{what}", action="append", default=[], metavar="ID")


def _add_subcommand(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, about: str, function: Callable[..., Any]
) -> ArgumentParser:
    parser = subparsers.add_parser(name, help=about, description=about)
    parser.set_defaults(carry_out=function)
    return parser


COMMAND = Command(
    about="Look at what was learnt from sessions, and correct it.",
    examples="""
hookline memory list                                     what is remembered here, the surest first
hookline memory search how to run the tests
hookline memory add --kind convention "Tests live beside the code"
hookline memory add --scope user --pin "I prefer small commits"
hookline memory edit 3f2a --confidence 0.4 --contradicts 91bc
hookline memory forget 3f2a                              in the store, its index, handoffs and exports
hookline memory export team.jsonl; hookline memory import --here team.jsonl
hookline memory consolidate                              merge and let go now, instead of once a day

A line says: id, scope, kind, what it is worth by now, and what it says.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 when the store cannot be used, 2 when it was called wrongly",
)
