"""Learn from a session's recording once the answer is out, consolidate once a day, and recall for hooks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from json import loads
from typing import Protocol, TypeVar

from msgspec import Struct, to_builtins

from hookline import hosts
from hookline.core.conversation import Entry, Talk, Use
from hookline.core.host import Host
from hookline.core.records import USER, Memory
from hookline.core.response import Learn
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory.consolidate import dream
from hookline.memory.extract import Whose, cleared_at, extracted
from hookline.memory.forget import forgotten
from hookline.redact import redact
from hookline.system import file_lock
from hookline.system.git_facts import branch, origin
from hookline.system.paths import Places
from hookline.system.tail import Mark, look, mark_from

_T = TypeVar("_T")


class Attempt(Protocol):
    """Use the store; where it fails, the answer is what is usual, aloud."""

    def __call__(self, use: Callable[[], _T], *, usual: _T) -> _T: ...


READ, LATELY = "hookline.learnt", "hookline.learnt_lately"
"""The notes of how far a session's recording was read, and of what was learnt since its user was told."""
DREAM_EVERY = 86_400.0
DREAMT = "hookline.dreamt"
"""The note of when a project's memories were consolidated, and what came of it."""
AT_ONCE = 5_000
"""Memories of a project that one consolidation looks at: the surest."""
AGAIN = 0.05
"""How much surer it is when it was found again."""
SUREST = 0.95
AGENTS = 0.7
"""How sure what an agent has kept by itself is at most: less than what a person says."""
LONGEST = 1_500
"""Characters of a memory: a session is never told a longer one."""


def worded(text: str) -> str:
    """*text* as it may be kept: without secrets, and on one line; raises `ValueError` where it cannot be."""
    plain = "".join(c if c.isprintable() else " " for c in redact(text).encode(errors="replace").decode())
    bare = " ".join(plain.split())
    if not bare:
        raise ValueError("there is nothing to remember in an empty text")
    if len(bare) > LONGEST:
        raise ValueError(f"say it in one or two sentences: {len(bare):,} characters, of {LONGEST:,}")
    return bare


def all_of(lessons: Sequence[Learn], store: Store, places: Places, at: float) -> None:
    """Learn from each, and consolidate where that is due."""
    for one in lessons:
        learn(one, store, places.root, at)
    if due(store, places.root, at):
        consolidate(store, places, at)


def learn(wanted: Learn, store: Store, root: str, at: float) -> None:
    """Remember what the recording tells since the last look; what is known already is the surer for it."""
    found = spoken(wanted.host, wanted.transcript, mark_from(store.notes(wanted.session).get(READ)))
    if found is None:
        return
    ours = whose(root, at, f"{wanted.host}:{wanted.session}")
    if cleared_at(found.entries) is not None:
        _let_go(store, ours)
    new = remember(store, extracted(found.entries, ours, redact), at)
    store.note(wanted.session, {READ: to_builtins(found.mark)})
    lately(store, wanted.session, [one.id for one in new])


def _let_go(store: Store, ours: Whose) -> None:
    """Forget what stood in the way on the branch, as sessions told it: it does no longer."""
    known = store.recall("", project=ours.project, branch=ours.branch, limit=AT_ONCE)
    over = [one for one in known if one.kind == "blocker" and one.branch == ours.branch and one.project]
    learnt = [one.id for one in over if not one.pinned and one.source != USER]
    if learnt:
        store.forget(*learnt)


class Spoken(Struct, frozen=True, kw_only=True):
    """What was said and done since the last look."""

    entries: Sequence[Entry]
    mark: Mark
    """How far that is."""


def spoken(host_name: str, transcript: str, mark: Mark) -> Spoken | None:
    """What a session's recording tells behind *mark*; None where nothing new is there, or it is not read."""
    host = of_host(host_name)
    talk = talk_of(host)
    if host is None or talk is None or not transcript:
        return None
    found = look(transcript, mark, talk.marks)
    if found.mark == mark:
        return None
    return Spoken(entries=list(entries(host, talk, found.lines)), mark=found.mark)


def whose(root: str, at: float, source: str) -> Whose:
    """Whose memories are that are learnt in *root*."""
    return Whose(at=at, project=origin(root), branch=_branch(root), source=source)


def lately(store: Store, session: str, ids: Sequence[str]) -> None:
    """Have the user told of what was learnt, together with what they were not told of yet."""
    if ids:
        before = store.notes(session).get(LATELY) or ()
        store.note(session, {LATELY: [*dict.fromkeys((*before, *ids))]})


def remember(store: Store, memories: Sequence[Memory], at: float) -> list[Memory]:
    """Keep what is new and nobody had forgotten; those that were."""
    gone = forgotten(store, [one.id for one in memories])
    memories = [one for one in memories if one.id not in gone]
    known = {one.id: one for one in store.memories([one.id for one in memories])}
    stands = {one.id: one.relations for one in memories}
    for one in known.values():
        surer = max(one.confidence, min(one.confidence + AGAIN, SUREST))
        relations = tuple(dict.fromkeys((*one.relations, *stands[one.id])))
        store.remember(replace(one, at=at, confidence=surer, relations=relations))
    new = [one for one in memories if one.id not in known]
    for one in new:
        store.remember(one)
    return new


def entries(host: Host, talk: Talk, lines: Iterable[bytes]) -> Iterator[Entry]:
    """What *lines* of a recording tell, with commands and paths by the host's table of tools."""
    for line in lines:
        try:
            told = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        for one in talk.read(told) if isinstance(told, dict) else ():
            yield _in_our_words(one, host) if isinstance(one, Use) and not one.kind else one


def _in_our_words(one: Entry, host: Host) -> Entry:
    row = host.tools.get(one.tool) if isinstance(one, Use) else None
    if row is None or not isinstance(one, Use):
        return one
    command, path = (one.input.get(row.places.get(name, "")) for name in ("command", "path"))
    return replace(
        one,
        kind=row.kind,
        command=command if isinstance(command, str) else "",
        path=path if isinstance(path, str) else "",
    )


def of_host(name: str) -> Host | None:
    return hosts.load(name) if name in hosts.names() else None


def talk_of(host: Host | None) -> Talk | None:
    return host.talk if host else None


def consolidate(store: Store, places: Places, at: float) -> str:
    """Merge and forget memories of a project and of none; return a report, empty if a process is doing so."""
    root = origin(places.root)
    os.makedirs(places.state, mode=0o700, exist_ok=True)
    with file_lock.try_lock(f"{places.state}/consolidate.lock") as alone:
        return "" if alone is None else _consolidate(store, root, at)


def _consolidate(store: Store, root: str, at: float) -> str:
    come = dream(store.recall("", project=root, limit=AT_ONCE), at)
    for one in come.changed:
        store.remember(one)
    if come.gone:
        store.forget(*come.gone)
    store.note("", {f"{DREAMT}:{root}": {"at": at, "report": come.report}})
    return come.report


def due(store: Store, root: str, at: float) -> bool:
    """Whether a project's memories were not consolidated within the last day; a clock may be set back."""
    last = (store.notes("").get(f"{DREAMT}:{origin(root)}") or {}).get("at", 0.0)
    return not last <= at < last + DREAM_EVERY


def recaller(store: Store, root: str, at: float, attempt: Attempt) -> Callable[[str, int], Sequence[Memory]]:
    """What recalls for a hook: at most so many memories that hold here, for a text or for none."""
    branch, project = _branch(root), origin(root)
    issue = issue_of(branch)
    none: Sequence[Memory] = ()

    def recall(text: str, most: int) -> Sequence[Memory]:
        return attempt(
            lambda: store.recall(text, project=project, branch=branch, issue=issue, at=at, limit=most),
            usual=none,
        )

    return recall


def issue_of(branch: str) -> str:
    """The number of the issue that a branch is named after; empty where it names none."""
    if branch.startswith("hookline/"):  # a run of the engine, with its date
        return ""
    found = re.search(r"(?:^|[/_-])(?:issue[-_/]?|gh-|#)?(\d{1,6})(?=[-_/]|$)", branch)
    return found[1] if found else ""


def _branch(root: str) -> str:
    return branch(root)
