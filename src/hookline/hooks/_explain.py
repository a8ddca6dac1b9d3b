"""Format commands, texts and numbers for explanations."""

from collections.abc import Iterable

from hookline.shell import UNKNOWN, Effect, SimpleCommand

_MAX_EFFECTS = 20
"""Maximum number of effects in an explanation."""


def format_command(command: SimpleCommand, cwd: str, home: str) -> str:
    """Return a command as it would run, its wrappers, and its folder if that is not *cwd*."""
    words = " ".join(_quote(word.text) for word in command.words)
    via = f"  (via {' › '.join(command.via)})" if command.via else ""
    if command.cwd is None:
        return f"{words}{via} in an unknown folder"
    where = f" in {_shorten_path(command.cwd, cwd, home)}" if cwd and command.cwd != cwd else ""
    return f"{words}{via}{where}"


def _quote(text: str) -> str:
    plain = mask_unknown(text)
    return f"'{plain}'" if not plain or any(char.isspace() for char in plain) else plain


def mask_unknown(text: str) -> str:
    """Return a text of a command line, with dots for parts that are only known when it runs."""
    return text.replace(UNKNOWN, "…")


def format_effects(effects: Iterable[Effect]) -> str:
    """Return the effects of a command line on files: `deletes build (recursive), writes out.txt`."""
    texts = dict.fromkeys(_format_effect(effect) for effect in effects if not effect.derived)
    more = [f"and {len(texts) - _MAX_EFFECTS} more"] if len(texts) > _MAX_EFFECTS else []
    return ", ".join([*texts][:_MAX_EFFECTS] + more)


def _format_effect(effect: Effect) -> str:
    verb = {"copy": "copies", "mode": "changes the mode of"}.get(effect.action, f"{effect.action}s")
    path = _quote(effect.path.text)
    return f"{'' if effect.certain else 'may '}{verb if effect.certain else effect.action} {path}" + (
        " (recursive)" if effect.recursive else ""
    )


def format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _shorten_path(path: str, cwd: str, home: str) -> str:
    for base, sign in ((cwd, "."), (home, "~")):
        plain = base.rstrip("/")
        if plain and (path == plain or path.startswith(plain + "/")):
            return sign + path[len(plain) :]
    return path
