"""What becomes of each path in the input of a file tool: for privacy-block's verdict, and for its tree."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from hookline.events import PreToolUse
from hookline.exceptions import Allow, excepted
from hookline.hooks._paths.approvals import Approval, approvals
from hookline.hooks._paths.fields import Field, fields
from hookline.hooks._paths.guarded import Place, Sort, guarded
from hookline.state import State

RULE = "sensitive-path"
SHELLS = frozenset({"shell", "powershell", "cmd"})
Loudness: TypeAlias = 'Literal["warn", "ask", "block"]'
"""How loudly it is said."""


class Weighed(NamedTuple):
    field: Field
    said: Literal["pass", "excepted", "ask", "modify", "block"]
    """modify: a person said yes, so only the prefix is taken off; block: the agent says that one did."""
    sort: Sort | None = None
    excepted: str = ""
    approval: Approval | None = None


def whereabouts(event: PreToolUse, state: State, patterns: tuple[str, ...]) -> Place:
    return Place(
        cwd=event.cwd or state.root or "/",
        home=state.home,
        root=state.root,
        real=state.facts.get("realpath", lambda path: path),
        patterns=patterns,
    )


def weighed(event: PreToolUse, state: State, place: Place, allow: Allow) -> tuple[Weighed, ...]:
    first = [_unclaimed(one, place, allow) for one in fields(event)]
    claimed = [one.field.path for one in first if one.said == "ask" and one.field.claimed and one.field.where]
    given = approvals(claimed, event, state) if claimed else {}
    return tuple(_claimed(one, given) if one.said == "ask" else one for one in first)


def _unclaimed(field: Field, place: Place, allow: Allow) -> Weighed:
    sort = guarded(field, place)
    if sort is None:
        return Weighed(field, "pass")
    reason = excepted(allow, "privacy-block", RULE, field.path)
    return Weighed(field, "ask", sort) if reason is None else Weighed(field, "excepted", sort, reason)


def _claimed(one: Weighed, given: dict[str, Approval | None]) -> Weighed:
    if not (one.field.claimed and one.field.where):
        return one
    approval = given[one.field.path]
    return one._replace(said="block" if approval is None else "modify", approval=approval)
