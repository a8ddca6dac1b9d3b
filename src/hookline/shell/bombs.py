"""Detection of fork bombs: endless loops that start a process in each iteration and never wait for it."""

from __future__ import annotations

from hookline.shell.syntax import Arith, Command, Compound, Node, Step, Steps, Term

_TRUE_COMMANDS = frozenset({"true", ":", "/bin/true", "/usr/bin/true"})
_FALSE_COMMANDS = frozenset({"false", "/bin/false", "/usr/bin/false"})
_LOOP_ENDERS = frozenset({"break", "exit", "return", "exec"})
_PACING_COMMANDS = frozenset({"sleep", "read", "inotifywait", "usleep"})
"""Commands that make each iteration take time."""


def is_fork_bomb(loop: Compound) -> bool:
    return is_endless(loop) and _accumulates_processes(loop.bodies[-1])


def is_endless(loop: Compound) -> bool:
    """Return whether the condition of a loop never fails."""
    if loop.kind == "for((":
        parts = _arithmetic_text(loop.words).split(";")
        return len(parts) > 1 and not parts[1].strip()
    condition = loop.bodies[0].items
    return len(condition) == 1 and _is_constant(condition[0].node, truth=loop.kind == "while")


def _is_constant(node: Node, *, truth: bool) -> bool:
    if isinstance(node, Command):
        words = [_literal_text(word) for word in node.words]
        return words[:1] in [[name] for name in (_TRUE_COMMANDS if truth else _FALSE_COMMANDS)] or (
            truth and _is_constant_test(words)
        )
    if not isinstance(node, Compound) or not truth:
        return False
    if node.kind == "((":
        return (
            _arithmetic_text(node.words).strip() not in ("", "0")
            and _arithmetic_text(node.words).strip().isdecimal()
        )
    return node.kind == "[[" and len(node.words) == 1 and bool(_literal_text(node.words[0]))


def _is_constant_test(words: list[str]) -> bool:
    """Return whether *words* are a test of one non-empty word, such as `[ true ]`."""
    arguments = words[1:-1] if words[:1] == ["["] else words[1:] if words[:1] == ["test"] else []
    return len(arguments) == 1 and bool(arguments[0])


def _arithmetic_text(words: tuple[Term, ...]) -> str:
    first = words[0].parts[0] if words and words[0].parts else ""
    return first.text if isinstance(first, Arith) else ""


def _literal_text(word: Term) -> str:
    """Return the text of a word without expansions, or an empty string."""
    first = word.parts[0] if len(word.parts) == 1 else ""
    return first if isinstance(first, str) else ""


def _accumulates_processes(body: Steps) -> bool:
    """Return whether a process started in one iteration still runs, unwaited for, in the next."""
    if not body.items or _command_name(body.items[-1].node) in _LOOP_ENDERS:
        return False
    running = False
    for step in body.items:
        name = _command_name(step.node)
        if name in _LOOP_ENDERS or (name in _PACING_COMMANDS and not step.background):
            return False
        if _leaves_orphans(step.node) or (running and name == "disown"):
            return True
        running = (running and name != "wait") or step.background
    return running and _command_name(body.items[0].node) != "wait"


def _leaves_orphans(node: Node) -> bool:
    """Return whether *node* is a subshell that ends before its background jobs: nothing can wait for them."""
    return isinstance(node, Compound) and node.kind == "(" and _ends_with_running_jobs(node.bodies[0].items)


def _ends_with_running_jobs(items: tuple[Step, ...]) -> bool:
    running = False
    for step in items:
        running = (running and _command_name(step.node) != "wait") or step.background
    return running


def _command_name(node: Node) -> str:
    return _literal_text(node.words[0]) if isinstance(node, Command) and node.words else ""
