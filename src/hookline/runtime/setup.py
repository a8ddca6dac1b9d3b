"""Loading of configuration files and built-ins into the hooks that will run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from hookline import hooks as built_ins
from hookline import hosts, sinks, stores
from hookline.core.frozen import Frozen
from hookline.core.hook import Hook, compile_match, find_hook
from hookline.core.host import Host
from hookline.core.kind import Declaration, Resources
from hookline.core.registry import describe_unknown
from hookline.core.sink import ConfiguredSink
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.core.variables import PROFILE, RUN, add_new_names
from hookline.kinds import python
from hookline.policy import choose_sinks, parse_files, project_trust, read_files, repository_env
from hookline.policy.entries import declare_checks
from hookline.policy.layers import SET_SUFFIX, EffectiveConfig, apply_layers, needs_trust, switches
from hookline.policy.model import REPOSITORY_SOURCES, UNVERIFIED, File, Layer, Problem
from hookline.policy.parse_files import keep_previous
from hookline.policy.strict_reader import Reader
from hookline.policy.trust import Trust
from hookline.runtime.machine import LazyMachine, load_kinds
from hookline.stores import memory
from hookline.system import session_record
from hookline.system.paths import Places, find_places
from hookline.system.session_record import CallingSession

SETTINGS_FILES = ("hookline.toml", "hooks.json", "mcp.json")


class Setup(Struct, frozen=True, kw_only=True):
    """The configuration of a runtime."""

    places: Places
    env: Mapping[str, str]
    """The environment, without untrusted variables that the repository set."""
    config: EffectiveConfig
    resources: Resources
    trust: Trust | None = None
    """The project's trust; None if nothing in it requires trust."""

    @property
    def hooks(self) -> tuple[Hook, ...]:
        return self.config.hooks

    @property
    def user_messages(self) -> tuple[str, ...]:
        """Messages for the user, as sentences."""
        waiting = len(self.config.waiting)
        messages = [str(problem) for problem in self.config.problems]
        if waiting:
            items = "item of this project waits" if waiting == 1 else "items of this project wait"
            messages.append(f"{waiting} {items} for your trust: see `hookline trust --show`")
        return tuple(messages)


Scripts = list[tuple[read_files.Folder, str]]


class _Project(Struct, frozen=True, kw_only=True):
    """A project, and the part of its configuration that its user trusted."""

    places: Places
    env: Mapping[str, str]
    layers: list[Layer]
    scripts: Scripts
    problems: list[Problem]
    trust: Trust | None = None
    pinned: Mapping[str, str] | None = None
    """SHA-256 of the trusted files, by path; None if nothing is trusted."""
    trust_requests: Sequence[str] = ()
    """Effects of the untrusted environment that the repository set."""

    @property
    def trusted(self) -> bool:
        return self.trust is None or self.trust.holds


def load_setup(
    env: Mapping[str, str],
    cwd: str,
    host: Host | None = None,
    session: CallingSession | None = None,
    good: MutableMapping[str, Layer] | None = None,
) -> Setup:
    """Return the configuration of the user and the project for *cwd*.

    A daemon keeps in *good* the last readable content of the user's files, which stays valid if they break.
    """
    project = _load_project(env, cwd, host, session or CallingSession())
    folders = list(_user_folders(env, project))
    read = [_read_folder(folder) for folder in folders]
    user = [layer for layers, _, _ in read for layer in layers]
    problems = [problem for _, found, _ in read for problem in found]
    user = user if good is None else [_last_readable(layer, good) for layer in user]
    scripts = [script for _, _, found in read for script in found] + project.scripts
    layers = [*user, *project.layers]
    machine = LazyMachine(project.env, project.places, layers, trusted=project.pinned)
    declared, waiting, failures = _select_declarations(layers, scripts, machine, trusted=project.trusted)
    hooks, conflicts = _bind_hooks(declared, machine)
    settled = apply_layers(
        hooks,
        layers,
        trusted=project.trusted,
        switches=switches(project.env),
        unattended=f"{RUN}{SET_SUFFIX}" if RUN in env else "",  # a repository may change only its value
    )
    sinks, errors, unasked = _choose_sinks(layers, trusted=project.trusted)
    settled = replace(
        settled,
        sinks=sinks,
        hooks=tuple(_with_settings(hook, declared, machine) for hook in settled.hooks),
        problems=(*settled.problems, *errors, *problems, *failures, *conflicts, *project.problems),
        waiting=(*settled.waiting, *unasked, *waiting, *project.trust_requests),
    )
    return Setup(
        places=project.places,
        env=project.env,
        config=settled,
        resources=machine.resources,
        trust=project.trust,
    )


def _user_folders(env: Mapping[str, str], project: _Project) -> Iterator[read_files.Folder]:
    """Yield the folders of the user's configuration, and those that may be the repository's choice."""
    own = [project.places.config, *([project.env[PROFILE]] if PROFILE in project.env else [])]
    others = [find_places(env, project.places.root).config, *([env[PROFILE]] if PROFILE in env else [])]
    yield from (read_files.Folder(path=path, source="user") for path in own)
    yield from (read_files.Folder(path=path, source=UNVERIFIED) for path in others if path not in own)


def _load_project(env: Mapping[str, str], cwd: str, host: Host | None, session: CallingSession) -> _Project:
    """Return the project, without anything that the repository set if it is not trusted.

    This includes the location of the user's own files: otherwise a repository could declare itself trusted.
    """
    start = repository_env.start_folder(env, cwd, host)
    recorded = session_record.read_variables(session, start)
    unasked = repository_env.find_repository_variables(env, cwd, host, recorded)
    safe_env = add_new_names(unasked.without(env))
    places = find_places(safe_env, start)
    layers, problems, scripts = _read_folder(
        read_files.Folder(path=places.project, source="project", root=places.root)
    )
    project = _Project(places=places, env=safe_env, layers=layers, scripts=scripts, problems=problems)
    opening = read_files.ckignore_requiring_trust(places.root)
    other_files = opening | unasked.files
    if not layers and not scripts and not other_files:
        return project
    trust = project_trust.find_trust(project.places, layers, [path for _, path in scripts], other_files)
    problems += project_trust.problems(places, trust, person=host is None)
    if not trust.holds:
        problems += _record_variables(session, start, unasked)
        return replace(
            project,
            trust=trust,
            trust_requests=[
                *unasked.wishes,
                *(f"{name}: lets the agent read .git, .aws or .ssh" for name in opening),
            ],
        )
    project = replace(project, trust=trust, pinned=project_trust.pinned_digests(trust, places.root))
    trusted_env = add_new_names(unasked.without(env, trusted=True))
    return (
        replace(project, env=trusted_env, places=find_places(trusted_env, start))
        if unasked.names
        else project
    )


def _record_variables(
    session: CallingSession, start: str, unasked: repository_env.RepositoryVariables
) -> Iterator[Problem]:
    """Record the variables of the repository for the rest of the session; yield a problem if that fails."""
    error = session_record.add_variables(session, start, unasked.unrecorded) if unasked.unrecorded else ""
    if error:
        text = f"its variables cannot be recorded ({error}), so they count as yours once the file changes"
        yield Problem(file=unasked.unrecorded[0].file, text=text)


def _read_folder(folder: read_files.Folder) -> tuple[list[Layer], list[Problem], Scripts]:
    """Return the layers of a configuration folder, their problems, and its hooks in Python."""
    layers, problems = _read_layers(folder)
    scripts_or_problems = list(read_files.hook_scripts(folder))
    problems += [script for script in scripts_or_problems if isinstance(script, Problem)]
    return layers, problems, [(folder, script) for script in scripts_or_problems if isinstance(script, str)]


def _read_layers(folder: read_files.Folder) -> tuple[list[Layer], list[Problem]]:
    names = [(name, folder.source) for name in SETTINGS_FILES]
    names += [("hookline.local.toml", "local")] if folder.root else []
    files_or_problems = list(read_files.load(folder, names))
    layers = [_parse_layer(file) for file in files_or_problems if isinstance(file, File)]
    return layers, [problem for problem in files_or_problems if isinstance(problem, Problem)]


def _last_readable(layer: Layer, good: MutableMapping[str, Layer]) -> Layer:
    if not layer.broken:
        good[layer.file] = layer
        return layer
    return keep_previous(layer, good[layer.file]) if layer.file in good else layer


def _parse_layer(file: File) -> Layer:
    if file.name.endswith(".toml"):
        return parse_files.read_toml(file, stores.names(), sinks.names(), _declare_checks)
    reader = parse_files.read_mcp if file.name.endswith("mcp.json") else parse_files.read_hooks
    return reader(file, load_kinds())


def find_problems(setup: Setup, file: File) -> list[Problem]:
    """Return the problems that a settings file would have in *setup*, apart from those of other files."""
    layer, waiting = _parse_layer(file), setup.config.declared
    tables = {name: origin for name, origin in layer.tables.items() if name not in waiting}
    layers = [replace(layer, tables=Frozen(tables))]
    settled = apply_layers(setup.hooks, layers, trusted=True, switches={})
    return [*settled.problems, *_choose_sinks(layers, trusted=True)[1]]


def _declare_checks(reader: Reader, tables: Mapping[str, Any]) -> Iterable[Declaration]:
    running = [hook for hook in _load_built_ins(built_ins.names()) if hook.commands_setting]
    return (
        declare_checks(reader, tables, running, load_kinds())
        if any(find_hook(running, name) for name in tables)
        else ()
    )


def _choose_sinks(
    layers: Sequence[Layer], *, trusted: bool
) -> tuple[tuple[ConfiguredSink, ...], list[Problem], list[str]]:
    """Return the configured sinks, their problems, and those that wait for trust."""
    if not any(layer.sinks for layer in layers):
        return (), [], []
    chosen = choose_sinks.choose(layers, sinks.load, trusted=trusted)
    return chosen.sinks, chosen.problems, chosen.waiting


def _select_declarations(
    layers: Sequence[Layer], scripts: Scripts, machine: LazyMachine, *, trusted: bool
) -> tuple[list[Declaration], list[str], list[Problem]]:
    """Return the hooks that may run, in order; those that wait for trust; and problems."""
    declared, waiting, problems = list[Declaration](), list[str](), list[Problem]()
    for source in ("user", UNVERIFIED, *REPOSITORY_SOURCES):
        may_run = not needs_trust(source, trusted=trusted)
        entries = [d for layer in layers if layer.source == source for d in layer.declarations]
        modules = [m for layer in layers if layer.source == source for m in _imported_modules(layer)]
        paths = [path for folder, path in scripts if folder.source == source]
        if not may_run:
            unlisted = [d for d in entries if "part_of" not in d.spec]  # the setting itself waits for those
            waiting += [f"{d.origin}: a {d.kind} hook on {d.on[0].__name__}" for d in unlisted]
            waiting += [
                f"{read_files.display_path(path, _folder_of(scripts, path))}: hooks in Python"
                for path in paths
            ]
            continue
        declared += entries
        if paths or modules:
            result = _find_python(paths, modules, source, machine)
            declared += result.declarations
            problems += [_parse_problem(text) for text in result.problems]
    return declared, waiting, problems


def _imported_modules(layer: Layer) -> Sequence[str]:
    return layer.options["import"].value if "import" in layer.options else ()


def _folder_of(scripts: Scripts, path: str) -> read_files.Folder:
    return next(folder for folder, script in scripts if script == path)


def _parse_problem(text: str) -> Problem:
    file, _, rest = text.partition(":")
    line, _, message = rest.partition(":")
    if line.strip().isdigit():
        return Problem(file=file, line=int(line), text=message.strip())
    return Problem(file=file, text=rest.strip())


def _find_python(paths: Sequence[str], modules: Sequence[str], source: str, machine: LazyMachine) -> Any:
    is_project = source != "user"
    root, trusted = (machine.places.root, machine.trusted) if is_project else (machine.places.config, None)
    roots = [root if is_project else path.rpartition("/hooks/")[0] for path in paths]
    places = zip(paths, roots, strict=True)
    sources = [
        python.Source(path=path, source=source, root=folder, trusted=trusted) for path, folder in places
    ]
    sources += [python.Source(module=name, source=source, root=root, trusted=trusted) for name in modules]
    return python.find_hooks(sources, machine.get())


def _bind_hooks(declared: Sequence[Declaration], machine: LazyMachine) -> tuple[list[Hook], list[Problem]]:
    """Return the built-in and then the declared hooks; a duplicate name is a problem of the later one."""
    hooks, problems = list(_load_built_ins(built_ins.names())), list[Problem]()
    for declaration in declared:
        try:
            _check_name(declaration, hooks)
            _check_hosts(declaration)
            hooks.append(_bind_hook(declaration, machine))
        except ValueError as error:
            problems.append(_problem_at(declaration, str(error)))
    return hooks, problems


@cache
def _load_built_ins(names: tuple[str, ...]) -> tuple[Hook, ...]:
    return tuple(replace(built_ins.load(name), kind="built-in", source="built-in") for name in names)


def _check_name(declaration: Declaration, hooks: Sequence[Hook]) -> None:
    existing = find_hook(hooks, declaration.name)
    if existing is not None:
        taken = f"duplicate hook name {declaration.name!r}, already used by the {existing.source} hook"
        raise ValueError(f"{taken}; choose another `name`")


def _check_hosts(declaration: Declaration) -> None:
    for name in declaration.hosts:
        if name not in hosts.names():
            raise ValueError(describe_unknown("host", name, hosts.names()))


def _problem_at(declaration: Declaration, text: str) -> Problem:
    file, _, line = declaration.origin.rpartition(":")
    if not line.isdigit():
        return Problem(file=declaration.origin, text=text)
    return Problem(file=file, line=int(line), text=text)


def _bind_hook(declaration: Declaration, machine: LazyMachine) -> Hook:
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
        about=spec.get("about", "") or _describe(declaration),
        kind=declaration.kind,
        source=declaration.source,
        origin=declaration.origin,
        timeout=declaration.timeout,
        on_failure=declaration.on_failure,
        on_timeout=declaration.on_timeout,
        match=compile_match(declaration.match),
        hosts=declaration.hosts,
        why=machine.why(declaration),
        part_of=spec.get("part_of", ""),
        enabled=spec.get("enabled", True),
    )


def _with_settings(hook: Hook, declared: Sequence[Declaration], machine: LazyMachine) -> Hook:
    """Return *hook* bound again with its final settings, if it runs in another process."""
    declaration = next((d for d in declared if d.name == hook.name and d.origin == hook.origin), None)
    if declaration is None or dict(declaration.spec.get("settings", {})) == dict(hook.settings):
        return hook
    spec = Frozen({**declaration.spec, "settings": hook.settings})
    return replace(hook, judge=machine.bind(replace(declaration, spec=spec)))


def _describe(declaration: Declaration) -> str:
    text = next(
        (declaration.spec[k] for k in ("command", "url", "tool", "python") if k in declaration.spec), ""
    )
    return f"{declaration.kind}: {text if isinstance(text, str) else ' '.join(text)}"


def open_volatile_store() -> Store:
    return memory.open_store()


def bare_setup() -> Setup:
    return Setup(
        places=find_places({}, os.getcwd()), env={}, config=EffectiveConfig(hooks=()), resources=Resources()
    )
