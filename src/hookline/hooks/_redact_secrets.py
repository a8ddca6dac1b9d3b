"""Search an event for secrets, load the user's rule file, wrap shell commands, and explain the result."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hookline.core.events import PostToolUse, PreModelCall, PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.response import Response, remember, warn
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.lazy import re
from hookline.redact import MAX_CHARS, NO_LIMIT, TOO_LONG, Rules, redact_json_with_findings
from hookline.redact.gitleaks_rules import RuleFile, parse_rules

_BLOB = re.compile(r"[A-Za-z0-9+/_=-]{4096,}")
"""The rest of an encoded file, such as an image, which would be invalid if it were cut."""
_MAX_NAMED = 5
"""Secrets that one message names."""
_REPORTED_NOTE = "redact-secrets.told"
_BACKGROUND = re.compile(r"(?<![&>|<\\])&(?![&>\d])")
_KEEP_EXIT_STATUS = '; (exit "${PIPESTATUS[0]-${pipestatus[1]}}")'
"""Shell code that keeps the command's exit status: in bash, and in zsh, whose arrays start at 1."""


SecretPlaces = Sequence[tuple[str, str, int]]
"""Kind, field and line of each secret."""


class SearchResult(NamedTuple):
    """The redacted value of an event, the secrets found, and the exceptions that applied."""

    value: Any
    secrets: SecretPlaces
    error_secrets: SecretPlaces
    """Secrets in an error text that is not part of the output; no hook can change it."""
    exceptions: Mapping[str, str]
    """Kinds of secrets kept by an exception, each with its written reason."""


def search(event: PostToolUse | PreModelCall, rules: Rules, allow: Allow) -> SearchResult:
    exceptions: dict[str, str] = {}

    def keep(kind: str, value: str) -> bool:
        if kind == TOO_LONG and _BLOB.fullmatch(value):
            return True
        reason = find_exception(allow, "redact-secrets", kind, value)
        if reason is not None:
            exceptions[kind] = reason
        return reason is not None

    before, error = getattr(event, event.changeable_field), getattr(event, "error", "")
    # The model's context limits a request.
    max_chars = NO_LIMIT if isinstance(event, PreModelCall) else MAX_CHARS
    value, secrets = redact_json_with_findings(before, rules=rules, keep=keep, max_chars=max_chars)
    own_error = "" if _contains(before, error) else error
    _, found = redact_json_with_findings(own_error, rules=rules, keep=keep, max_chars=MAX_CHARS)
    error_secrets = [place for place in found if place[0] != TOO_LONG]
    return SearchResult(value, secrets, error_secrets, exceptions)


def _contains(value: Any, text: str) -> bool:
    """Return whether a string in a JSON value contains *text*."""
    remaining = [value]
    while remaining:
        item = remaining.pop()
        if isinstance(item, str) and text in item:
            return True
        remaining.extend(item.values() if isinstance(item, Mapping) else ())
        remaining.extend(item if isinstance(item, list | tuple) else ())
    return False


def format_places(secrets: SecretPlaces) -> str:
    """Return the kind, the field and the line of each secret."""
    places = [f"{kind} ({f'{path}, ' if path else ''}line {line})" for kind, path, line in secrets]
    more = f" and {len(places) - _MAX_NAMED} more" if len(places) > _MAX_NAMED else ""
    return ", ".join(places[:_MAX_NAMED]) + more


def load_rule_file(name: str, state: State) -> tuple[Rules, Response | None]:
    """Return the rules in the file *name*, and a warning about its errors once per session."""
    if not name:
        return (), None
    text, problem = state.facts["rule_file"](name)
    rules = RuleFile(problems=(problem,)) if problem else _parse_rules(text)
    sentences = [f"redact-secrets: {name!r} {problem}" for problem in rules.problems]
    if not sentences or list(state.memory.get(_REPORTED_NOTE, ())) == sentences:
        return (rules,), None
    return (rules,), warn(*sentences).plus(remember(**{_REPORTED_NOTE: sentences}))


@lru_cache(maxsize=4)
def _parse_rules(text: str) -> RuleFile:
    return parse_rules(text)


def wrap_command(command: str, ourselves: str) -> str | None:
    """Return *command* with its output piped through the redactor; None if that is not possible.

    It keeps the exit status. A background process would keep the pipe open, and the host waiting.
    """
    suffix = f"\n}} 2>&1 | {ourselves} redact{_KEEP_EXIT_STATUS}"
    if command.endswith((suffix, "\\")) or _BACKGROUND.search(command):
        return None
    return f"{{ {command}{suffix}"


def tree(
    event: PostToolUse | PreModelCall | PreToolUse, state: State, *, allow: Allow, rules: str, wrap: bool
) -> Iterator[Branch]:
    if isinstance(event, PreToolUse):
        yield _explain_wrapping(event, state, wrap=wrap)
        return
    more, complaint = load_rule_file(rules, state)
    yield from (branch(text, judgement="warn") for text in (complaint.warnings if complaint else ()))
    result = search(event, more, allow)
    yield from (branch(_format_place(*place), judgement="modify", rule=place[0]) for place in result.secrets)
    for place in result.error_secrets:
        yield branch(
            f"{_format_place(*place)} of the error text, which no hook can change",
            judgement="warn",
            rule=place[0],
        )
    yield from _explain_exceptions(result, search(event, more, ())) if result.exceptions else ()
    if not (result.secrets or result.error_secrets or result.exceptions):
        yield branch("no secrets found")


def _explain_exceptions(result: SearchResult, unfiltered: SearchResult) -> Iterator[Branch]:
    """Yield the secrets that exceptions kept: those in *unfiltered* but not in *result*."""
    excepted = Counter((*unfiltered.secrets, *unfiltered.error_secrets)) - Counter(
        (*result.secrets, *result.error_secrets)
    )
    for place in excepted.elements():
        yield branch(
            _format_place(*place),
            judgement="excepted",
            rule=place[0],
            because=result.exceptions.get(place[0], ""),
        )
    for kind, reason in result.exceptions.items():
        if kind not in {place[0] for place in excepted}:
            text = f"{kind}, in text that is also another kind of secret"
            yield branch(text, judgement="excepted", rule=kind, because=reason)


def _format_place(kind: str, path: str, line: int) -> str:
    return f"{kind} in {f'{path}, ' if path else ''}line {line}"


def _explain_wrapping(event: PreToolUse, state: State, *, wrap: bool) -> Branch:
    if not wrap:
        return branch("its output is checked afterwards (`wrap` is off)")
    if event.kind != "shell" or not event.command:
        return branch(f"{event.tool} is not a shell tool, so its output is not wrapped")
    if wrap_command(event.command, "hookline") is None:
        return branch("its output cannot be wrapped: it runs in the background, or is already wrapped")
    return branch("its output is piped through the redactor (`wrap` is on)", judgement="modify", rule="wrap")
