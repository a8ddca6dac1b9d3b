"""Evaluation of short programs, for the tests of each language."""

from hookline.shell.code import analyze

WORK = 100_000


def evaluate(language, source, **facts):
    left = [WORK]

    def spend(units):
        left[0] -= units
        return left[0] >= 0

    given = {
        "cwd": "/project",
        "home": "/home/me",
        "environment": {"HOME": "/home/me"},
        "argv": ("-c",),
        "stdin": "",
        "files": {},
        **facts,
    }
    return analyze(language, source, spend=spend, **given)


def show(text):
    """Return *text* with `?` for unknown parts, and `?unset` for variables that are not set."""
    return text.replace("\0\U000ffffd", "?unset").replace("\0", "?")


def commands(result):
    """Return the commands as texts; the words of an argument list are joined by `|`."""
    return [show("|".join(each.argv) if each.text is None else each.text) for each in result.commands]


def effects(result):
    """Return the effects as `action path`, with `/**` after a recursive one."""
    return [show(f"{each.action} {each.path}{'/**' if each.recursive else ''}") for each in result.effects]
