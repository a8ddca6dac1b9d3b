"""Why redact-secrets changes a text: the kind and the line of each secret in it, never the secret."""

from collections import Counter
from collections.abc import Iterator

from hookline.events import PostToolUse, PreModelCall, PreToolUse
from hookline.exceptions import Allow
from hookline.hooks._secrets import Searched, file_of_rules, searched, wrapped
from hookline.state import State
from hookline.why import Branch, branch


def tree(
    event: PostToolUse | PreModelCall | PreToolUse, state: State, *, allow: Allow, rules: str, wrap: bool
) -> Iterator[Branch]:
    if isinstance(event, PreToolUse):
        yield _before(event, state, wrap=wrap)
        return
    more, complaint = file_of_rules(rules, state)
    yield from (branch(text, said="warn") for text in (complaint.warnings if complaint else ()))
    found = searched(event, more, allow)
    yield from (branch(_place(*one), said="modify", rule=one[0]) for one in found.found)
    for one in found.in_error:
        yield branch(f"{_place(*one)} of the error text, which no hook can change", said="warn", rule=one[0])
    yield from _kept(found, searched(event, more, ())) if found.kept else ()
    if not (found.found or found.in_error or found.kept):
        yield branch("there is no secret in it")


def _kept(found: Searched, every: Searched) -> Iterator[Branch]:
    """What was left by an exception, among *every* secret that is there."""
    left = Counter((*every.found, *every.in_error)) - Counter((*found.found, *found.in_error))
    for one in left.elements():
        yield branch(_place(*one), said="excepted", rule=one[0], because=found.kept.get(one[0], ""))
    for kind, reason in found.kept.items():
        if kind not in {one[0] for one in left}:
            text = f"{kind}, in a text that is another kind of secret too"
            yield branch(text, said="excepted", rule=kind, because=reason)


def _place(kind: str, path: str, line: int) -> str:
    return f"{kind} in {f'{path}, ' if path else ''}line {line}"


def _before(event: PreToolUse, state: State, *, wrap: bool) -> Branch:
    if not wrap:
        return branch("what it prints is looked at afterwards (`wrap` is off)")
    if event.kind != "shell" or not event.command:
        return branch(f"{event.tool} is no shell whose output could be wrapped")
    if wrapped(event.command, "hookline") is None:
        return branch("its output cannot be wrapped: it runs on in the background, or is wrapped already")
    return branch("its output goes through the redactor (`wrap` is on)", said="modify", rule="wrap")
