"""Registry of the agents that a target can name."""

from collections.abc import Callable, Mapping

from hookline import hosts
from hookline.core.registry import describe_unknown
from hookline.engine.agents import host_agent, tuner_agent
from hookline.engine.agents.agent import Agent, CommandAgent
from hookline.engine.git.repository import Repository
from hookline.engine.target import Target

TUNER = "tuner"
_BUILTIN: Mapping[str, Callable[[], Agent]] = {"command": CommandAgent, TUNER: tuner_agent.choose}


def choose(target: Target, root: str, env: Mapping[str, str]) -> Agent:
    """Return the agent; raise `LookupError` for an unknown name, `ValueError` if it cannot run here."""
    check(target)
    host = target.agent.host
    return _BUILTIN[host]() if host in _BUILTIN else host_agent.choose(target, root, env)


def check(target: Target) -> None:
    """Raise `LookupError` if no agent has the name in the target."""
    host = target.agent.host
    if host not in names():
        raise LookupError(describe_unknown("agent", host, names()))


def check_base(target: Target, repository: Repository, base: str) -> None:
    """Raise `ValueError` if the agent would find nothing to change in the commit *base*."""
    if target.agent.host == TUNER:
        tuner_agent.check(target.scope, repository, base)


def default_agent(env: Mapping[str, str]) -> str:
    """Return the first installed host, or the tuner, which needs no model."""
    installed = (name for name in host_agent.names() if host_agent.is_installed(hosts.load(name), env))
    return next(installed, TUNER)


def names() -> tuple[str, ...]:
    return tuple(sorted((*_BUILTIN, *host_agent.names())))
