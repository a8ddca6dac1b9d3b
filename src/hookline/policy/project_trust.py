"""How a project stands with its user, and what of its Python may run once it is trusted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hookline import hosts
from hookline.core.frozen import Frozen
from hookline.core.values import replace
from hookline.policy import trust
from hookline.policy.model import Layer, Problem
from hookline.policy.reach import Command, reached
from hookline.policy.trust import Trust
from hookline.system.paths import FOLDER, Places


def of(places: Places, layers: Sequence[Layer], scripts: Sequence[str], others: frozenset[str]) -> Trust:
    """What of a project's own *layers*, *scripts* and *others* of its files its user trusted.

    The same for whoever asks, a host or a person in a terminal: of the environment only the home is used.
    """
    known = dict.fromkeys(("HOOKLINE_PROJECT_DIR", *_project_variables()), places.root)
    known |= {"HOME": places.home, "PATH": ""}
    modules = [module for layer in layers for module in _modules(layer)]
    try:
        found = reached(places.root, list(_commands(layers)), modules=modules, scripts=scripts, known=known)
    except OSError as error:
        return Trust(now={}, problem=str(error))
    return replace(trust.state(places.trust, places.root, found.files | others), unseen=found.unseen)


def _project_variables() -> list[str]:
    """The variables by which scripts written for hosts know the project's root."""
    dialects = [host.dialect for host in map(hosts.load, hosts.names()) if host.dialect]
    return [name for dialect in dialects for name, what in dialect.env.items() if what == "project"]


def _modules(layer: Layer) -> Iterable[str]:
    yield from layer.options["import"].value if "import" in layer.options else ()
    yield from (one.spec["python"] for one in layer.declarations if "python" in one.spec)


def _commands(layers: Iterable[Layer]) -> Iterable[Command]:
    for layer in layers:
        for one in layer.declarations:
            if "command" in one.spec:
                yield Command(words=one.spec["command"], origin=one.origin, **_around(one.spec))
        for name, server in layer.servers.items():
            words = [server.get("command", ""), *_listed(server.get("args"))]
            yield Command(words=words, origin=f"{layer.file}: server {name!r}", **_around(server))


def _around(spec: Mapping[str, Any]) -> dict[str, Any]:
    cwd, env = spec.get("cwd", ""), spec.get("env", {})
    return {"cwd": cwd if isinstance(cwd, str) else "", "env": env if isinstance(env, Mapping) else {}}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def problems(places: Places, state: Trust, *, person: bool) -> Iterable[Problem]:
    """What is wrong with the trust itself; a *person* who looks is also told what it cannot cover."""
    if state.problem:
        file = FOLDER if state.problem.startswith(FOLDER) else places.trust
        yield Problem(file=file, text=state.problem.removeprefix(f"{file} "))
    for note in state.unseen if person else ():
        file, _, rest = note.partition(":")
        line, _, text = rest.partition(":")
        numbered = line.isdigit()
        yield Problem(file=file, line=int(line) if numbered else 0, text=(text if numbered else rest).strip())


def pinned(state: Trust, root: str) -> Mapping[str, str]:
    """The sha256 of each file that was trusted, by path."""
    return Frozen(trust.digests(root, state.now))
