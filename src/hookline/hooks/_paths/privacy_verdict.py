"""Verdict of privacy-block on every path of a call, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.explanation import Branch, branch
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.hooks._explain import mask_unknown
from hookline.hooks._paths.approvals import GRANTED, Approval, approvals, heard
from hookline.hooks._paths.exposure import lines, named
from hookline.hooks._paths.guarded import Exposure, Sort, guarded
from hookline.hooks._paths.secret import Secret
from hookline.hooks._paths.spelling import Place, find_place
from hookline.hooks._paths.tool_fields import Field, fields

RULE = "sensitive-path"
SHELLS = frozenset({"shell", "powershell", "cmd"})
Loudness: TypeAlias = 'Literal["warn", "ask", "block"]'
"""Severity of a verdict on a command line."""


class Weighed(NamedTuple):
    field: Field
    said: Literal["pass", "excepted", "ask", "modify", "block"]
    """"modify" removes the prefix of an approved path; "block" stops an agent that claims an approval."""
    sort: Sort | None = None
    excepted: str = ""
    approval: Approval | None = None


def weighed(event: PreToolUse, state: State, place: Place, allow: Allow) -> tuple[Weighed, ...]:
    first = [_unclaimed(one, place, allow) for one in fields(event)]
    claimed = [one.field.path for one in first if one.said == "ask" and one.field.claimed and one.field.where]
    given = approvals(claimed, event, state) if claimed else {}
    return tuple(_claimed(one, given) if one.said == "ask" else one for one in first)


def _unclaimed(field: Field, place: Place, allow: Allow) -> Weighed:
    sort = guarded(field, place)
    if sort is None:
        return Weighed(field, "pass")
    reason = find_exception(allow, "privacy-block", RULE, field.path)
    return Weighed(field, "ask", sort) if reason is None else Weighed(field, "excepted", sort, reason)


def _claimed(one: Weighed, given: dict[str, Approval | None]) -> Weighed:
    if not (one.field.claimed and one.field.where):
        return one
    approval = given[one.field.path]
    return one._replace(said="block" if approval is None else "modify", approval=approval)


_SORTS: Mapping[Secret, str] = {
    "dotenv": "settings of the environment",
    "key": "a private key",
    "keylike": "named like a key",
    "ssh": "a key or secret of ssh",
    "ssh-open": "a file of ssh",
    "store": "a store of credentials",
    "mild": "a file that may hold tokens",
}
_YES = {
    "prompt": "a person said yes in a prompt",
    "answer": "a person answered yes",
    "terminal": "a person said yes in a terminal",
}


def tree(
    event: PreToolUse | UserPromptSubmit | PostToolUse,
    state: State,
    *,
    allow: Allow,
    patterns: tuple[str, ...],
    shell: Literal["warn", "ask", "block"],
) -> Iterator[Branch]:
    if not isinstance(event, PreToolUse):
        yield _heard(event, state)
        return
    place = find_place(event, state, patterns)
    judged = [] if event.kind in SHELLS else [_weighed(one) for one in weighed(event, state, place, allow)]
    if event.kind in SHELLS:
        judged = list(_line(event, place, allow, shell))
    yield from judged or [branch("no opened file was found")]


def _heard(event: UserPromptSubmit | PostToolUse, state: State) -> Branch:
    """Return the branch for a person's prompt or answer, with the path that it approves."""
    said = heard(event, state)
    given = said.memory.get(GRANTED, ())[-1:] if said is not None else ()
    paths = ", ".join(str(one["path"]) for one in given)
    return branch(f"a person said yes to {paths}" if paths else "no person says yes to a file here")


def _weighed(one: Weighed) -> Branch:
    path = one.field.path
    if one.sort is None:
        return branch(f"{path}: not a file that holds secrets")
    what = f"{path}: {_sort(one.sort)}"
    if one.said == "excepted":
        return branch(what, judgement="excepted", rule=RULE, because=one.excepted)
    if one.said == "modify" and one.approval is not None:
        yes = f"{_YES.get(one.approval.how, 'a person said yes')}; it counts once"
        return branch(what, judgement="modify", rule="approved", because=yes)
    if one.said == "block":
        claim = "it is said to be approved, and no unused yes of a person was seen"
        return branch(what, judgement="block", rule="self-approval", because=claim)
    return branch(what, judgement="ask", rule=RULE)


def _sort(sort: Sort) -> str:
    return f"{_SORTS[sort.kind]}, by {sort.by}"


def _line(event: PreToolUse, place: Place, allow: Allow, shell: Loudness) -> Iterator[Branch]:
    found = dict.fromkeys(lines(event.command or "", event.kind, place))
    operands: dict[Exposure, str] = {}
    for word, how, sort in named(event.command or "", event.kind, place):
        one, text = Exposure("sensitive-operand", word.text, word.span), mask_unknown(word.text)
        if one in found:
            operands.setdefault(one, f"{text}: {_sort(sort) if sort else 'comes from a secret'}")
        elif sort is None:
            yield branch(f"{text}: not a file that holds secrets")
        else:
            yield branch(f"{text}: {_sort(sort)}; but the command ({how}) does not print it")
    for one in found:
        text = operands.get(one, f"{one.rule}: {mask_unknown(one.what)}")
        yield _exposed(one, text, allow, shell)


def _exposed(one: Exposure, text: str, allow: Allow, shell: Loudness) -> Branch:
    reason = find_exception(allow, "privacy-block", one.rule, one.what)
    if reason is not None:
        return branch(text, judgement="excepted", rule=one.rule, because=reason)
    return branch(text, judgement=shell, rule=one.rule)
