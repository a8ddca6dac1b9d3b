"""A hook that is a command: the event on its stdin, its answer in what it prints and how it exits.

A text is run by the shell, a list without one. It runs in its `cwd`, counted from the folder that declares
it; without one, in the project's root.
"""

import os
from collections.abc import Mapping
from typing import Any

from hookline.core.events import Event
from hookline.core.kind import Carry, Declaration, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds._payloads import telling
from hookline.kinds._replies import read

SHELL = ("/bin/sh", "-c")


def bind(declaration: Declaration, machine: Machine) -> Carry:
    """How *declaration* is carried out; raises `ValueError` where it cannot be."""
    argv, own, told = _argv(declaration), _own_env(declaration), telling(declaration, machine)

    def once(event: Event, state: State, limit: float) -> Response:
        project = _project(declaration, event, state)
        finished = machine.run(
            argv,
            stdin=told.send(event, state) + b"\n",
            cwd=_cwd(declaration, project),
            env={**machine.env, **own, **_told(declaration, machine, event, project)},
            limit=limit,
        )
        return read(event, finished, machine.dialects, name=declaration.name)

    def carry(event: Event, state: State, limit: float) -> Response | None:
        due, answer = machine.clock() + limit, None
        for call in told.calls(event):
            said = told.heard(event, call, once(call, state, max(due - machine.clock(), 0.0)))
            answer = said if answer is None else answer.plus(said)
            if said.verdict == "block" and event.prevents:
                break
        return answer

    return carry


def _argv(declaration: Declaration) -> tuple[str, ...]:
    command = declaration.spec["command"]
    if isinstance(command, str) and command.strip():
        return (*SHELL, command)
    if isinstance(command, list | tuple) and command and all(isinstance(word, str) for word in command):
        return tuple(command)
    raise ValueError(f"hook {declaration.name!r} needs a command: a text for the shell, or a list of texts")


def _own_env(declaration: Declaration) -> Mapping[str, str]:
    own: Mapping[str, Any] = declaration.spec.get("env", {})
    strange = [key for key, value in own.items() if not isinstance(value, str)]
    if strange:
        raise ValueError(
            f"variable {strange[0]!r} in the env of hook {declaration.name!r} is no text; quote it"
        )
    return own


def _project(declaration: Declaration, event: Event, state: State) -> str:
    """The project's root; a user's own hook has none by itself, so it is the event's."""
    ours = declaration.root if declaration.source in ("project", "local") else ""
    return ours or state.root or event.cwd or declaration.root or "."


def _cwd(declaration: Declaration, project: str) -> str:
    wanted = declaration.spec.get("cwd")
    return os.path.join(declaration.root or project, wanted) if wanted else project


def _told(declaration: Declaration, machine: Machine, event: Event, project: str) -> dict[str, str]:
    """What every command may rely on, and by which a hook that is reached from itself is known."""
    known = {"project": project}
    expected = {name: known[what] for dialect in machine.dialects for name, what in dialect.env.items()}
    before = machine.env.get("HOOKLINE_DEPTH", "")
    return {
        **expected,
        "HOOKLINE_EVENT": event.name,
        "HOOKLINE_SESSION_ID": event.session,
        "HOOKLINE_PROJECT_DIR": project,
        "HOOKLINE_DEPTH": f"{before}:{declaration.name}" if before else declaration.name,
    }


KIND = Kind(
    name="command",
    key="command",
    fields={"command": (str, list), "env": (dict,), "cwd": (str,), "payload": (str,), "moment": (str,)},
    bind=bind,
    about="Run a command: the event on stdin, the answer in what it prints and how it exits.",
)
