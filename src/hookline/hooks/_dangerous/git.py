"""git commands that overwrite or discard work, whatever options stand between `git` and the subcommand."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.bash.gitruns import GLOBAL_VALUES
from hookline.bash.options import options
from hookline.hooks._dangerous import _unreachable, discard, overwrite, refs
from hookline.hooks._dangerous.core import CORE
from hookline.hooks._dangerous.finding import Finding, Judge, Place
from hookline.hooks._dangerous.history import HISTORY
from hookline.hooks._dangerous.subcommand import Git, Subcommand

_SUBCOMMANDS: Mapping[str, Subcommand] = {
    **refs.SUBCOMMANDS,
    **discard.SUBCOMMANDS,
    **overwrite.SUBCOMMANDS,
    **_unreachable.SUBCOMMANDS,
}


def git(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    outer = options(words, GLOBAL_VALUES)
    subcommand = _SUBCOMMANDS.get(outer.operands[0].text) if outer.operands else None
    if subcommand is None:
        return
    inner = options(outer.operands[1:], subcommand.values, mixed=True, names=subcommand.names)
    if inner.has("--help", "-h") or outer.has("--help", "-h"):
        return
    for rule in subcommand.judge(Git(outer, inner, place)):
        pack = CORE if rule in CORE.rules else HISTORY
        warned = rule == "git-push-lease" and place.lease != "block"
        yield pack.find(rule, command, action="warn" if warned else None)


JUDGES: Mapping[str, Judge] = {"git": git}
