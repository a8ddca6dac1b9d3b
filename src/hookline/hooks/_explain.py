"""Commands, paths and numbers as a person reads them."""

from hookline.shell import UNKNOWN, Simple


def commanded(command: Simple, cwd: str, home: str) -> str:
    """A command as it would run, what leads to it, and where, if that is not *cwd*."""
    words = " ".join(_quoted(word.text) for word in command.words)
    via = f"  (by {' › '.join(command.via)})" if command.via else ""
    if command.cwd is None:
        return f"{words}{via} in a folder that only running tells"
    where = f" in {_short(command.cwd, cwd, home)}" if cwd and command.cwd != cwd else ""
    return f"{words}{via}{where}"


def _quoted(text: str) -> str:
    plain = told(text)
    return f"'{plain}'" if not plain or any(char.isspace() for char in plain) else plain


def told(text: str) -> str:
    """A text of a command line; what only running tells as dots."""
    return text.replace(UNKNOWN, "…")


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _short(path: str, cwd: str, home: str) -> str:
    for base, sign in ((cwd, "."), (home, "~")):
        plain = base.rstrip("/")
        if plain and (path == plain or path.startswith(plain + "/")):
            return sign + path[len(plain) :]
    return path
