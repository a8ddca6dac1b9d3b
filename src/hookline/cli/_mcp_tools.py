"""What the MCP server offers: recall and remember, a verdict before acting, the budget; and firing events.

Each call opens what it needs and closes it again: calls come from many threads, and seldom.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Literal

from msgspec import Struct

from hookline import hosts
from hookline.cli import budget as spending
from hookline.cli import fire as firing
from hookline.cli._dry_run import Judge
from hookline.core.envelope import response_out
from hookline.core.events import EVENTS, Unreadable
from hookline.core.ranking import settled, within
from hookline.core.records import Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory import forget, learn
from hookline.memory.extract import HALF_LIVES, named
from hookline.redact import redact
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load
from hookline.system import git_facts, spool
from hookline.system.git_facts import origin

LONGEST = 1_000
"""Characters of a memory: what is longer would crowd out the others."""
APART = "mcp:"
"""How sessions begin whose events were fired here: nobody can speak in the name of another one."""


class Tools(Struct, frozen=True, kw_only=True):
    """The tools for one folder."""

    cwd: str

    @property
    def for_agents(self) -> tuple[Callable[..., Any], ...]:
        return self.recall, self.remember, self.verdict, self.budget

    def recall(self, question: str, tokens: int = 600) -> list[dict[str, Any]]:
        """What earlier sessions learnt about this question, best first, within so many tokens."""
        with self._opened() as (setup, store):
            recall = learn.recaller(store, setup.places.root, time.time(), _straight)
            found = within(settled(recall(redact(question), 20)), max(1, min(tokens, 4000)))
            store.use([one.id for one in found], at=time.time())
        return [{"id": one.id, "kind": one.kind, "scope": one.scope, "text": one.text} for one in found]

    def remember(
        self,
        text: str,
        kind: Literal["fact", "decision", "preference", "convention", "blocker"] = "fact",
        scope: Literal["repository", "branch", "issue"] = "repository",
        contradicts: str = "",
    ) -> dict[str, str]:
        """Keep something that later sessions should know, in one or two sentences; its id.

        With `contradicts`, the id of the memory that is no longer true.
        """
        quiet = learn.worded(text)
        if len(quiet) > LONGEST:
            raise ValueError(f"say it in one or two sentences: {len(quiet):,} characters, of {LONGEST:,}")
        with self._opened() as (setup, store):
            one = _memory(quiet, kind, scope, setup)
            if forget.forgotten(store, [one.id]):
                raise ValueError(forget.REFUSED)
            if contradicts:
                if not store.memories([contradicts]):
                    raise LookupError("no memory has the id that it contradicts; `recall` tells ids")
                one = replace(one, relations=(("contradicts", contradicts),))
            learn.remember(store, [one], time.time())
        return {"id": one.id}

    def verdict(self, hook: str, event: dict[str, Any] | None = None) -> dict[str, Any]:
        """Whether something would be let through, before it is tried; nothing is kept.

        `hook` is the event's name, such as PreToolUse; `event` its envelope, such as
        {"tool": {"name": "shell", "input": {"command": "git push --force"}}}.
        """
        judge = Judge(hosts.load(firing.HOST), self.cwd)
        try:
            judged = judge.judge(self._envelope(hook, event))
        finally:
            judge.close()
        if judged is None:
            raise Unreadable(f"{hook} is no moment that can be judged")
        return dict(response_out(judged.outcome, None))

    def budget(self, session: str = "") -> dict[str, Any]:
        """What a session may spend and has spent; without a name, the newest of this project."""
        with self._opened() as (setup, store):
            return dict(spending.known(store, setup, redact(session)))

    def fire(self, hook: str, event: dict[str, Any] | None = None) -> dict[str, Any]:
        """Tell the hooks of an event that happens now, and get their answer; it is kept like any other."""
        envelope = self._envelope(hook, event)
        envelope["sessionId"] = APART + str(envelope["sessionId"])
        said: dict[str, Any] = json.loads(firing.answered(envelope, self.cwd))
        return said

    def _envelope(self, hook: str, event: Mapping[str, Any] | None) -> dict[str, Any]:
        if hook not in EVENTS:
            raise LookupError(f"no event is called so; there are: {', '.join(EVENTS)}")
        return {"sessionId": firing.SESSION, **(event or {}), "hook": hook, "cwd": self.cwd}

    @contextmanager
    def _opened(self) -> Iterator[tuple[Setup, Store]]:
        setup = load(dict(os.environ), self.cwd)
        setup.kept.close()
        with closing(open_store.open_store(setup)) as store:
            spool.drain(setup.places.spool, store)
            yield setup, store


def _straight(use: Callable[[], Any], *, usual: Any) -> Any:
    return use()


def _memory(text: str, kind: str, scope: str, setup: Setup) -> Memory:
    root = setup.places.root
    branch = git_facts.branch(root)
    issue = learn.issue_of(branch)
    if (scope == "branch" and not branch) or (scope == "issue" and not issue):
        raise ValueError(f"which {scope} is worked on is not known here; use the scope repository")
    project = origin(root)
    where = {"branch": branch, "issue": issue}.get(scope, "")
    return Memory(
        id=named(kind, f"{where} {text}", project),
        at=time.time(),
        text=text,
        kind=kind,
        project=project,
        branch=branch if scope == "branch" else "",
        issue=issue if scope == "issue" else "",
        confidence=learn.AGENTS,
        half_life=HALF_LIVES[kind],
        source="mcp",
    )
