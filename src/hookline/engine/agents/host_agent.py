"""Agents that are hosts: each runs the host's own program without a user."""

import json
import os
from collections.abc import Iterator, Mapping
from shutil import which
from typing import Any

from hookline import hosts
from hookline.core.host import Host
from hookline.core.variables import PROFILE
from hookline.engine import agent_notes, host_setup, profiles
from hookline.engine.agents.agent import Spawn, Task
from hookline.engine.profiles import Profile
from hookline.engine.target import Target

TEXT_KEYS = ("result", "text", "content", "response", "message")
"""JSON keys under which a host prints the agent's text."""


def names() -> tuple[str, ...]:
    """Return the hosts that can run without a user."""
    return tuple(name for name in hosts.names() if hosts.load(name).headless)


def choose(target: Target, root: str, env: Mapping[str, str]) -> "HostAgent":
    """Return the host that *target* names, with its profile; raise `ValueError` if it cannot run here."""
    host, profile = hosts.load(target.agent.host), profiles.load(target.agent.profile, root)
    permission_args(host, profile)
    if not is_installed(host, {**env, **profile.env, **target.agent.env}):
        raise ValueError(
            f"program {_program(host)!r} of host {host.name!r} not found: install it, or choose another agent"
        )
    return HostAgent(host, profile)


def is_installed(host: Host, env: Mapping[str, str]) -> bool:
    return which(_program(host), path=env.get("PATH", "")) is not None


def _program(host: Host) -> str:
    return host.program or host.headless[0]


class HostAgent:
    """Agent that runs a host's program, with the prompt on stdin or as an argument."""

    def __init__(self, host: Host, profile: Profile) -> None:
        self.host, self.profile = host, profile

    def command(self, task: Task) -> Spawn:
        agent, profile = task.target.agent, self.profile
        prompt = "\n\n".join(filter(None, (task.before, profile.instructions, task.instructions)))
        words = [*self.host.headless, *permission_args(self.host, profile)]
        command = [
            _fill_placeholders(word, prompt, agent.model)
            for word in words
            if agent.model or "{model}" not in word
        ]
        hook_args = host_setup.installing_arguments(self.host, task.worktree, task.env)
        return Spawn(
            argv=(*command, *hook_args, *profile.args, *agent.args),
            cwd=task.worktree,
            env={
                **_without_host_variables(task.env),
                **_profile_env(profile, task),
                **profile.env,
                **agent.env,
            },
            stdin=None if any("{prompt}" in word for word in words) else prompt,
            extract_text=extract_text,
            describe=describe,
        )


def _profile_env(profile: Profile, task: Task) -> dict[str, str]:
    if not profile.hooks and not profile.rules:
        return {}
    return {PROFILE: profiles.write_config(profile, os.path.join(task.state_dir, "profile"))}


def permission_args(host: Host, profile: Profile) -> tuple[str, ...]:
    """Return the arguments that let the host work without asking.

    Raise `ValueError` if the host does not have the permission that the profile names.
    """
    if not host.permission_arguments and not profile.permission:
        return ()
    default = next(iter(host.permission_arguments), "")
    chosen = profile.permission or default
    if chosen not in host.permission_arguments:
        available = ", ".join(host.permission_arguments) or "none"
        raise ValueError(
            f"profile {profile.name!r}: host {host.name!r} has no permission {chosen!r}; "
            f"available: {available}"
        )
    return host.permission_arguments[chosen]


def _fill_placeholders(word: str, prompt: str, model: str) -> str:
    return prompt if word == "{prompt}" else word.replace("{model}", model)


def _without_host_variables(env: Mapping[str, str]) -> dict[str, str]:
    """Remove the variables that identify a host: the agent would be taken for the host around hookline."""
    host_variables = {variable for name in hosts.names() for variable in hosts.load(name).env_markers}
    return {name: value for name, value in env.items() if name not in host_variables}


def extract_text(tail: str) -> str:
    """Return all text of the agent from output that is JSON lines or plain text."""
    lines = [line for line in tail.splitlines() if line]
    return "\n".join(
        text
        for line in lines
        for text in (_find_texts(_parse_json(line), TEXT_KEYS) if line[0] == "{" else [line])
    )


def describe(tail: str) -> str:
    """Return the last text line of the agent from output that is JSON lines or plain text."""
    for line in reversed(tail.splitlines()):
        text = next(_find_texts(_parse_json(line), TEXT_KEYS), "")
        if description := agent_notes.last_line(text):
            return description
    return agent_notes.last_line("\n".join(line for line in tail.splitlines() if not line.startswith("{")))


def _parse_json(line: str) -> Any:
    try:
        return json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None


def _find_texts(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict) and value.get("type") != "error":
        for key, inner in value.items():
            if key in keys and isinstance(inner, str):
                yield inner
        for inner in value.values():
            yield from _find_texts(inner, keys)
    elif isinstance(value, list):
        for inner in reversed(value):
            yield from _find_texts(inner, keys)
