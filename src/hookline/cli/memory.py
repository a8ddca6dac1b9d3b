"""Show memories and correct them: list, search, add, edit, pin, forget, export, import, consolidate."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable
from contextlib import closing
from typing import Any

from msgspec import to_builtins

from hookline.cli import _memory_files as files
from hookline.cli import _require_person
from hookline.cli._command import Command, positive
from hookline.cli._output import dump, visible
from hookline.core.ranking import worth
from hookline.core.records import KINDS, RELATIONS, USER, Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory import forget as forgetting
from hookline.memory import learn
from hookline.memory.extract import HALF_LIVES, named
from hookline.redact import redact
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load
from hookline.system import git_facts
from hookline.system.git_facts import origin

SCOPES = ("user", "repository", "branch", "issue")
MOST = 1_000_000
SHOWN = 50
SHORT = 8
"""Characters of an id that are shown; as many as tell it from others may be typed."""


def run(args: Namespace) -> int:
    setup = load(dict(os.environ), os.getcwd())
    setup.kept.close()
    with closing(open_store.open_store(setup)) as store:
        return int(args.carry_out(args, store, setup))


def show(args: Namespace, store: Store, setup: Setup) -> int:
    project = None if args.all else origin(setup.places.root)
    words, now = " ".join(getattr(args, "words", ())), time.time()
    found = store.recall(words, project=project, at=now, limit=MOST)
    wanted = [one for one in found if args.kind in (None, one.kind) and args.scope in (None, one.scope)]
    for one in wanted[: args.most]:
        _print(one, now, as_json=args.json)
    more = len(wanted) - args.most
    if more > 0 and not args.json:
        print(f"and {more} more; `-n` shows more of them")
    return 0


def add(args: Namespace, store: Store, setup: Setup) -> int:
    kind = args.kind or "fact"
    text = learn.worded(" ".join(args.text))
    usual = Memory(
        id="", at=time.time(), text=text, kind=kind, confidence=0.9, half_life=HALF_LIVES[kind], source=USER
    )
    one = _changed(replace(usual, project=origin(setup.places.root)), args, store, setup)
    agent = _require_person.by_variables(setup.env)
    if agent:  # it may have been talked into it: not pinned, not everywhere, and less sure
        if one.pinned or one.scope == "user":
            _require_person.not_an_agent("to pin a memory, or have it hold everywhere,", setup.env)
        one = replace(one, source=agent, confidence=min(one.confidence, learn.AGENTS))
    one = replace(one, id=named(kind, f"{one.branch} {one.issue} {text}", one.project))
    if agent and forgetting.forgotten(store, [one.id]):
        raise ValueError(forgetting.REFUSED)
    forgetting.lift(store, [one.id])
    for known in store.memories([one.id]):
        said = args.confidence is not None and not agent
        one = _again(one if said else replace(one, confidence=max(one.confidence, known.confidence)), known)
    store.remember(one)
    print(f"remembered as {one.id[:SHORT]}")
    return 0


def _again(one: Memory, known: Memory) -> Memory:
    """What is said again takes nothing from what is *known*: not its pin, its ties, nor whose word it is."""
    return replace(
        one,
        pinned=one.pinned or known.pinned,
        source=known.source if known.source == USER else one.source,
        tags=tuple(dict.fromkeys((*known.tags, *one.tags))),
        relations=tuple(dict.fromkeys((*known.relations, *one.relations))),
    )


def edit(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.not_an_agent("to change a memory", setup.env)
    one = _found(store, args.id)
    text = learn.worded(" ".join(args.text)) if args.text else one.text
    kind = args.kind or one.kind
    mine = replace(one, text=text, kind=kind, at=time.time(), source=USER)
    store.remember(_changed(mine, args, store, setup))
    _, left = files.rewrite(store, {one.id: store.memories([one.id])[0]})
    return _told_of(left)


def pin(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.not_an_agent("to pin a memory", setup.env)
    store.remember(replace(_found(store, args.id), pinned=not args.off))
    return 0


def forget(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.not_an_agent("to forget", setup.env)
    memories = {one.id: one for one in (_found(store, name) for name in args.ids)}
    count = forgetting.forget(store, [*memories.values()], time.time())
    cleaned, left = files.rewrite(store, dict.fromkeys(memories))
    also = f", also in {', '.join(map(visible, cleaned))}" if cleaned else ""
    print(f"forgot {count}{also}")
    return _told_of(left)


def _told_of(left: list[str]) -> int:
    for problem in left:
        print(f"hookline: {visible(problem)}; it may still say it: see to it yourself", file=sys.stderr)
    return 1 if left else 0


def export(args: Namespace, store: Store, setup: Setup) -> int:
    project = None if args.all else origin(setup.places.root)
    count = files.export(store, store.recall("", project=project, limit=MOST), args.file)
    if args.file != "-":
        print(f"wrote {count} to {visible(args.file)}; what you forget later is taken out of it too")
    return 0


def bring(args: Namespace, store: Store, setup: Setup) -> int:
    _require_person.not_an_agent("to import memories", setup.env)
    memories = files.read(args.file, project=origin(setup.places.root) if args.here else None)
    forgetting.lift(store, [one.id for one in memories])
    known = {one.id: one for one in store.memories([one.id for one in memories])}
    new = [one for one in memories if one.id not in known]
    later = [one for one in memories if one.id in known and one.at > known[one.id].at]
    for one in (*new, *later):
        store.remember(one)
    more = f", {len(later)} changed" if later else ""
    print(f"read {len(memories)}, {len(new)} of them new{more}")
    return 0


def dream(args: Namespace, store: Store, setup: Setup) -> int:
    come = learn.consolidate(store, setup.places, time.time())
    print(come or "somebody else is at it")
    return 0


def _changed(one: Memory, args: Namespace, store: Store, setup: Setup) -> Memory:
    """*one* as the options say."""
    if args.scope or args.issue:
        one = _scoped(one, args.scope or "issue", setup, args.issue)
    if args.half_life is not None:
        one = replace(one, half_life=args.half_life or None)
    stands = [(what, _found(store, other).id) for what in RELATIONS for other in getattr(args, what)]
    return replace(
        one,
        confidence=one.confidence if args.confidence is None else args.confidence,
        pinned=one.pinned or args.pin,
        tags=tuple(dict.fromkeys((*one.tags, *map(redact, args.tag)))),
        relations=tuple(dict.fromkeys((*one.relations, *stands))),
    )


def _scoped(one: Memory, scope: str, setup: Setup, issue: str) -> Memory:
    root = setup.places.root
    branch = git_facts.branch(root)
    issue = issue or learn.issue_of(branch)
    if (scope == "branch" and not branch) or (scope == "issue" and not issue):
        raise ValueError(f"which {scope} is not known here; check one out, or say --issue N")
    return replace(
        one,
        project="" if scope == "user" else origin(root),
        branch=branch if scope == "branch" else "",
        issue=issue if scope == "issue" else "",
    )


def _found(store: Store, name: str) -> Memory:
    exact = store.memories([name])
    fitting = exact or [one for one in store.recall("", limit=MOST) if one.id.startswith(name)]
    if len(fitting) != 1 or not name:  # as where a variable of a script is empty
        count = "every memory begins" if len(fitting) == 1 else "several memories begin"
        count = count if fitting else "no memory begins"
        raise LookupError(f"{count} with {name!r}; `hookline memory list` shows them")
    return fitting[0]


def _print(one: Memory, now: float, *, as_json: bool) -> None:
    if as_json:
        dump({**to_builtins(one), "scope": one.scope})
        return
    pinned = "pinned " if one.pinned else ""
    print(visible(f"{one.id[:SHORT]}  {pinned}{one.scope} {one.kind} {worth(one, now):.2f}  {one.text}"))
    for what, other in one.relations:
        print(f"          {what} {visible(other[:SHORT])}")


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    _looking(_verb(verbs, "list", "Show what is remembered here, the surest first.", show))
    search = _verb(verbs, "search", "Show what fits some words, the best first.", show)
    search.add_argument("words", nargs="+", metavar="WORD")
    _looking(search)
    told = _verb(verbs, "add", "Remember something.", add)
    told.add_argument("text", nargs="+", metavar="TEXT")
    changed = _verb(verbs, "edit", "Change what a memory says, or where and how it holds.", edit)
    changed.add_argument("id", metavar="ID")
    changed.add_argument("text", nargs="*", metavar="TEXT", help="what it says from now on")
    for one in (told, changed):
        _saying(one)
    kept = _verb(verbs, "pin", "Keep a memory for good, in front of the others.", pin)
    kept.add_argument("id", metavar="ID")
    kept.add_argument("--off", action="store_true", help="let it fade again")
    gone = _verb(verbs, "forget", "Forget memories: in the store, handoffs and files exported.", forget)
    gone.add_argument("ids", nargs="+", metavar="ID")
    out = _verb(verbs, "export", "Write what is remembered here as JSON, a line each.", export)
    out.add_argument("--all", action="store_true", help="of every project")
    into = _verb(verbs, "import", "Remember what a file that was exported holds.", bring)
    into.add_argument("--here", action="store_true", help="as memories of this project, whatever it says")
    for one in (out, into):
        one.add_argument("file", metavar="FILE", help="`-` for the terminal or a pipe")
    _verb(verbs, "consolidate", "Merge what says the same and let go what faded, now.", dream)


def _looking(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="of every project")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scope", choices=SCOPES)
    parser.add_argument("-n", dest="most", type=positive, default=SHOWN, metavar="N", help="at most so many")
    parser.add_argument("--json", action="store_true", help="a JSON object a line, with everything")


def _saying(parser: ArgumentParser) -> None:
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--scope", choices=SCOPES, help="where it holds; usually this repository")
    parser.add_argument("--issue", default="", metavar="N", help="holds for this issue; else by the branch")
    parser.add_argument("--confidence", type=float, metavar="0..1")
    parser.add_argument("--half-life", type=float, metavar="DAYS", help="0: it never fades")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--tag", action="append", default=[], metavar="WORD", help="found by this too")
    for what in RELATIONS:
        parser.add_argument(f"--{what}", action="append", default=[], metavar="ID")


def _verb(
    verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str, work: Callable[..., Any]
) -> ArgumentParser:
    one = verbs.add_parser(name, help=about, description=about)
    one.set_defaults(carry_out=work)
    return one


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
