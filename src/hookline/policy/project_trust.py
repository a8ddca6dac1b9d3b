"""Trust status of a project, and the hashes of its files that may run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hookline import hosts
from hookline.core.frozen import Frozen
from hookline.core.values import replace
from hookline.policy import trust
from hookline.policy.model import Layer, Problem
from hookline.policy.reach import DeclaredCommand, find_reached
from hookline.policy.read_files import CKIGNORE, read_ckignore
from hookline.policy.trust import Trust
from hookline.system.paths import FOLDER, Places


def find_trust(
    places: Places, layers: Sequence[Layer], scripts: Sequence[str], others: frozenset[str]
) -> Trust:
    """Return the trust in a project's own *layers*, *scripts* and *others* of its files.

    The result is the same for a host and for a user in a terminal: of the environment only the home is used.
    """
    variables = dict.fromkeys(("HOOKLINE_PROJECT_DIR", *_project_variables()), places.root)
    variables |= {"HOME": places.home, "PATH": ""}
    modules = [module for layer in layers for module in _modules(layer)]
    try:
        result = find_reached(
            places.root, list(_commands(layers)), modules=modules, scripts=scripts, known=variables
        )
    except OSError as error:
        return Trust(now={}, problem=str(error))
    return replace(trust.read_trust(places.trust, places.root, result.files | others), unseen=result.unseen)


def _project_variables() -> list[str]:
    """Return the variables in which hosts pass the project's root to scripts."""
    dialects = [host.dialect for host in map(hosts.load, hosts.names()) if host.dialect]
    return [name for dialect in dialects for name, what in dialect.env.items() if what == "project"]


def _modules(layer: Layer) -> Iterable[str]:
    yield from layer.options["import"].value if "import" in layer.options else ()
    yield from (
        declaration.spec["python"] for declaration in layer.declarations if "python" in declaration.spec
    )


def _commands(layers: Iterable[Layer]) -> Iterable[DeclaredCommand]:
    for layer in layers:
        for declaration in layer.declarations:
            if "command" in declaration.spec:
                yield DeclaredCommand(
                    words=declaration.spec["command"],
                    origin=declaration.origin,
                    **_folder_and_env(declaration.spec),
                )
        for name, server in layer.servers.items():
            words = [server.get("command", ""), *_as_list(server.get("args"))]
            yield DeclaredCommand(
                words=words, origin=f"{layer.file}: server {name!r}", **_folder_and_env(server)
            )


def _folder_and_env(spec: Mapping[str, Any]) -> dict[str, Any]:
    cwd, env = spec.get("cwd", ""), spec.get("env", {})
    return {"cwd": cwd if isinstance(cwd, str) else "", "env": env if isinstance(env, Mapping) else {}}


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def problems(places: Places, state: Trust, *, person: bool) -> Iterable[Problem]:
    """Yield the problems of the trust itself; a *person* also sees what it cannot cover."""
    if state.problem:
        file = FOLDER if state.problem.startswith(FOLDER) else places.trust
        yield Problem(file=file, text=state.problem.removeprefix(f"{file} "))
    for note in state.unseen if person else ():
        file, _, rest = note.partition(":")
        line, _, text = rest.partition(":")
        numbered = line.isdigit()
        yield Problem(file=file, line=int(line) if numbered else 0, text=(text if numbered else rest).strip())


def pinned_digests(state: Trust, root: str) -> Mapping[str, str]:
    """Return the sha256 of each trusted file, by path."""
    return Frozen(trust.digests(root, state.now))


def is_ckignore_trusted(places: Places) -> bool:
    """Return whether the user trusted exactly this content, together with the project's other files."""
    text = read_ckignore(places.root)
    pinned = trust.read_trust(places.trust, places.root, [CKIGNORE]).pinned
    return bool(text) and pinned is not None and pinned.get(CKIGNORE) == text
