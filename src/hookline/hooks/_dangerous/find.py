"""`find` that deletes what it comes upon."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.bash.feeders import expression
from hookline.bash.options import spelled
from hookline.hooks._dangerous._folders import loss
from hookline.hooks._dangerous._tests import NOT, VALUED, WEAK, tells
from hookline.hooks._dangerous.core import CORE
from hookline.hooks._dangerous.finding import Finding, Judge, Place
from hookline.hooks._dangerous.trees import TREES

_RUN = spelled("-exec -execdir -ok -okdir")
_DELETERS = spelled("rm shred unlink srm rmdir")
_WRAPPERS = spelled("sudo doas env command busybox nice nohup")


def find(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    rest = expression(words)
    first = next((p for p, word in enumerate(rest) if word.text[:1] in ("-", "(", "!")), len(rest))
    deletes, narrowed = _deleting(rest[first:])
    if not deletes:
        return
    for root in rest[:first] or (Word(text=".", span=command.span),):
        rule = loss(root, command.cwd, place)
        if rule == "rm-unknown" or rule is None or (narrowed and root.text != "/"):
            continue
        if deletes == "-delete" and not narrowed and rule != "rm-root":
            yield CORE.find(rule, command, root)
        else:
            yield TREES.find("find-delete", command, root, "ask" if narrowed or rule == "rm-cwd" else None)


def _deleting(words: tuple[Word, ...]) -> tuple[str, bool]:
    """By which action things are deleted, and whether a test says which."""
    how, narrowed, negated = "", False, False
    rest = [word.text for word in reversed(words)]
    while rest:
        text = rest.pop()
        if text == "-delete":
            how = text
        elif text in _RUN:
            how = (text if _rm(rest) else "") or how
        elif text in VALUED:
            narrowed = narrowed or tells(text, rest.pop() if rest else "", negated=negated)
        elif text.startswith("-"):
            narrowed = narrowed or text not in WEAK | NOT
        negated = text in NOT
    return how, narrowed


def _rm(rest: list[str]) -> bool:
    """Whether the command up to the `;` deletes; takes it off *rest*."""
    argv: list[str] = []
    while rest and rest[-1] not in (";", "+"):
        argv.append(rest.pop().rpartition("/")[2])
    while argv and argv[0] in _WRAPPERS:
        argv.pop(0)
    return bool(argv) and argv[0] in _DELETERS


JUDGES: Mapping[str, Judge] = {"find": find, "gfind": find}
