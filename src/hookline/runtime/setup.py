"""Loading of configuration files and built-ins into the hooks that will run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from hookline import hooks as built_ins
from hookline import hosts, kinds, sinks, stores
from hookline.core.frozen import Frozen
from hookline.core.hook import Hook, Why, matching, named
from hookline.core.host import Host
from hookline.core.kind import Declaration, Kept, Kind, Machine
from hookline.core.run_variables import PROFILE
from hookline.core.sink import Choice
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.kinds import python
from hookline.policy import choose_sinks, ckignore, project_trust, read_files, repository_env
from hookline.policy import files as config
from hookline.policy.check_commands import checks
from hookline.policy.files import as_before
from hookline.policy.layers import Settled, settle, switches
from hookline.policy.model import File, Layer, Problem
from hookline.policy.strict_reader import Reader
from hookline.policy.trust import Trust
from hookline.stores import memory
from hookline.system.paths import Places, find
from hookline.system.process import run_command

SETTINGS = ("hookline.toml", "hooks.json", "mcp.json")
CACHE = "PYTHONPYCACHEPREFIX"


class Setup(Struct, frozen=True, kw_only=True):
    """Everything a runtime needs to know before the first event."""

    places: Places
    env: Mapping[str, str]
    """The environment without what the repository put there unasked."""
    settled: Settled
    kept: Kept
    trust: Trust | None = None
    """None where the project has nothing that would need it."""

    @property
    def hooks(self) -> tuple[Hook, ...]:
        return self.settled.hooks

    @property
    def complaints(self) -> tuple[str, ...]:
        """What a person should know, in sentences, wherever they look."""
        waiting = len(self.settled.waiting)
        told = [str(problem) for problem in self.settled.problems]
        if waiting:
            things = "thing of this project waits" if waiting == 1 else "things of this project wait"
            told.append(f"{waiting} {things} for your trust: see `hookline trust --show`")
        return tuple(told)


Scripts = list[tuple[read_files.Folder, str]]


class _Project(Struct, frozen=True, kw_only=True):
    """A project, and as much of it as its user trusted."""

    places: Places
    env: Mapping[str, str]
    layers: list[Layer]
    scripts: Scripts
    problems: list[Problem]
    trust: Trust | None = None
    pinned: Mapping[str, str] | None = None
    """The sha256 of the files that were trusted, by path; None where nothing is."""
    wishes: Sequence[str] = ()
    """What of the environment the repository set itself, and nobody trusted."""

    @property
    def trusted(self) -> bool:
        return self.trust is None or self.trust.holds


def load(
    env: Mapping[str, str], cwd: str, host: Host | None = None, good: MutableMapping[str, Layer] | None = None
) -> Setup:
    """Read what the user and the project configured for *cwd*.

    Whoever stays keeps in *good* what the user's files said when they last could be read: that holds still.
    """
    project = _project(env, cwd, host)
    user, problems, scripts = _configured(read_files.Folder(path=project.places.config, source="user"))
    if PROFILE in project.env:
        more, wrong, own = _configured(read_files.Folder(path=project.env[PROFILE], source="user"))
        user, problems, scripts = [*user, *more], [*problems, *wrong], [*scripts, *own]
    user = user if good is None else [_as_last_read(layer, good) for layer in user]
    layers, scripts = [*user, *project.layers], [*scripts, *project.scripts]
    machine = _Lazy(project.env, project.places, layers, trusted=project.pinned)
    declared, waiting, unfound = _declared(layers, scripts, machine, trusted=project.trusted)
    hooks, shadows = _hooks(declared, machine)
    settled = settle(hooks, layers, trusted=project.trusted, switches=switches(project.env))
    sinks, wrong, unasked = _sinks(layers, trusted=project.trusted)
    settled = replace(
        settled,
        sinks=sinks,
        hooks=tuple(_with_settings(hook, declared, machine) for hook in settled.hooks),
        problems=(*settled.problems, *wrong, *problems, *unfound, *shadows, *project.problems),
        waiting=(*settled.waiting, *unasked, *waiting, *project.wishes),
    )
    return Setup(
        places=project.places, env=project.env, settled=settled, kept=machine.kept, trust=project.trust
    )


def _project(env: Mapping[str, str], cwd: str, host: Host | None) -> _Project:
    """Nothing that the repository set counts before it is clear that it was trusted.

    Not even where the user's own files lie: or it would say itself what is trusted.
    """
    unasked, start = repository_env.find(env, cwd, host), repository_env.started(env, cwd, host)
    own = unasked.without(env)
    places = find(own, start)
    layers, problems, scripts = _configured(
        read_files.Folder(path=places.project, source="project", root=places.root)
    )
    project = _Project(places=places, env=own, layers=layers, scripts=scripts, problems=problems)
    opening = ckignore.opening(places.root)
    others = opening | unasked.files
    if not layers and not scripts and not others:
        return project
    state = project_trust.of(project.places, layers, [path for _, path in scripts], others)
    problems += project_trust.problems(places, state, person=host is None)
    if not state.holds:
        return replace(
            project,
            trust=state,
            wishes=[*unasked.wishes, *(f"{name}: opens .git, .aws or .ssh to the agent" for name in opening)],
        )
    project = replace(project, trust=state, pinned=project_trust.pinned(state, places.root))
    return replace(project, env=env, places=find(env, start)) if unasked.names else project


def _configured(folder: read_files.Folder) -> tuple[list[Layer], list[Problem], Scripts]:
    """What a folder of configuration says, what is wrong with it, and its hooks in Python."""
    layers, problems = _layers(folder)
    found = list(read_files.scripts(folder))
    problems += [script for script in found if isinstance(script, Problem)]
    return layers, problems, [(folder, script) for script in found if isinstance(script, str)]


def _layers(folder: read_files.Folder) -> tuple[list[Layer], list[Problem]]:
    names = [(name, folder.source) for name in SETTINGS]
    names += [("hookline.local.toml", "local")] if folder.root else []
    found = list(read_files.load(folder, names))
    layers = [_layer(file) for file in found if isinstance(file, File)]
    return layers, [problem for problem in found if isinstance(problem, Problem)]


def _as_last_read(layer: Layer, good: MutableMapping[str, Layer]) -> Layer:
    if not layer.broken:
        good[layer.file] = layer
        return layer
    return as_before(layer, good[layer.file]) if layer.file in good else layer


def _layer(file: File) -> Layer:
    if file.name.endswith(".toml"):
        return config.read_toml(file, stores.names(), sinks.names(), _checks)
    reader = config.read_mcp if file.name.endswith("mcp.json") else config.read_hooks
    return reader(file, _kinds())


def _checks(reader: Reader, tables: Mapping[str, Any]) -> Iterable[Declaration]:
    running = [hook for hook in _built_in(built_ins.names()) if hook.runs]
    return checks(reader, tables, running, _kinds()) if any(named(running, one) for one in tables) else ()


def _sinks(layers: Sequence[Layer], *, trusted: bool) -> tuple[tuple[Choice, ...], list[Problem], list[str]]:
    """The sinks that are configured, what is wrong with that, and what of it waits."""
    if not any(layer.sinks for layer in layers):
        return (), [], []
    chosen = choose_sinks.choose(layers, sinks.load, trusted=trusted)
    return chosen.sinks, chosen.problems, chosen.waiting


def _kinds() -> dict[str, Kind]:
    return {name: kinds.load(name) for name in kinds.names()}


def _declared(
    layers: Sequence[Layer], scripts: Scripts, machine: _Lazy, *, trusted: bool
) -> tuple[list[Declaration], list[str], list[Problem]]:
    """The configured hooks that may run, in order of registration; what waits; what could not be read."""
    declared, waiting, problems = list[Declaration](), list[str](), list[Problem]()
    for source in ("user", "project", "local"):
        may = trusted or source == "user"
        entries = [d for layer in layers if layer.source == source for d in layer.declarations]
        modules = [m for layer in layers if layer.source == source for m in _imports(layer)]
        paths = [path for folder, path in scripts if folder.source == source]
        if not may:
            unlisted = [d for d in entries if "part_of" not in d.spec]  # the setting itself waits for those
            waiting += [f"{d.origin}: a {d.kind} hook on {d.on[0].__name__}" for d in unlisted]
            waiting += [
                f"{read_files.shown(path, _folder(scripts, path))}: hooks in Python" for path in paths
            ]
            continue
        declared += entries
        if paths or modules:
            found = _python(paths, modules, source, machine)
            declared += found.declarations
            problems += [_as_problem(text) for text in found.problems]
    return declared, waiting, problems


def _imports(layer: Layer) -> Sequence[str]:
    return layer.options["import"].value if "import" in layer.options else ()


def _folder(scripts: Scripts, path: str) -> read_files.Folder:
    return next(folder for folder, script in scripts if script == path)


def _as_problem(text: str) -> Problem:
    file, _, rest = text.partition(":")
    line, _, what = rest.partition(":")
    if line.strip().isdigit():
        return Problem(file=file, line=int(line), text=what.strip())
    return Problem(file=file, text=rest.strip())


def _python(paths: Sequence[str], modules: Sequence[str], source: str, machine: _Lazy) -> Any:
    own = source != "user"
    root, only = (machine.places.root, machine.trusted) if own else (machine.places.config, None)
    roots = [root if own else path.rpartition("/hooks/")[0] for path in paths]
    places = zip(paths, roots, strict=True)
    sources = [python.Source(path=path, source=source, root=at, trusted=only) for path, at in places]
    sources += [python.Source(module=name, source=source, root=root, trusted=only) for name in modules]
    return python.find(sources, machine.made())


def _hooks(declared: Sequence[Declaration], machine: _Lazy) -> tuple[list[Hook], list[Problem]]:
    """Built-ins first, then what was declared; a name that is taken stays with who had it."""
    hooks, wrong = list(_built_in(built_ins.names())), list[Problem]()
    for declaration in declared:
        try:
            _refuse_taken(declaration, hooks)
            _refuse_strangers(declaration)
            hooks.append(_bound(declaration, machine))
        except ValueError as error:
            wrong.append(_at(declaration, str(error)))
    return hooks, wrong


@cache
def _built_in(names: tuple[str, ...]) -> tuple[Hook, ...]:
    return tuple(replace(built_ins.load(name), kind="built-in", source="built-in") for name in names)


def _refuse_taken(declaration: Declaration, hooks: Sequence[Hook]) -> None:
    taken = named(hooks, declaration.name)
    if taken is not None:
        whose = f"the {taken.source} hook of that name"
        raise ValueError(f"the name {declaration.name!r} is taken by {whose}; give this one another `name`")


def _refuse_strangers(declaration: Declaration) -> None:
    for name in declaration.hosts:
        if name not in hosts.names():
            raise ValueError(f"no host is called {name!r}; there are: {', '.join(hosts.names())}")


def _at(declaration: Declaration, text: str) -> Problem:
    file, _, line = declaration.origin.rpartition(":")
    if not line.isdigit():
        return Problem(file=declaration.origin, text=text)
    return Problem(file=file, line=int(line), text=text)


def _bound(declaration: Declaration, machine: _Lazy) -> Hook:
    spec = declaration.spec
    return Hook(
        name=declaration.name,
        on=declaration.on,
        judge=machine.bind(declaration),
        priority=declaration.priority,
        priorities={
            e: spec["priorities"][e.__name__]
            for e in declaration.on
            if e.__name__ in spec.get("priorities", {})
        },
        nature="observer" if declaration.observer else spec.get("nature", "policy"),
        settings=Frozen(spec.get("settings", {})),
        types={k: object if v is None else type(v) for k, v in spec.get("settings", {}).items()},
        aliases=tuple(spec.get("aliases", ())),
        about=spec.get("about", "") or _about(declaration),
        kind=declaration.kind,
        source=declaration.source,
        origin=declaration.origin,
        limit=declaration.timeout,
        on_failure=declaration.on_failure,
        on_timeout=declaration.on_timeout,
        match=matching(declaration.match),
        hosts=declaration.hosts,
        why=machine.why(declaration),
        part_of=spec.get("part_of", ""),
        enabled=spec.get("enabled", True),
    )


def _with_settings(hook: Hook, declared: Sequence[Declaration], machine: _Lazy) -> Hook:
    """A hook that is carried out elsewhere takes its settings along."""
    mine = next((d for d in declared if d.name == hook.name and d.origin == hook.origin), None)
    if mine is None or dict(mine.spec.get("settings", {})) == dict(hook.settings):
        return hook
    spec = Frozen({**mine.spec, "settings": hook.settings})
    return replace(hook, judge=machine.bind(replace(mine, spec=spec)))


def _about(declaration: Declaration) -> str:
    what = next(
        (declaration.spec[k] for k in ("command", "url", "tool", "python") if k in declaration.spec), ""
    )
    return f"{declaration.kind}: {what if isinstance(what, str) else ' '.join(what)}"


class _Lazy:
    """The machine that kinds are handed, put together only when there is a configured hook."""

    def __init__(
        self,
        env: Mapping[str, str],
        places: Places,
        layers: Sequence[Layer],
        *,
        trusted: Mapping[str, str] | None,
    ) -> None:
        self.env, self.places, self.kept = env, places, Kept()
        self.trusted = trusted or Frozen()
        """The sha256 of the project's files that were trusted, by path."""
        self._servers = {
            name: server
            for layer in layers
            if trusted is not None or layer.source == "user"
            for name, server in layer.servers.items()
        }
        self._machine: Machine | None = None

    def made(self) -> Machine:
        if self._machine is None:
            self._machine = Machine(
                run=run_command.run,
                start=run_command.start,
                env=self._environment(),
                clock=time.monotonic,
                kept=self.kept,
                dialects=tuple(host.dialect for host in map(hosts.load, hosts.names()) if host.dialect),
                servers=Frozen(self._servers),
                scratch=self.places.scratch,
            )
        return self._machine

    def _environment(self) -> Mapping[str, str]:
        """For a project's commands in Python: compiled files that lie beside the trusted text are not run."""
        own = {CACHE: f"{self.places.scratch}/compiled"} if self.trusted else {}
        return {**own, **self.env}

    def bind(self, declaration: Declaration) -> Any:
        return _kinds()[declaration.kind].bind(self._pinned(declaration), self.made())

    def why(self, declaration: Declaration) -> Why | None:
        if declaration.kind != "python":
            return None
        return python.why(self._pinned(declaration), self.made())

    def _pinned(self, declaration: Declaration) -> Declaration:
        if declaration.kind != "python" or declaration.source == "user":
            return declaration
        return replace(declaration, spec=Frozen({**declaration.spec, "trusted": self.trusted}))


def in_memory() -> Store:
    return memory.open_store()


def bare_setup() -> Setup:
    return Setup(places=find({}, os.getcwd()), env={}, settled=Settled(hooks=()), kept=Kept())
