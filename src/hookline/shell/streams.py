"""Follow text through redirections: what a command reads, and where its output is kept."""

from __future__ import annotations

from hookline.shell.expand import substitute, text
from hookline.shell.result import UNKNOWN, Redirect
from hookline.shell.shell_state import World, look, place, put, resolve, store
from hookline.shell.syntax import Redirection

MAX_FILES = 200
"""Files written in one line whose content is remembered."""
_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>"})
_FIRST_NAMED_FD = 10


def feed(world: World, written: tuple[Redirection, ...], redirects: tuple[Redirect, ...], stdin: str) -> str:
    """What the command reads from its standard input; other descriptors become files of that name."""
    for one, redirect in zip(written, redirects, strict=True):
        content = _content(world, one, redirect)
        if content is None:
            _open(world, redirect)
            continue
        if one.fd in ("", "0"):
            stdin = content
        else:
            store(world, f"/dev/fd/{_number(world, one.fd)}", content)
    return stdin


def _content(world: World, one: Redirection, redirect: Redirect) -> str | None:
    if one.body is not None:
        return text(world, one.body.parts)
    if one.op == "<<<":
        return redirect.target.text + "\n"
    if one.op in ("<", "<>"):
        return world.files.get(resolve(world, redirect.target.text), UNKNOWN)
    if one.op == "<&":
        return world.files.get("/dev/fd/" + redirect.target.text, UNKNOWN)
    return None


def _open(world: World, redirect: Redirect) -> None:
    """`exec 3>file`: later commands write there by number."""
    if redirect.fd in ("", "1", "2"):
        return
    if redirect.op in _OUTPUT:
        place(world, "fd " + _number(world, redirect.fd), (resolve(world, redirect.target.text),))
    elif redirect.op == ">&":
        known = "fd " + redirect.target.text.removesuffix("-")
        place(world, "fd " + _number(world, redirect.fd), world.known.get(known, (UNKNOWN,)))


def _number(world: World, fd: str) -> str:
    """The descriptor's number; `{name}` asks for a free one and is told it in a variable."""
    if fd.startswith("{"):
        put(world, fd.strip("{}"), str(_FIRST_NAMED_FD))
        return str(_FIRST_NAMED_FD)
    return fd


def keep(world: World, redirects: tuple[Redirect, ...], printed: str) -> str:
    """What is left of *printed* for the next command in the pipe, after files took theirs."""
    for redirect in redirects:
        if redirect.op in _OUTPUT and redirect.fd in ("", "1"):
            write(world, redirect.target.text, printed, append=redirect.op.endswith(">>"))
            printed = ""
        elif redirect.op == ">&" and redirect.fd in ("", "1") and redirect.target.text != "1":
            write(world, look(world, "fd " + redirect.target.text) or UNKNOWN, printed, append=True)
            printed = ""
    return printed


def write(world: World, path: str, content: str, *, append: bool) -> None:
    """Remember what a file written by this line holds, so that running it later can be followed."""
    full = resolve(world, path)
    if full in world.sinks:
        substitute(world, world.sinks[full], content)
    if len(world.files) >= MAX_FILES or full == "/dev/null" or UNKNOWN in full:
        return
    whole = world.files.get(full, "") + content if append else content
    store(world, full, whole)
