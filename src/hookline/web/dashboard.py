"""The values of the dashboard: its sources, its pages, and one update of its live parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hookline.core.approval import Decision, Question
from hookline.core.diagnosis import Finding
from hookline.core.frozen import EMPTY
from hookline.core.store import Record, Store
from hookline.runtime.live_sessions import Row
from hookline.runtime.setup import Setup
from hookline.web.spendings import Spendings


class Approvals(Struct, frozen=True, kw_only=True):
    """The calls that wait for a person."""

    list_questions: Callable[[], Sequence[Question]]
    decide: Callable[[Decision], str]
    """Decides a question; returns the reason of a refusal, or an empty text."""


class RunSummary(Struct, frozen=True, kw_only=True):
    """An unfinished run of the engine."""

    id: str
    root: str
    running: bool
    text: str
    """Its experiments and its best result."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """The state that the page Now shows."""

    at: float
    sessions: tuple[Row, ...] = ()
    questions: tuple[Question, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    roots: tuple[str, ...] = ()
    """The projects with sessions in the last day, this project first."""
    problem: str = ""
    """The reason why the store could not be read; empty if it was."""


class Update(Struct, frozen=True, kw_only=True):
    """News for all viewers; each page renders its part once."""

    records: tuple[tuple[int, Record], ...]
    snapshot: Snapshot
    rendered: dict[tuple[str, str], str] = field(default_factory=dict)
    """Messages by page and query, so that viewers of the same page share them."""


class Checkup(Struct, kw_only=True):
    """The checks of `hookline doctor`, which take seconds, and their last result, for all viewers."""

    run: Callable[[], Sequence[Finding]]
    at: float = 0.0
    findings: Sequence[Finding] = ()


class Dashboard(Struct, frozen=True, kw_only=True):
    """The sources of the pages."""

    store: Store
    setup: Setup
    approvals: Approvals
    explain: Callable[[str, str, str], Mapping[str, Any]]
    """Returns how host, command line and folder would be judged now, as `hookline explain --json`."""
    checkup: Checkup
    take_snapshot: Callable[[], Snapshot]
    spendings: Spendings
    read_only: bool = False


Params = Mapping[str, str]
"""The parameters of a request; the last value counts."""


class View(Struct, frozen=True, kw_only=True):
    """A template and the values that it shows."""

    template: str
    values: Mapping[str, Any]
    live: bool = True
    """True if the live parts of the page are in it."""


class Page(Struct, frozen=True, kw_only=True):
    """A page: a query and a template; each module of `hookline.web.pages` defines one as `PAGE`."""

    title: str
    order: int
    """Its place in the navigation."""
    query: Callable[[Dashboard, Params], View]
    actions: Mapping[str, Callable[[Dashboard, Params], str]] = EMPTY
    """The changes that a person can make, by name; each returns a sentence for the person."""
    live: Callable[[Update, Params], Iterable[tuple[str, View]]] | None = None
    """Returns the parts of the page that an update changes, by the id of the element."""
