"""Symbolic evaluation: visit commands in the order a shell would run them, and record each simple command.

Nothing runs. Both sides of a branch are evaluated, and a loop body once with all values of its variable.
The output is known for a few programs only; that of all others is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from hookline.shell import expand
from hookline.shell.assignments import assign, expand_assignment, set_declared_arrays
from hookline.shell.bombs import is_endless, is_fork_bomb
from hookline.shell.branches import (
    Skippable,
    advance_chain,
    leaves,
    list_new_values,
    merge_branch,
    merge_skippable,
)
from hookline.shell.program_table import program_name
from hookline.shell.result import UNKNOWN, Redirect, Word
from hookline.shell.run_program import evaluate_alias, invoke, record_command, run_traps
from hookline.shell.shell_state import (
    MAX_ALTERNATIVES,
    MAX_TEXT,
    OPAQUE,
    ShellState,
    add_problem,
    attribute_unknown,
    find_file,
    find_written_files,
    limit_values,
    list_matches,
    lookup,
    rollback,
    set_values,
    spend,
    too_deep,
)
from hookline.shell.shells import SHELLS
from hookline.shell.streams import redirect_input, redirect_output
from hookline.shell.syntax import (
    Code,
    Command,
    Compound,
    Function,
    Node,
    Pipe,
    Quoted,
    Redirection,
    Step,
    Steps,
    Term,
)
from hookline.shell.wrappers import split_quoted

_FILE_OPERATORS = frozenset({"<", "<>", ">", ">>", ">|", "&>", "&>>", ">&"})
_LOOP_KINDS = frozenset({"while", "until", "for(("})
_FIRST_COPROCESS_FD = 60


def evaluate_steps(state: ShellState, steps: Steps, stdin: str) -> str:
    """Evaluate *steps* and return their output, as far as it is known."""
    outputs: list[str] = []
    for chain in _split_chains(steps.items):
        if not spend(state, 1):
            return UNKNOWN
        outputs.append(_evaluate_chain(state, chain, stdin))
    return _join_outputs(outputs)


def _split_chains(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Split a command list into commands that are connected by `&&` and `||`."""
    starts = [position for position, step in enumerate(steps) if step.op == ";"]
    return (steps[start:end] for start, end in pairwise([*starts, len(steps)]))


def _evaluate_chain(state: ShellState, chain: tuple[Step, ...], stdin: str) -> str:
    """Evaluate commands of which each may or may not run after the first; in the background, a subshell."""
    checkpoint, background = len(state.undo_log), chain[-1].background
    state.background_depth += background
    output, skippable = _run_chain(state, chain, stdin)
    state.background_depth -= background
    if background:
        rollback(state, checkpoint)
    else:
        merge_skippable(state, skippable)
    return output


def _run_chain(state: ShellState, chain: tuple[Step, ...], stdin: str) -> tuple[str, Skippable]:
    """Evaluate a chain as if it succeeds; return its output, and the part that may not have run."""
    outputs, skippable = [_evaluate_node(state, chain[0].node, stdin)], Skippable()
    for left, step in pairwise(chain):
        if not spend(state, 1):
            break
        if step.op == "||":
            outputs.append(_evaluate_otherwise(state, step.node, stdin, skippable))
            skippable = Skippable()
        else:
            skippable = advance_chain(state, skippable, left.node)
            outputs.append(_evaluate_node(state, step.node, stdin))
    return _join_outputs(outputs), skippable


def _evaluate_otherwise(state: ShellState, node: Node, stdin: str, skippable: Skippable) -> str:
    """Evaluate the right side of `||`, which runs if a command of the chain *skippable* has failed."""
    new_values, start = list_new_values(state, skippable), len(state.undo_log)
    merge_skippable(state, skippable)
    checkpoint = len(state.undo_log)
    output = _evaluate_node(state, node, stdin)
    if leaves(node):
        rollback(state, start)
    else:
        merge_branch(state, checkpoint, new_values)
    return output


def _join_outputs(outputs: list[str]) -> str:
    return "".join(outputs) if sum(map(len, outputs)) <= MAX_TEXT else OPAQUE


def _evaluate_node(state: ShellState, node: Node, stdin: str) -> str:
    return _NODE_EVALUATORS[type(node)](state, node, stdin)


def _evaluate_subshell(state: ShellState, node: Node, stdin: str) -> str:
    checkpoint = len(state.undo_log)
    output = _evaluate_node(state, node, stdin)
    rollback(state, checkpoint)
    return output


def _evaluate_pipe(state: ShellState, pipe: Pipe, stdin: str) -> str:
    state.background_depth += 1
    for stage in pipe.stages[:-1]:
        stdin = _evaluate_subshell(state, stage, stdin)
    evaluate_last = _evaluate_node if lookup(state, "shopt lastpipe") == "on" else _evaluate_subshell
    first = len(state.commands)
    output = evaluate_last(state, pipe.stages[-1], stdin)
    state.unfed.update(() if stdin else range(first, len(state.commands)))
    state.background_depth -= 1
    return output


def _define_function(state: ShellState, function: Function, stdin: str) -> str:
    state.functions[function.name] = function.body
    if function.name == "command_not_found_handle":
        return _evaluate_node(state, function.body, stdin)
    return ""


def _evaluate_compound(state: ShellState, compound: Compound, stdin: str) -> str:
    if too_deep(state):
        add_problem(state, "commands are nested too deeply", state.line, (0, len(state.line)))
        return UNKNOWN
    if compound.kind in _LOOP_KINDS and is_fork_bomb(compound):
        state.fork_bombs.append((0, len(state.line)))
    redirects = _expand_redirects(state, compound.redirections)
    stdin = redirect_input(state, compound.redirections, redirects, stdin)
    if compound.redirections:
        state.reads.pop(stdin, None)
    first = len(state.commands)
    _record_group_redirects(state, redirects)
    state.depth += 1
    output = _COMPOUND_EVALUATORS.get(compound.kind, _evaluate_bodies)(state, compound, stdin)
    state.depth -= 1
    return redirect_output(state, redirects, output, first)


def _record_group_redirects(state: ShellState, redirects: tuple[Redirect, ...]) -> None:
    """Record the files of a group such as `{ …; } > file` as redirects of a command named `{`."""
    files = tuple(redirect for redirect in redirects if redirect.op in _FILE_OPERATORS)
    if files and spend(state, 1):
        span = (files[0].target.span[0], files[-1].target.span[1])
        name = Word(text="{", span=span)
        record_command(state, name.text, (name,), "", span, redirects=files)


def _evaluate_bodies(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate bodies that run in order: braces. Tests and arithmetic only have words."""
    expand.expand_words(state, compound.words)
    return _join_outputs([evaluate_steps(state, body, stdin) for body in compound.bodies])


def _evaluate_while(state: ShellState, compound: Compound, stdin: str) -> str:
    condition, body = compound.bodies
    outer, state.loop_condition = state.loop_condition, True
    output, skippable = _evaluate_condition(state, condition, stdin)
    state.loop_condition = outer
    output = _join_outputs([output, _evaluate_body(state, body, stdin, runs=is_endless(compound))])
    merge_skippable(state, skippable)
    return output


def _evaluate_condition(state: ShellState, condition: Steps, stdin: str) -> tuple[str, Skippable]:
    """Evaluate a condition as if it holds; return its output, and the part that may not have run."""
    steps = condition.items
    start = max((position for position, step in enumerate(steps) if step.op == ";"), default=0)
    output = evaluate_steps(state, Steps(steps[:start]), stdin)
    last_output, skippable = _run_chain(state, steps[start:], stdin) if steps else ("", Skippable())
    return _join_outputs([output, last_output]), skippable


def _evaluate_counted(state: ShellState, compound: Compound, stdin: str) -> str:
    expand.expand_words(state, compound.words)
    return _evaluate_body(state, compound.bodies[0], stdin, runs=is_endless(compound))


def _evaluate_body(state: ShellState, body: Steps, stdin: str, *, runs: bool) -> str:
    """Evaluate the body of a loop once; unless it *runs* at least once, it may be left out."""
    checkpoint = len(state.undo_log)
    output = evaluate_steps(state, body, stdin)
    if not runs:
        merge_branch(state, checkpoint)
    return output


def _evaluate_parenthesis(state: ShellState, compound: Compound, stdin: str) -> str:
    checkpoint = len(state.undo_log)
    traps, state.traps = state.traps, []
    output = _evaluate_bodies(state, compound, stdin) + run_traps(state)
    state.traps = traps
    rollback(state, checkpoint)
    return output


def _evaluate_coprocess(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate a coprocess, and remember it as the reader of the descriptor `${NAME[1]}`."""
    number = str(_FIRST_COPROCESS_FD + len(state.sinks))
    path = "/dev/fd/" + number
    state.sinks[path] = Code(compound.bodies[0], "coproc (")
    set_values(state, compound.name + "[]", (number, number))
    set_values(state, "fd " + number, (path,))
    return _evaluate_parenthesis(state, compound, stdin)


def _evaluate_case(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate every branch of `case`, since any of them may run."""
    expand.expand_words(state, compound.words)
    return _join_outputs([_evaluate_body(state, body, stdin, runs=False) for body in compound.bodies])


def _evaluate_if(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate every branch of `if`, since any of them may run; a condition has held in its branch."""
    outputs: list[str] = []
    for position in range(0, len(compound.bodies) - 1, 2):
        start = len(state.undo_log)
        output, skippable = _evaluate_condition(state, compound.bodies[position], stdin)
        checkpoint = start if position else len(state.undo_log)
        outputs += [output, evaluate_steps(state, compound.bodies[position + 1], stdin)]
        merge_branch(state, checkpoint)
        merge_skippable(state, skippable)
    if len(compound.bodies) % 2:
        outputs.append(_evaluate_body(state, compound.bodies[-1], stdin, runs=False))
    return _join_outputs(outputs)


def _evaluate_loop(state: ShellState, compound: Compound, stdin: str) -> str:
    if compound.kind == "for@":
        values = list(state.variables.get("@[]", (UNKNOWN,)))
    else:
        words = expand.expand_words(state, compound.words)
        values = [
            path
            for word in words
            if word.glob and state.files
            for path in find_written_files(state, word.text)
        ]
        values += [list_matches(word) for word in words]
    set_values(state, compound.name, limit_values(values) or (UNKNOWN,))
    runs = any(UNKNOWN not in value for value in values)
    return _evaluate_body(state, compound.bodies[0], stdin, runs=runs)


def _evaluate_command(state: ShellState, command: Command, stdin: str) -> str:
    """Evaluate a simple command once for each alternative value of its variables."""
    state.alternative, state.alternative_count = 0, 1
    output = _evaluate_alternative(state, command, stdin)
    for alternative in range(1, min(state.alternative_count, MAX_ALTERNATIVES)):
        if not spend(state, 1):
            break
        state.alternative = alternative
        output += _evaluate_alternative(state, command, stdin)
    state.alternative, state.alternative_count = 0, 1
    return output


def _evaluate_alternative(state: ShellState, command: Command, stdin: str) -> str:
    argv = tuple(expand.expand_words(state, set_declared_arrays(state, command.words)))
    spend(state, 1 + len(argv))
    redirects = _expand_redirects(state, command.redirections)
    stdin = redirect_input(state, command.redirections, redirects, stdin)
    if command.redirections:
        state.reads.pop(stdin, None)
        if stdin == UNKNOWN and argv and program_name(argv[0].text) in SHELLS:
            stdin = _read_redirected_script(state, redirects) or UNKNOWN
    settings = tuple(expand_assignment(state, assignment) for assignment in command.assignments)
    if not argv:
        for assignment, (name, value) in zip(command.assignments, settings, strict=True):
            assign(state, assignment, name, value, command.span)
        first = len(state.commands)
        output = _evaluate_bare_redirect(state, command, redirects, stdin) if redirects else ""
        return redirect_output(state, redirects, output, first)
    alias, first = _find_alias(state, command.words), len(state.commands)
    if alias is not None:
        rest = _expand_next_alias(state, command.words[1:]) if alias[-1:].isspace() else command.words[1:]
        output = evaluate_alias(state, alias, rest, stdin, command.words[0])
    else:
        output = invoke(state, argv, stdin, command.span, redirects=redirects, settings=settings)
    return redirect_output(state, redirects, output, first)


def _read_redirected_script(state: ShellState, redirects: tuple[Redirect, ...]) -> str | None:
    """Return the existing file that a shell reads its commands from: `bash < file`."""
    paths = [
        redirect.target.text for redirect in redirects if redirect.op == "<" and redirect.fd in ("", "0")
    ]
    return find_file(state, paths[-1])[0] if paths else None


def _evaluate_bare_redirect(
    state: ShellState, command: Command, redirects: tuple[Redirect, ...], stdin: str
) -> str:
    """Record `> file` and `$(< file)` as the commands they are equivalent to, `:` and `cat`."""
    reads = redirects[0].op in ("<", "<<", "<<<") and not command.assignments
    name = Word(text="cat" if reads else ":", span=redirects[0].target.span)
    mark = record_command(state, name.text, (name,), stdin, command.span, redirects=redirects)
    return attribute_unknown(stdin, mark) if reads else ""


def _expand_next_alias(state: ShellState, words: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return *words* with the first one replaced by its alias, as after an alias that ends in a blank."""
    alias = _find_alias(state, words)
    if alias is None:
        return words
    pieces = split_quoted(alias)
    return (*(Term((Quoted(piece),), words[0].span) for piece in pieces), *words[1:])


def _find_alias(state: ShellState, words: tuple[Term, ...]) -> str | None:
    first = words[0].parts if words else ()
    if len(first) != 1 or not isinstance(first[0], str):
        return None
    name = "alias " + first[0]
    value = lookup(state, name) if name in state.variables else None
    return None if value is None or f"{name}={value}" in state.call_stack else value


def _expand_redirects(state: ShellState, redirections: tuple[Redirection, ...]) -> tuple[Redirect, ...]:
    return tuple(
        Redirect(op=redirection.op, fd=redirection.fd, target=_expand_target(state, redirection.target))
        for redirection in redirections
    )


def _expand_target(state: ShellState, term: Term) -> Word:
    words = expand.expand_words(state, (term,))
    return words[0] if len(words) == 1 else Word(text=" ".join(word.text for word in words), span=term.span)


_NODE_EVALUATORS: Mapping[type, Callable[[ShellState, Any, str], str]] = {
    Command: _evaluate_command,
    Pipe: _evaluate_pipe,
    Compound: _evaluate_compound,
    Function: _define_function,
}
_COMPOUND_EVALUATORS: Mapping[str, Callable[[ShellState, Compound, str], str]] = {
    "(": _evaluate_parenthesis,
    "coproc": _evaluate_coprocess,
    "if": _evaluate_if,
    "case": _evaluate_case,
    **dict.fromkeys(("while", "until"), _evaluate_while),
    "for((": _evaluate_counted,
    **dict.fromkeys(("for", "for@", "select"), _evaluate_loop),
}
