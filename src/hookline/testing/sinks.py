"""What every sink must do, as plain checks: `check_sink(opened)` raises `AssertionError` at a failure."""

import threading
import uuid
from collections.abc import Callable
from typing import Any

from hookline.core.sink import Ended, Ran, Report, Sink, SinkFailed

HOSTILE = {
    "nul": "a\x00b\x00",
    "controls": "".join(map(chr, range(32))) + "\x7f\u2028\ufeff",
    "long": "x" * 200_000,
    "emoji": "🧵 👩‍🔬 \ufdd0 \uffff",
    "quotes": "'\"`\\ {} %s </script>\r\n",
}
"""Texts that sinks have stumbled over."""
Opened = Callable[[], Sink]


def check_sink(opened: Opened) -> None:
    """Run every check, each on a sink of its own from *opened*."""
    for check in SUITE:
        check(opened)


def check_settings(opener: Any) -> None:
    """Check what an `open_sink` says about its settings."""
    settings = opener.__kwdefaults__ or {}

    assert settings.get("content") is False, "a sink has the setting 'content', and it is off unless set"
    assert not [key for key in settings if key not in opener.__annotations__], "a setting has a type"
    assert "enabled" not in settings, "'enabled' is everybody's setting, not one of a sink's own"


def sends_nothing_for_nothing(opened: Opened) -> None:
    sink = opened()
    sink.export([])
    sink.close()


def fails_only_as_agreed(opened: Opened) -> None:
    for text in HOSTILE.values():
        _exported(opened, [a_report(tool=text, cwd=text, content={"prompt": text}, rules=(text,))])


def takes_every_event(opened: Opened) -> None:
    _exported(opened, [a_report(event=event, turn=turn) for event in ("Stop", "Strange") for turn in (0, 7)])


def takes_what_ended(opened: Opened) -> None:
    ended = tuple(Ended(of=of, name="1", began=1.0, at=2.0) for of in ("session", "turn", "tool"))
    _exported(opened, [a_report(ended=ended, figures={"tool.success": False, "loop.score": 0.5, "new": 1})])


def takes_the_same_again(opened: Opened) -> None:
    one = a_report()
    _exported(opened, [one, one])
    _exported(opened, [one])


def takes_from_many_at_once(opened: Opened) -> None:
    wrong: list[BaseException] = []

    def export() -> None:
        try:
            _exported(opened, [a_report() for _ in range(10)])
        except BaseException as error:  # noqa: BLE001 -- told below, in the thread that can fail
            wrong.append(error)

    threads = [threading.Thread(target=export) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong, wrong


SUITE = (
    sends_nothing_for_nothing,
    fails_only_as_agreed,
    takes_every_event,
    takes_what_ended,
    takes_the_same_again,
    takes_from_many_at_once,
)


def a_report(**changes: Any) -> Report:
    """An ordinary report, of a session of its own."""
    usual: dict[str, Any] = {
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
            Ran(hook="audit", said="pass", ms=0.5),
            Ran(hook="slow", said="timed-out", failure="timed-out"),
        ),
        "figures": {"tool.kind": "shell", "policy.checks": 3, "decision": "pass"},
    }
    return Report(**{**usual, **changes})


def _exported(opened: Opened, reports: list[Report]) -> None:
    """Sent, or refused as agreed: a receiver may be away while this runs."""
    sink = opened()
    try:
        sink.export(reports)
    except (SinkFailed, OSError):
        return
    finally:
        sink.close()
