"""Format commands, texts and numbers for explanations."""

from hookline.shell import UNKNOWN, SimpleCommand


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


def format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _shorten_path(path: str, cwd: str, home: str) -> str:
    for base, sign in ((cwd, "."), (home, "~")):
        plain = base.rstrip("/")
        if plain and (path == plain or path.startswith(plain + "/")):
            return sign + path[len(plain) :]
    return path
