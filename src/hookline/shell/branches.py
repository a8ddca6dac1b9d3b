"""Commands that may not run: the right side of `&&` and `||`, branches, bodies of loops.

After them, a variable has its new value or the one from before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hookline.shell.options import word_set
from hookline.shell.shell_state import MAX_ALTERNATIVES, ShellState, set_values, spend
from hookline.shell.syntax import Command, Compound, Node, Pipe

Values = tuple[str, ...]
_TEST_COMMANDS = word_set(
    "[ test false grep egrep fgrep zgrep rg ag pgrep command which type hash cmp diff mountpoint"
)
_TEST_COMPOUNDS = frozenset({"[[", "(("})
_EXITS = frozenset({"exit", "return", "break", "continue"})
_FOLDER_NAMES = frozenset({"PWD", "OLDPWD"})
_FOLDER_STACK = "DIRSTACK[]"
_MAX_ITEMS = 1_000
"""Maximum items of an array that has the items of two branches."""


class Skippable(NamedTuple):
    """Positions in the undo log from which on the commands of a chain may not run; None if all run."""

    after_any: int | None = None
    """After the first `&&`. A command that is no test is expected to succeed, and so is a `cd` after it."""
    after_test: int | None = None
    """After the first `&&` that follows a test."""


def merge_branch(
    state: ShellState,
    checkpoint: int,
    others: Mapping[str, Values] | None = None,
    fixed: frozenset[str] = frozenset(),
) -> None:
    """End a branch that may not run: what was set since *checkpoint* may also have its value in *others*.

    Without one there, it is the old value. The names in *fixed* keep their new value.
    """
    old_values: dict[str, Values | None] = {}
    for name, old in state.undo_log[checkpoint:]:
        old_values.setdefault(name, old)
    spend(state, len(old_values))
    for name, old in old_values.items():
        other, new = others.get(name, old) if others else old, state.variables.get(name)
        if other and new is not None and other != new and name not in fixed:
            set_values(state, name, _join_values(state, name, new, other))


def _join_values(state: ShellState, name: str, new: Values, old: Values) -> Values:
    """Return the possible values of both; an array, which is one list of words, has all words of both."""
    if name == _FOLDER_STACK:
        return new
    if name.endswith("[]"):
        spend(state, (len(new) + len(old)) >> 4)
        known = frozenset(new)
        return (*new, *(item for item in old if item not in known))[:_MAX_ITEMS]
    return tuple(dict.fromkeys((new or ("",)) + old))[:MAX_ALTERNATIVES]


def advance_chain(state: ShellState, skippable: Skippable, left: Node) -> Skippable:
    """Return *skippable* at the `&&` after the command *left*."""
    here = len(state.undo_log)
    after_any = here if skippable.after_any is None else skippable.after_any
    tested = skippable.after_test is None and _is_test(left)
    return Skippable(after_any, here if tested else skippable.after_test)


def merge_skippable(state: ShellState, skippable: Skippable) -> None:
    """End a chain of `&&`, whose commands may not have run."""
    if skippable.after_test is not None:
        merge_branch(state, skippable.after_test)
    if skippable.after_any is not None and skippable.after_any != skippable.after_test:
        merge_branch(state, skippable.after_any, fixed=_FOLDER_NAMES)


def list_new_values(state: ShellState, skippable: Skippable) -> dict[str, Values]:
    """Return the values that the variables have if all commands of a chain have run."""
    names = () if skippable.after_any is None else [name for name, _ in state.undo_log[skippable.after_any :]]
    spend(state, len(names))
    return {name: state.variables[name] for name in names if name in state.variables}


def _is_test(node: Node) -> bool:
    """Return whether a command asks a question, so that its failure is nothing unusual."""
    if isinstance(node, Pipe):
        return _is_test(node.stages[-1])
    if isinstance(node, Compound):
        last = _last_command(node)
        return node.kind in _TEST_COMPOUNDS or (last is not None and _is_test(last))
    return isinstance(node, Command) and _command_name(node) in _TEST_COMMANDS


def leaves(node: Node) -> bool:
    """Return whether the commands after *node* do not run: `exit`, or a group that ends in it."""
    if isinstance(node, Compound):
        last = _last_command(node)
        return last is not None and leaves(last)
    return isinstance(node, Command) and _command_name(node) in _EXITS


def _last_command(group: Compound) -> Node | None:
    """Return the last command of `{ …; }`, if it runs in any case."""
    steps = group.bodies[0].items if group.kind == "{" else ()
    return steps[-1].node if steps and steps[-1].op == ";" and not steps[-1].background else None


def _command_name(command: Command) -> object:
    first = command.words[0].parts if command.words else ()
    return first[0] if len(first) == 1 else None
