"""The agents that are hosts: their own programs, run without a person."""

import json
import os
from collections.abc import Iterator, Mapping
from shutil import which
from typing import Any

from hookline import hosts
from hookline.core.host import Host
from hookline.core.run_variables import PROFILE
from hookline.engine import agent_notes, host_setup, profiles
from hookline.engine.agents.agent import Spawn, Task
from hookline.engine.profiles import Profile
from hookline.engine.target import Target

SAYS = ("result", "text", "content", "response", "message")
"""Where a line of a host's output may have what the agent said."""


def names() -> tuple[str, ...]:
    """The hosts that can be run without a person."""
    return tuple(name for name in hosts.names() if hosts.load(name).headless)


def choose(target: Target, root: str, env: Mapping[str, str]) -> "HostAgent":
    """The host that *target* names, with its profile; raises `ValueError` with what to do."""
    host, profile = hosts.load(target.agent.host), profiles.load(target.agent.profile, root)
    permitted(host, profile)
    if not installed(host, {**env, **profile.env, **target.agent.env}):
        raise ValueError(
            f"{_program(host)!r}, which runs {host.name}, is not found: install it, or name another agent"
        )
    return HostAgent(host, profile)


def installed(host: Host, env: Mapping[str, str]) -> bool:
    return which(_program(host), path=env.get("PATH", "")) is not None


def _program(host: Host) -> str:
    return host.program or host.headless[0]


class HostAgent:
    """A host's own program, with its prompt on stdin or among its words."""

    def __init__(self, host: Host, profile: Profile) -> None:
        self.host, self.profile = host, profile

    def command(self, task: Task) -> Spawn:
        agent, profile = task.target.agent, self.profile
        prompt = "\n\n".join(filter(None, (task.before, profile.instructions, task.instructions)))
        words = [*self.host.headless, *permitted(self.host, profile)]
        told = [_filled(word, prompt, agent.model) for word in words if agent.model or "{model}" not in word]
        ours = host_setup.words(self.host, task.worktree, task.env)
        return Spawn(
            argv=(*told, *ours, *profile.args, *agent.args),
            cwd=task.worktree,
            env={**_unmarked(task.env), **_own_hooks(profile, task), **profile.env, **agent.env},
            stdin=None if any("{prompt}" in word for word in words) else prompt,
            says=words_of,
            describe=described,
        )


def _own_hooks(profile: Profile, task: Task) -> dict[str, str]:
    """Where the hooks of the profile are, its rules for tools among them."""
    if not profile.hooks and not profile.rules:
        return {}
    return {PROFILE: profiles.prepared(profile, os.path.join(task.state_dir, "profile"))}


def permitted(host: Host, profile: Profile) -> tuple[str, ...]:
    """The words that let it work without asking; raises `ValueError` where it has no such permission."""
    if not host.free and not profile.permission:
        return ()
    usual = next(iter(host.free), "")
    chosen = profile.permission or usual
    if chosen not in host.free:
        there = ", ".join(host.free) or "none"
        raise ValueError(
            f"{host.name} has no permission {chosen!r}; there are: {there}; see profile {profile.name!r}"
        )
    return host.free[chosen]


def _filled(word: str, prompt: str, model: str) -> str:
    return prompt if word == "{prompt}" else word.replace("{model}", model)


def _unmarked(env: Mapping[str, str]) -> dict[str, str]:
    """Without what says that we run inside of a host ourselves: the agent would take it for its own."""
    marks = {mark for name in hosts.names() for mark in hosts.load(name).telltales}
    return {name: value for name, value in env.items() if name not in marks}


def words_of(tail: str) -> str:
    """All that the agent said, of output that is a line of JSON at a time, or plain."""
    lines = [line for line in tail.splitlines() if line]
    return "\n".join(
        text for line in lines for text in (_texts(_json(line), SAYS) if line[0] == "{" else [line])
    )


def described(tail: str) -> str:
    """What the agent said last, of output that is a line of JSON at a time, or plain."""
    for line in reversed(tail.splitlines()):
        text = next(_texts(_json(line), SAYS), "")
        if told := agent_notes.last_line(text):
            return told
    return agent_notes.last_line("\n".join(line for line in tail.splitlines() if not line.startswith("{")))


def _json(line: str) -> Any:
    try:
        return json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None


def _texts(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict) and value.get("type") != "error":
        for key, inner in value.items():
            if key in keys and isinstance(inner, str):
                yield inner
        for inner in value.values():
            yield from _texts(inner, keys)
    elif isinstance(value, list):
        for inner in reversed(value):
            yield from _texts(inner, keys)
