"""The agents that a target can name."""

from collections.abc import Callable, Mapping

from hookline import hosts
from hookline.engine.agents import host_agent, tuner_agent
from hookline.engine.agents.agent import Agent, CommandAgent
from hookline.engine.git.repository import Repository
from hookline.engine.target import Target

TUNER = "tuner"
_OURS: Mapping[str, Callable[[], Agent]] = {"command": CommandAgent, TUNER: tuner_agent.choose}


def choose(target: Target, root: str, env: Mapping[str, str]) -> Agent:
    """Raises `LookupError` where there is no such agent, `ValueError` where it cannot work here."""
    check(target)
    host = target.agent.host
    return _OURS[host]() if host in _OURS else host_agent.choose(target, root, env)


def check(target: Target) -> None:
    """Raise `LookupError` where there is no such agent."""
    host = target.agent.host
    if host not in names():
        raise LookupError(f"no agent is called {host!r}; there are: {', '.join(names())}")


def check_base(target: Target, repository: Repository, base: str) -> None:
    """Raise `ValueError` where the agent would find nothing to do in the commit *base*."""
    if target.agent.host == TUNER:
        tuner_agent.check(target.scope, repository, base)


def usual(env: Mapping[str, str]) -> str:
    """Who works where nobody is named: the first host that is installed, else the one that needs no model."""
    there = (name for name in host_agent.names() if host_agent.installed(hosts.load(name), env))
    return next(there, TUNER)


def names() -> tuple[str, ...]:
    return tuple(sorted((*_OURS, *host_agent.names())))
