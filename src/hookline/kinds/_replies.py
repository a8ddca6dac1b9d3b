"""Reader of a command's output and exit code: JSON first, then directives, then plain text."""

import json
import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.core.envelope import BadEnvelope, response_in
from hookline.core.events import Event, SessionStart, TurnStart, UserPromptSubmit
from hookline.core.host import Dialect
from hookline.core.kind import KEEP, Finished, HookFailed
from hookline.core.response import Response, block, inject, warn
from hookline.redact import redact

_DIRECTIVE = re.compile(r"@@(INJECT|WARN)[ \t]*:(.*)", re.IGNORECASE)


class Lines(Struct, frozen=True, kw_only=True):
    """What a text says in directives, and what is left of it without them."""

    said: Response
    rest: str
    any: bool


def directives(text: str) -> Lines:
    """A directive goes on until the next one or a blank line; it counts at the start of a line only."""
    found: list[tuple[str, list[str]]] = []
    rest: list[str] = []
    inside = rest
    for line in (line.removesuffix("\r") for line in text.split("\n")):
        if start := _DIRECTIVE.fullmatch(line):
            inside = [start[2]]
            found.append((start[1].upper(), inside))
        else:
            inside = inside if line.strip() else rest
            inside.append(line)
    said = Response(context=_texts(found, "INJECT"), warnings=_texts(found, "WARN"))
    return Lines(said=said, rest="\n".join(rest).strip(), any=bool(found))


def _texts(found: list[tuple[str, list[str]]], word: str) -> tuple[str, ...]:
    texts = ("\n".join(lines).strip() for which, lines in found if which == word)
    return tuple(text for text in texts if text)


BLOCKED = 2
"""The exit status by which a hook blocks."""
TELLING = (SessionStart, UserPromptSubmit, TurnStart)
"""Where plain text is meant for the agent."""
SHOWN = 500
"""Characters of a failed command's output that its warning shows."""


class Failed(HookFailed):
    """A command that failed, and what it said in spite of that."""

    def __init__(self, message: str, response: Response) -> None:
        super().__init__(message)
        self.response = response


def read(event: Event, finished: Finished, dialects: Sequence[Dialect], *, name: str) -> Response:
    """What the hook called *name* answered; raises `HookFailed`, or `TimeoutError` if its time was up."""
    if finished.timed_out:
        raise TimeoutError(f"hook {name!r} gave no answer in time")
    if finished.code is None:
        raise HookFailed(f"could not be started: {finished.problem}")
    errors, notices = directives(finished.stderr), _notices(finished, name)
    if _is_json(finished.stdout):
        return _with_json(event, finished, dialects, errors, notices, name)
    printed = directives(finished.stdout)
    said = printed.said.plus(errors.said).plus(notices)
    if finished.code == 0:
        return said.plus(_plain(event, printed))
    if finished.code == BLOCKED:
        return _block(name, said, errors.rest or printed.rest)
    raise Failed(_how(finished.code, errors.rest or printed.rest), said)


def _with_json(
    event: Event, finished: Finished, dialects: Sequence[Dialect], errors: Lines, notices: Response, name: str
) -> Response:
    said = errors.said.plus(notices)
    if finished.code not in (0, BLOCKED):
        raise Failed(_how(finished.code or 0, errors.rest), said)
    try:
        answered = answer(event, finished.stdout, dialects)
    except HookFailed as error:
        why = _too_long("stdout") + ", so its JSON cannot be read" if "stdout" in finished.cut else str(error)
        if finished.code == 0:
            raise Failed(why, said) from None
        answered = warn(f"hook {name!r} {why}")
    if finished.code == 0:
        return answered.plus(said)
    told = Response(context=answered.context, warnings=answered.warnings)
    return _block(name, told.plus(said), errors.rest or answered.reason)


def answer(event: Event, text: str, dialects: Sequence[Dialect]) -> Response:
    """What JSON says, in our envelope or in a host's words; raises `HookFailed` where it is neither."""
    try:
        return _answer(event, json.loads(text), dialects)
    except BadEnvelope as error:
        raise HookFailed(f"gave an answer that cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise HookFailed(f"gave JSON that is no answer: {error}") from None


def _answer(event: Event, data: Mapping[str, Any], dialects: Sequence[Dialect]) -> Response:
    if "action" in data:
        return response_in(event, data)
    for dialect in dialects:
        if dialect.keys & data.keys():
            return dialect.read(event, data)
    if data:
        keys = ", ".join(repr(key[:40]) for key in list(data)[:5])
        raise ValueError(f"it needs 'action', and has {keys}")
    return Response()


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _plain(event: Event, printed: Lines) -> Response:
    tells = isinstance(event, TELLING) and printed.rest and not printed.any
    return inject(printed.rest) if tells else Response(note=redact(printed.rest)[:SHOWN])


def _block(name: str, said: Response, reason: str) -> Response:
    fallback = (
        "first do what it asks for" if said.context else "it gave no reason, so ask the user how to go on"
    )
    return block(reason or f"stopped by hook {name!r}; {fallback}").plus(said)


def _notices(finished: Finished, name: str) -> Response:
    notices = [f"hook {name!r} {_too_long(stream)}; the rest was not read" for stream in finished.cut]
    if finished.leftover:
        notices.append(f"hook {name!r} left {finished.leftover} processes running, which were ended")
    return Response(warnings=tuple(notices))


def _too_long(stream: str) -> str:
    return f"printed more than {KEEP // 1024} KiB on {stream}"


def _how(code: int, output: str) -> str:
    output = redact(output)  # before it is cut: what a cut leaves of a secret is not told for one
    shown = output if len(output) <= SHOWN else f"… {output[-SHOWN:]}"
    ended = f"was ended by signal {-code} ({_signal(-code)})" if code < 0 else f"exited with status {code}"
    return f"{ended}: {shown}" if shown else ended


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"
