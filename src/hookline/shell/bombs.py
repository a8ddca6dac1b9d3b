"""Loops without end that start a process in every round and wait for none of them."""

from __future__ import annotations

from hookline.shell.syntax import Arith, Command, Compound, Node, Step, Steps, Term

_TRUE = frozenset({"true", ":", "/bin/true", "/usr/bin/true"})
_FALSE = frozenset({"false", "/bin/false", "/usr/bin/false"})
_ENDS = frozenset({"break", "exit", "return", "exec"})
_PACES = frozenset({"sleep", "read", "inotifywait", "usleep"})
"""Commands that make each round take its time."""


def bomb(loop: Compound) -> bool:
    return _endless(loop) and _grows(loop.bodies[-1])


def _endless(loop: Compound) -> bool:
    if loop.kind == "for((":
        parts = _arithmetic(loop.words).split(";")
        return len(parts) > 1 and not parts[1].strip()
    condition = loop.bodies[0].items
    return len(condition) == 1 and _constant(condition[0].node, truth=loop.kind == "while")


def _constant(node: Node, *, truth: bool) -> bool:
    if isinstance(node, Command):
        words = [_text(word) for word in node.words]
        return words[:1] in [[name] for name in (_TRUE if truth else _FALSE)] or (truth and _test(words))
    if not isinstance(node, Compound) or not truth:
        return False
    if node.kind == "((":
        return (
            _arithmetic(node.words).strip() not in ("", "0") and _arithmetic(node.words).strip().isdecimal()
        )
    return node.kind == "[[" and len(node.words) == 1 and bool(_text(node.words[0]))


def _test(words: list[str]) -> bool:
    """`[ true ]`: one word that is not empty."""
    inside = words[1:-1] if words[:1] == ["["] else words[1:] if words[:1] == ["test"] else []
    return len(inside) == 1 and bool(inside[0])


def _arithmetic(words: tuple[Term, ...]) -> str:
    first = words[0].parts[0] if words and words[0].parts else ""
    return first.text if isinstance(first, Arith) else ""


def _text(word: Term) -> str:
    """What a word without expansions says; empty for others."""
    first = word.parts[0] if len(word.parts) == 1 else ""
    return first if isinstance(first, str) else ""


def _grows(body: Steps) -> bool:
    """Whether something started in a round is still there, unwaited for, when the next one has begun."""
    if not body.items or _name(body.items[-1].node) in _ENDS:
        return False
    running = False
    for step in body.items:
        name = _name(step.node)
        if name in _ENDS or (name in _PACES and not step.behind):
            return False
        if _leaks(step.node) or (running and name == "disown"):
            return True
        running = (running and name != "wait") or step.behind
    return running and _name(body.items[0].node) != "wait"


def _leaks(node: Node) -> bool:
    """A subshell that ends before what it started, which then nobody can wait for."""
    return isinstance(node, Compound) and node.kind == "(" and _unwaited(node.bodies[0].items)


def _unwaited(items: tuple[Step, ...]) -> bool:
    running = False
    for step in items:
        running = (running and _name(step.node) != "wait") or step.behind
    return running


def _name(node: Node) -> str:
    return _text(node.words[0]) if isinstance(node, Command) and node.words else ""
