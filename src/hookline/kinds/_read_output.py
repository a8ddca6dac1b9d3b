"""Reader of a command's output and exit code: JSON first, then directives, then plain text."""

import json
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.core.envelope import BadEnvelope, decode_response
from hookline.core.events import Event, SessionStart, TurnStart, UserPromptSubmit
from hookline.core.host import Dialect
from hookline.core.kind import MAX_OUTPUT_BYTES, HookFailed, ProcessResult
from hookline.core.response import Response, block, inject, warn
from hookline.lazy import re
from hookline.redact import redact

_DIRECTIVE = re.compile(r"@@(INJECT|WARN)[ \t]*:(.*)", re.IGNORECASE)


class ParsedText(Struct, frozen=True, kw_only=True):
    """Directives in a text, and the text without them."""

    response: Response
    rest: str
    has_directives: bool


def parse_directives(text: str) -> ParsedText:
    """Return the directives of *text*.

    A directive starts at the beginning of a line and ends before the next one or a blank line.
    """
    directives: list[tuple[str, list[str]]] = []
    rest: list[str] = []
    current = rest
    for line in (line.removesuffix("\r") for line in text.split("\n")):
        if start := _DIRECTIVE.fullmatch(line):
            current = [start[2]]
            directives.append((start[1].upper(), current))
        else:
            current = current if line.strip() else rest
            current.append(line)
    response = Response(
        context=_select_texts(directives, "INJECT"), warnings=_select_texts(directives, "WARN")
    )
    return ParsedText(response=response, rest="\n".join(rest).strip(), has_directives=bool(directives))


def _select_texts(directives: list[tuple[str, list[str]]], word: str) -> tuple[str, ...]:
    texts = ("\n".join(lines).strip() for name, lines in directives if name == word)
    return tuple(text for text in texts if text)


BLOCKING_CODE = 2
"""The exit code with which a hook blocks."""
TEXT_EVENTS = (SessionStart, UserPromptSubmit, TurnStart)
"""Events at which plain text is context for the agent."""
MAX_OUTPUT_CHARS = 500
"""Maximum characters of a failed command's output in its warning."""


class CommandFailed(HookFailed):
    """A command failed; *response* has the directives that it printed."""

    def __init__(self, message: str, response: Response) -> None:
        super().__init__(message)
        self.response = response


def read_result(event: Event, result: ProcessResult, dialects: Sequence[Dialect], *, name: str) -> Response:
    """Return the response of the hook named *name*; raise `HookFailed`, or `TimeoutError` if it timed out."""
    if result.timed_out:
        raise TimeoutError(f"hook {name!r} timed out")
    if result.code is None:
        raise HookFailed(f"could not be started: {result.problem}")
    errors, warnings = parse_directives(result.stderr), _make_warnings(result, name)
    if _is_json(result.stdout):
        return _read_json_result(event, result, dialects, errors, warnings, name)
    printed = parse_directives(result.stdout)
    response = printed.response.plus(errors.response).plus(warnings)
    if result.code == 0:
        return response.plus(_read_text(event, printed))
    if result.code == BLOCKING_CODE:
        return _make_block(name, response, errors.rest or printed.rest)
    raise CommandFailed(_describe_exit(result.code, errors.rest or printed.rest), response)


def _read_json_result(
    event: Event,
    result: ProcessResult,
    dialects: Sequence[Dialect],
    errors: ParsedText,
    warnings: Response,
    name: str,
) -> Response:
    response = errors.response.plus(warnings)
    if result.code not in (0, BLOCKING_CODE):
        raise CommandFailed(_describe_exit(result.code or 0, errors.rest), response)
    try:
        answer = read_json(event, result.stdout, dialects)
    except HookFailed as error:
        reason = (
            _describe_excess("stdout") + ", so its JSON is incomplete"
            if "stdout" in result.cut
            else str(error)
        )
        if result.code == 0:
            raise CommandFailed(reason, response) from None
        answer = warn(f"hook {name!r} {reason}")
    if result.code == 0:
        return answer.plus(response)
    feedback = Response(context=answer.context, warnings=answer.warnings)
    return _make_block(name, feedback.plus(response), errors.rest or answer.reason)


def read_json(event: Event, text: str, dialects: Sequence[Dialect]) -> Response:
    """Return the response in *text*, an envelope or a host's format; raise `HookFailed` if it is neither."""
    try:
        return _read_object(event, json.loads(text), dialects)
    except BadEnvelope as error:
        raise HookFailed(f"returned an invalid answer: {error}") from None
    except (ValueError, RecursionError) as error:
        raise HookFailed(f"returned JSON that is not an answer: {error}") from None


def _read_object(event: Event, data: Mapping[str, Any], dialects: Sequence[Dialect]) -> Response:
    if "action" in data:
        return decode_response(event, data)
    for dialect in dialects:
        if dialect.keys & data.keys():
            return dialect.read(event, data)
    if data:
        keys = ", ".join(repr(key[:40]) for key in list(data)[:5])
        raise ValueError(f"'action' is missing; the keys are {keys}")
    return Response()


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _read_text(event: Event, printed: ParsedText) -> Response:
    is_context = isinstance(event, TEXT_EVENTS) and printed.rest and not printed.has_directives
    return inject(printed.rest) if is_context else Response(note=redact(printed.rest)[:MAX_OUTPUT_CHARS])


def _make_block(name: str, response: Response, reason: str) -> Response:
    fallback = (
        "first follow its instructions"
        if response.context
        else "it gave no reason; ask the user how to continue"
    )
    return block(reason or f"blocked by hook {name!r}; {fallback}").plus(response)


def _make_warnings(result: ProcessResult, name: str) -> Response:
    warnings = [f"hook {name!r} {_describe_excess(stream)}; the rest was not read" for stream in result.cut]
    if result.leftover:
        warnings.append(f"hook {name!r} left {result.leftover} processes running; they were ended")
    return Response(warnings=tuple(warnings))


def _describe_excess(stream: str) -> str:
    return f"printed more than {MAX_OUTPUT_BYTES // 1024} KiB on {stream}"


def _describe_exit(code: int, output: str) -> str:
    output = redact(output)  # before truncation: a truncated secret would not be recognised
    excerpt = output if len(output) <= MAX_OUTPUT_CHARS else f"… {output[-MAX_OUTPUT_CHARS:]}"
    ended = (
        f"was killed by signal {-code} ({_signal_name(-code)})" if code < 0 else f"exited with status {code}"
    )
    return f"{ended}: {excerpt}" if excerpt else ended


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"
