"""git commands that overwrite or discard work, whatever options stand between `git` and the subcommand."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.bash.gitruns import GLOBAL_VALUES
from hookline.bash.options import options
from hookline.hooks._dangerous import discard, overwrite, refs
from hookline.hooks._dangerous.finding import Action, Finding, Place
from hookline.hooks._dangerous.subcommand import Git, Subcommand

_ASK = "If it really has to be, ask the person you work for."
_SUBCOMMANDS: Mapping[str, Subcommand] = {**refs.SUBCOMMANDS, **discard.SUBCOMMANDS, **overwrite.SUBCOMMANDS}


def git(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    outer = options(words, GLOBAL_VALUES)
    subcommand = _SUBCOMMANDS.get(outer.operands[0].text) if outer.operands else None
    if subcommand is None:
        return
    inner = options(outer.operands[1:], subcommand.values, mixed=True, names=subcommand.names)
    if inner.has("--help", "-h") or outer.has("--help", "-h"):
        return
    for rule, reason, instead in subcommand.judge(Git(outer, inner, place)):
        action: Action = "warn" if rule == "git-push-lease" and place.lease != "block" else "block"
        yield Finding(rule=rule, reason=reason, instead=f"{instead} {_ASK}", span=command.span, action=action)
