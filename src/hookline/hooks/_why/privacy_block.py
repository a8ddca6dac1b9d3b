"""Why privacy-block asks, warns or lets pass: every path that it looked at, and what it takes it for."""

from collections.abc import Iterator, Mapping
from typing import Literal

from hookline.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.exceptions import Allow, excepted
from hookline.hooks._paths import approvals
from hookline.hooks._paths.exposure import lines, named
from hookline.hooks._paths.guarded import Exposure, Place, Sort
from hookline.hooks._paths.secret import Secret
from hookline.hooks._paths.weighing import RULE, SHELLS, Weighed, weighed, whereabouts
from hookline.hooks._why.words import told
from hookline.state import State
from hookline.why import Branch, branch

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
    place = whereabouts(event, state, patterns)
    judged = [] if event.kind in SHELLS else [_weighed(one) for one in weighed(event, state, place, allow)]
    if event.kind in SHELLS:
        judged = list(_line(event, place, allow, shell))
    yield from judged or [branch("it opens no file that we know of")]


def _heard(event: UserPromptSubmit | PostToolUse, state: State) -> Branch:
    """What a person's words grant."""
    said = approvals.heard(event, state)
    given = said.memory.get(approvals.GRANTED, ())[-1:] if said is not None else ()
    paths = ", ".join(str(one["path"]) for one in given)
    return branch(f"a person said yes to {paths}" if paths else "no person says yes to a file here")


def _weighed(one: Weighed) -> Branch:
    path = one.field.path
    if one.sort is None:
        return branch(f"{path}: not a file that holds secrets")
    what = f"{path}: {_sort(one.sort)}"
    if one.said == "excepted":
        return branch(what, said="excepted", rule=RULE, because=one.excepted)
    if one.said == "modify" and one.approval is not None:
        yes = f"{_YES.get(one.approval.how, 'a person said yes')}; it counts once"
        return branch(what, said="modify", rule="approved", because=yes)
    if one.said == "block":
        claim = "it is said to be approved, and no unused yes of a person was seen"
        return branch(what, said="block", rule="self-approval", because=claim)
    return branch(what, said="ask", rule=RULE)


def _sort(sort: Sort) -> str:
    return f"{_SORTS[sort.kind]}, by {sort.by}"


def _line(
    event: PreToolUse, place: Place, allow: Allow, shell: Literal["warn", "ask", "block"]
) -> Iterator[Branch]:
    found = dict.fromkeys(lines(event.command or "", event.kind, place))
    operands: dict[Exposure, str] = {}
    for word, how, sort in named(event.command or "", event.kind, place):
        one, text = Exposure("sensitive-operand", word.text, word.span), told(word.text)
        if one in found:
            operands.setdefault(one, f"{text}: {_sort(sort) if sort else 'comes from a secret'}")
        elif sort is None:
            yield branch(f"{text}: not a file that holds secrets")
        else:
            yield branch(f"{text}: {_sort(sort)}; but what becomes of it ({how}) shows nothing of it here")
    for one in found:
        text = operands.get(one, f"{one.rule}: {told(one.what)}")
        yield _exposed(one, text, allow, shell)


def _exposed(one: Exposure, text: str, allow: Allow, shell: Literal["warn", "ask", "block"]) -> Branch:
    reason = excepted(allow, "privacy-block", one.rule, one.what)
    if reason is not None:
        return branch(text, said="excepted", rule=one.rule, because=reason)
    return branch(text, said=shell, rule=one.rule)
