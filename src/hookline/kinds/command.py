"""Kind command: the event on its stdin, the answer in its output and exit code.

A string is run by the shell, a list without one. The command runs in its `cwd`, relative to the folder that
declares it; without `cwd`, in the project's root.
"""

import os
from collections.abc import Mapping
from typing import Any

from hookline.core.events import Event
from hookline.core.kind import BoundHook, Declaration, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds._payloads import make_delivery
from hookline.kinds._read_output import read_result

SHELL = ("/bin/sh", "-c")


def bind(declaration: Declaration, machine: Machine) -> BoundHook:
    """Return a function that runs the command; raise `ValueError` if *declaration* is invalid."""
    argv, env, delivery = _argv(declaration), _declared_env(declaration), make_delivery(declaration, machine)

    def run_once(event: Event, state: State, limit: float) -> Response:
        project = _project_root(declaration, event, state)
        result = machine.run(
            argv,
            stdin=delivery.encode(event, state) + b"\n",
            cwd=_cwd(declaration, project),
            env={**machine.env, **env, **_hook_env(declaration, machine, event, project)},
            timeout=limit,
        )
        return read_result(event, result, machine.dialects, name=declaration.name)

    def run_hook(event: Event, state: State, limit: float) -> Response | None:
        deadline, answer = machine.clock() + limit, None
        for call in delivery.translate_event(event):
            response = delivery.translate_answer(
                event, call, run_once(call, state, max(deadline - machine.clock(), 0.0))
            )
            answer = response if answer is None else answer.plus(response)
            if response.verdict == "block" and event.block_prevents:
                break
        return answer

    return run_hook


def _argv(declaration: Declaration) -> tuple[str, ...]:
    command = declaration.spec["command"]
    if isinstance(command, str) and command.strip():
        return (*SHELL, command)
    if isinstance(command, list | tuple) and command and all(isinstance(word, str) for word in command):
        return tuple(command)
    raise ValueError(
        f"hook {declaration.name!r} requires a command: a text for the shell, or a list of texts"
    )


def _declared_env(declaration: Declaration) -> Mapping[str, str]:
    env: Mapping[str, Any] = declaration.spec.get("env", {})
    invalid = [key for key, value in env.items() if not isinstance(value, str)]
    if invalid:
        raise ValueError(
            f"variable {invalid[0]!r} in the env of hook {declaration.name!r} is not text; quote it"
        )
    return env


def _project_root(declaration: Declaration, event: Event, state: State) -> str:
    """Return the project's root; a user's own hook has none, so it gets that of the event."""
    root = declaration.root if declaration.source in ("project", "local") else ""
    return root or state.root or event.cwd or declaration.root or "."


def _cwd(declaration: Declaration, project: str) -> str:
    folder = declaration.spec.get("cwd")
    return os.path.join(declaration.root or project, folder) if folder else project


def _hook_env(declaration: Declaration, machine: Machine, event: Event, project: str) -> dict[str, str]:
    """Return variables for every command; the depth detects a hook that calls itself."""
    values = {"project": project}
    expected = {name: values[key] for dialect in machine.dialects for name, key in dialect.env.items()}
    depth = machine.env.get("HOOKLINE_DEPTH", "")
    return {
        **expected,
        "HOOKLINE_EVENT": event.name,
        "HOOKLINE_SESSION_ID": event.session,
        "HOOKLINE_PROJECT_DIR": project,
        "HOOKLINE_DEPTH": f"{depth}:{declaration.name}" if depth else declaration.name,
    }


KIND = Kind(
    name="command",
    key="command",
    fields={"command": (str, list), "env": (dict,), "cwd": (str,), "payload": (str,), "moment": (str,)},
    bind=bind,
    about="Run a command: it reads the event on stdin and answers with its output and exit code.",
)
