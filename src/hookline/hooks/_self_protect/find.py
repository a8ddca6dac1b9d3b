"""Judge `find` commands that delete or change the files they find, if those may be guarded."""

from collections.abc import Iterator, Sequence

from hookline.hooks._self_protect.finding import Action, Finding
from hookline.hooks._self_protect.guarded_paths import NAMES, Guard, fitting
from hookline.hooks._self_protect.line_facts import Line
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.xargs import skip_find_options

_TESTS = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"})
_WILD = frozenset("*?[")


def found(command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Finding]:
    if not _changes(command, line):
        return
    words = skip_find_options(command.words[1:])
    first = next((i for i, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    masks = [
        words[i + 1].text.lower().rpartition("/")[2] for i, w in enumerate(words[:-1]) if w.text in _TESTS
    ]
    for root in words[:first] or (Word(text=".", span=command.span),):
        for path in [] if UNKNOWN in root.text else dict.fromkeys(guard.places(root.text, command.cwd)):
            for one in (path, *(guard.stand_ins(path) if root.glob else ())):
                yield from _below(one, masks, command, guard)


def _changes(command: SimpleCommand, line: Line) -> bool:
    """Return whether the files found are deleted, or passed to a command that writes."""
    deletes = any(word.text == "-delete" for word in command.words)
    return deletes or any(one is not command for one in line.changing)


def _below(path: str, masks: Sequence[str], command: SimpleCommand, guard: Guard) -> Iterator[Finding]:
    rule = guard.rule(path) or (None if masks or guard.all_of_home(path) else guard.held(path))
    if rule is not None:
        yield Finding(rule=rule, what=f"what `find` finds in `{path}`", span=command.span)
        return
    for mask in masks:
        names = fitting(mask, (*NAMES, *guard.names))
        spelled_out = not set(mask) & _WILD
        if names and (guard.held(path) or (spelled_out and path in (guard.cwd, guard.root))):
            rule = guard.held(path) or "write-project"
            action: Action = "block" if spelled_out else "ask"
            yield Finding(
                rule=rule, what=f"`{names[0]}`, which `find` may find", span=command.span, action=action
            )
