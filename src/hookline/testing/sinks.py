"""Conformance suite of sinks: `check_sink(opened)` raises `AssertionError` at a failure."""

import threading
import uuid
from collections.abc import Callable
from typing import Any

from hookline.core.sink import EndedSpan, HookRun, Report, Sink, SinkFailed

HOSTILE = {
    "nul": "a\x00b\x00",
    "controls": "".join(map(chr, range(32))) + "\x7f\u2028\ufeff",
    "long": "x" * 200_000,
    "emoji": "🧵 👩‍🔬 \ufdd0 \uffff",
    "quotes": "'\"`\\ {} %s </script>\r\n",
}
"""Texts that have broken sinks."""
OpenSink = Callable[[], Sink]


def check_sink(opened: OpenSink) -> None:
    """Run every check, each on a new sink from *opened*."""
    for check in SUITE:
        check(opened)


def check_settings(opener: Any) -> None:
    """Check the settings of an `open_sink` function."""
    settings = opener.__kwdefaults__ or {}

    assert settings.get("content") is False, "a sink must have the setting 'content', which is off by default"
    assert not [key for key in settings if key not in opener.__annotations__], "a setting must have a type"
    assert "enabled" not in settings, "a sink must not define 'enabled', which every sink has"


def sends_nothing_for_nothing(opened: OpenSink) -> None:
    sink = opened()
    sink.export([])
    sink.close()


def fails_only_as_agreed(opened: OpenSink) -> None:
    for text in HOSTILE.values():
        _export(opened, [a_report(tool=text, cwd=text, content={"prompt": text}, rules=(text,))])


def takes_every_event(opened: OpenSink) -> None:
    _export(opened, [a_report(event=event, turn=turn) for event in ("Stop", "Strange") for turn in (0, 7)])


def takes_what_ended(opened: OpenSink) -> None:
    ended = tuple(EndedSpan(of=of, name="1", began=1.0, at=2.0) for of in ("session", "turn", "tool"))
    _export(opened, [a_report(ended=ended, figures={"tool.success": False, "loop.score": 0.5, "new": 1})])


def takes_the_same_again(opened: OpenSink) -> None:
    report = a_report()
    _export(opened, [report, report])
    _export(opened, [report])


def takes_from_many_at_once(opened: OpenSink) -> None:
    errors: list[BaseException] = []

    def export() -> None:
        try:
            _export(opened, [a_report() for _ in range(10)])
        except BaseException as error:  # noqa: BLE001 -- reported below, in the test's thread
            errors.append(error)

    threads = [threading.Thread(target=export) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not errors, errors


SUITE = (
    sends_nothing_for_nothing,
    fails_only_as_agreed,
    takes_every_event,
    takes_what_ended,
    takes_the_same_again,
    takes_from_many_at_once,
)


def a_report(**changes: Any) -> Report:
    """Return an ordinary report of a new session."""
    defaults: dict[str, Any] = {
        "id": uuid.uuid4().hex,
        "at": 1_700_000_000.0,
        "session": uuid.uuid4().hex,
        "host": "envelope",
        "event": "PreToolUse",
        "run": 1,
        "turn": 1,
        "call": "c1",
        "tool": "Bash",
        "ms": 1.5,
        "hooks": (
            HookRun(hook="audit", action="pass", ms=0.5),
            HookRun(hook="slow", action="timed-out", failure="timed-out"),
        ),
        "figures": {"tool.kind": "shell", "policy.checks": 3, "decision": "pass"},
    }
    return Report(**{**defaults, **changes})


def _export(opened: OpenSink, reports: list[Report]) -> None:
    """Export *reports*; the agreed exceptions are allowed, because a receiver may be offline."""
    sink = opened()
    try:
        sink.export(reports)
    except (SinkFailed, OSError):
        return
    finally:
        sink.close()
