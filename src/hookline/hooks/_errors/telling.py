"""What is said of an error: before its command is run again, and once it has failed."""

from __future__ import annotations

from hookline.failures import Failure
from hookline.knowledge import Signature

SHORT = 160
FEW = 2
"""Times that an error was seen before it is worth a word that nobody knows what to do."""


def warning(one: Signature) -> str:
    times = "once" if one.seen == 1 else f"{one.seen} times"
    return (
        f"▲ KNOWN FAILURE: `{_cut(one.command)}` failed {times} with: {_cut(one.text).rstrip('.')}. "
        f"What helped: `{_cut(one.fix)}`. If that still holds, do it first. [{one.key}]"
    )


def advice(sort: str, found: Failure, known: Signature | None, *, confident: bool) -> str:
    """What to do about a failure that is *known* or not; empty where there is nothing to say."""
    if known and known.fix and confident:
        return (
            f"Known failure, seen {known.seen + 1} times. What helped before: `{_cut(known.fix)}`. "
            f"Do that, then run the command again. [{found.key}]"
        )
    if sort == "novel":
        return _novel(found, known)
    return f"{_ADVICE[sort]} [{found.key}]"


def _novel(found: Failure, known: Signature | None) -> str:
    if known is None or known.seen < FEW:
        return ""
    return (
        f"This failed the same way {known.seen + 1} times, and no fix is known: do not run it again "
        f"unchanged; find the cause, or take another way. [{found.key}]"
    )


_ADVICE = {
    "retry": (
        "This looks transient: run it once more as it is. If it fails again, wait, or do something else."
    ),
    "wait": "The other side is busy: wait at least 30 seconds before you run it again, and longer each time.",
    "environmental": (
        "Do not retry: this fails because of what is around the command, and will until that changes "
        "(a program, permission, service, login or space that is missing). Mend that, or ask your user."
    ),
}


def _cut(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"
