"""Carry out what responses wanted done, after the answer and off its path; failures are told, not raised."""

from collections.abc import Iterable

from hookline.response import Effect, Notify

ESCAPE, BELL = "\N{ESCAPE}", "\N{BEL}"


def carry_out(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Do them; what could not be done, in sentences."""
    problems = (_notify(effect) for effect in effects if isinstance(effect, Notify))
    return tuple(problem for problem in problems if problem)


def _notify(effect: Notify) -> str:
    try:
        with open("/dev/tty", "wb", buffering=0) as terminal:
            terminal.write(sequence(effect))
    except OSError as error:
        return f"the notification {_plain(effect.title)!r} could not be shown: {error.strerror}"
    return ""


def sequence(effect: Notify) -> bytes:
    """A desktop notification, as a terminal takes it (OSC 777)."""
    title, text = (_plain(part) for part in (effect.title, effect.text))
    return f"{ESCAPE}]777;notify;{title};{text}{BELL}".encode()


def _plain(text: str) -> str:
    """Without what would end or split the terminal's sequence."""
    return "".join(c if c.isprintable() and c != ";" else " " for c in text)[:200]
