"""How a project stands with its user, and what of its Python may run once it is trusted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookline.config import Layer, Problem
from hookline.foreign import Foreign
from hookline.frozen import Frozen
from hookline.kind import Declaration, Dialect
from hookline.system.places import FOLDER, Places

if TYPE_CHECKING:
    from hookline.system.reach import Command
    from hookline.system.trust import Trust


def of(
    places: Places, layers: Sequence[Layer], scripts: Sequence[str], foreign: Foreign, env: Mapping[str, str]
) -> "Trust | None":
    """What of a project's *layers* and *scripts* its user trusted; None where there is nothing to trust."""
    if not layers and not scripts and not foreign.files:
        return None
    from hookline.system import reach, trust  # noqa: PLC0415 -- only where there is something to trust

    known = {name: env[name] for name in ("HOME", "PATH") if name in env}
    known |= dict.fromkeys(("HOOKLINE_PROJECT_DIR", *_project_variables()), places.root)
    modules = [module for layer in layers for module in _modules(layer)]
    try:
        found = reach.reached(
            places.root, list(_commands(layers)), modules=modules, scripts=scripts, known=known
        )
    except OSError as error:
        return trust.Trust(now={}, problem=str(error))
    state = trust.state(places.trust, places.root, found.files | foreign.files)
    return replace(state, unseen=found.unseen)


def _project_variables() -> list[str]:
    """The variables by which scripts written for hosts know the project's root."""
    return [name for dialect in dialects() for name, what in dialect.env.items() if what == "project"]


def dialects() -> tuple[Dialect, ...]:
    from hookline import hosts  # noqa: PLC0415 -- only where hooks are configured

    return tuple(host.dialect for host in map(hosts.load, hosts.names()) if host.dialect)


def _modules(layer: Layer) -> Iterable[str]:
    yield from imports(layer)
    yield from (one.spec["python"] for one in layer.declarations if "python" in one.spec)


def imports(layer: Layer) -> Sequence[str]:
    """The import paths that a file lists."""
    return layer.options["import"].value if "import" in layer.options else ()


def _commands(layers: Iterable[Layer]) -> "Iterable[Command]":
    from hookline.system.reach import Command  # noqa: PLC0415 -- ditto

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


def problems(places: Places, state: "Trust | None", *, person: bool) -> Iterable[Problem]:
    """What is wrong with the trust itself; a *person* who looks is also told what it cannot cover."""
    if state is None:
        return
    if state.problem:
        file = FOLDER if state.problem.startswith(FOLDER) else places.trust
        yield Problem(file=file, text=state.problem.removeprefix(f"{file} "))
    for note in state.unseen if person else ():
        file, _, rest = note.partition(":")
        line, _, text = rest.partition(":")
        numbered = line.isdigit()
        yield Problem(file=file, line=int(line) if numbered else 0, text=(text if numbered else rest).strip())


def pinned(state: "Trust | None", root: str) -> Mapping[str, str] | None:
    """The sha256 of each file that was trusted, by path; None where nothing is."""
    if state is None or not state.holds:
        return None
    from hookline.system.trust import digests  # noqa: PLC0415 -- only where there is something to trust

    return Frozen(digests(root, state.now))


def confined(declaration: Declaration, files: Mapping[str, str]) -> Declaration:
    """A project's hook in Python, which may import of the project only what was trusted."""
    if declaration.kind != "python" or declaration.source == "user":
        return declaration
    return replace(declaration, spec=Frozen({**declaration.spec, "trusted": files}))
