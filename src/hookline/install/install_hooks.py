"""Plans of the changes that make a host call hookline, and the functions that carry them out."""

import os
from collections.abc import Iterator, Mapping
from shutil import which

from msgspec import Struct

from hookline import hosts
from hookline.core.host import Host
from hookline.core.install_table import InstallEntry, OwnFiles, Scope, SettingsFile
from hookline.core.values import replace
from hookline.install import settings_files
from hookline.install.edit_settings import add_entries, calling_moments, installed_moments, remove_entries
from hookline.install.host_command import build_call, build_guard
from hookline.install.jsonc import NotJson
from hookline.install.ownership import PROGRAM, is_our_file, matches_template
from hookline.install.settings_files import InstallRecord, Refused, load_records
from hookline.system.paths import Places

EXTRA_SECONDS = 5.0
"""Seconds that a host waits in addition to the time in which hookline answers."""
SCOPES: tuple[Scope, ...] = ("user", "project", "local")
EXECUTABLE_MODE = 0o777
"""Mode of a new executable file, before the umask."""


class Plan(Struct, frozen=True, kw_only=True):
    """The planned change of one file."""

    host: str
    scope: Scope
    path: str
    before: bytes | None
    """The present content; None if the file does not exist."""
    after: bytes | None
    """The new content; None if the file is to be deleted."""
    problem: str = ""
    """The reason to leave the file unchanged; empty if there is none."""
    mode: int | None = None
    keys: tuple[tuple[str, ...], ...] = ()
    """The keys that are created in it for hookline's entries."""
    messages: tuple[str, ...] = ()
    """Messages about the file for the user."""

    @property
    def changes(self) -> bool:
        return not self.problem and self.before != self.after


def detect_hosts(env: Mapping[str, str], places: Places) -> list[Host]:
    """Return the hosts in use on this machine, detected by their program or by one of their folders."""
    return [host for host in map(hosts.load, hosts.names()) if host.install and _is_in_use(host, env, places)]


def _is_in_use(host: Host, env: Mapping[str, str], places: Places) -> bool:
    if host.program and which(host.program, path=env.get("PATH", "")):
        return True
    return any(os.path.isdir(_resolve_path(folder, places)) for folder in host.folders)


def _resolve_path(name: str, places: Places) -> str:
    return name.replace("~", places.home, 1) if name.startswith("~") else os.path.join(places.root, name)


def build_entries(host: Host, program: str, *, shared: bool = False) -> tuple[InstallEntry, ...]:
    """Return one entry for every moment of the *host*'s table, with a guard in files that are *shared*."""
    return tuple(
        InstallEntry(
            moment=name,
            command=build_call(program, host.name),
            timeout=(row.timeout or host.timeout) + EXTRA_SECONDS,
            guard=build_guard(program, host, name) if shared else "",
        )
        for name, row in host.moments.items()
    )


class Target(Struct, frozen=True, kw_only=True):
    """One file that contains, or will contain, hookline's entries."""

    host: Host
    scope: Scope
    path: str
    root: str
    """The project's root."""
    layout: SettingsFile | OwnFiles
    name: str = ""
    """Of hookline's own file: its name in the host's table; of a list of folders: the list's key."""
    shared: bool = False
    """True if teammates share the file, so that the program may be missing on their machines."""

    def entries(self, program: str) -> tuple[InstallEntry, ...]:
        if isinstance(self.layout, SettingsFile) and self.name:
            return (InstallEntry(moment=self.name, command=build_call(program, self.host.name), timeout=0),)
        return build_entries(self.host, program, shared=self.shared)


def find_targets(
    host: Host, scope: Scope, places: Places, env: Mapping[str, str], *, shared: bool = True
) -> Iterator[Target]:
    """Yield the files in which the *host* is installed; none if it has no files of that *scope*."""
    base = locate_settings(host, scope, places, env)
    if host.install is None or not base:
        return
    shared = shared and scope == "project"
    target = Target(
        host=host, scope=scope, path=base, root=places.root, layout=host.install.layout, shared=shared
    )
    yield from _own_targets(target, base) if isinstance(target.layout, OwnFiles) else [target]
    if isinstance(target.layout, OwnFiles) and target.layout.registered is not None:
        path = _locate(host, target.layout.registered, scope, places, env)
        yield replace(target, path=path, layout=target.layout.registered, name=target.layout.registered_as)


def _own_targets(target: Target, base: str) -> Iterator[Target]:
    for name in (
        target.layout.make_files(target.entries("hookline")) if isinstance(target.layout, OwnFiles) else ()
    ):
        yield replace(target, path=os.path.join(base, name), name=name)


def plan_host(
    host: Host,
    scope: Scope,
    places: Places,
    env: Mapping[str, str],
    program: str,
    *,
    shared: bool = True,
) -> Iterator[Plan]:
    """Yield one plan for each file that the installation for *host* requires."""
    if host.install is not None and not locate_settings(host, scope, places, env):
        yield Plan(
            host=host.name,
            scope=scope,
            path="",
            before=None,
            after=None,
            problem=unsupported_scope(host, scope),
        )
    for target in find_targets(host, scope, places, env, shared=shared):
        yield plan_file(target, program)


def unsupported_scope(host: Host, scope: Scope) -> str:
    """Return the message for a *host* that has no file of that *scope*."""
    if scope == "local":
        return f"{host.name} has no settings file for one person in a project; use --user or omit --local"
    return f"{host.name} can be installed only {'with --user' if scope == 'project' else 'without --user'}"


def plan_file(target: Target, program: str) -> Plan:
    """Return the plan that installs hookline's entries in one file."""
    plan = Plan(host=target.host.name, scope=target.scope, path=target.path, before=None, after=None)
    try:
        check_location(target)
        plan = replace(plan, before=settings_files.read(target.path))
        if isinstance(target.layout, SettingsFile):
            plan = _plan_settings_file(target, target.layout, plan, program)
        else:
            plan = _plan_own_file(target, target.layout, plan, program)
        if plan.changes:
            settings_files.check_writable(target.path)
    except Refused as error:
        return replace(plan, after=plan.before, problem=str(error))
    except NotJson as error:
        text = f"{target.path}: {error}; it was not changed: fix it, or use --print and edit it yourself"
        return replace(plan, after=plan.before, problem=text)
    return plan


def check_location(target: Target) -> None:
    if target.scope != "user":
        settings_files.check_inside(target.path, target.root)


def _plan_settings_file(target: Target, layout: SettingsFile, plan: Plan, program: str) -> Plan:
    text = decode_text(target.path, plan.before)
    edited = add_entries(text, layout, target.entries(program), target.host.name)
    names = ", ".join(edited.skipped)
    message = f"an entry of yours already calls hookline at {names}; no second one was added"
    return replace(
        plan, after=edited.text.encode(), keys=edited.created_keys, messages=(message,) if names else ()
    )


def _plan_own_file(target: Target, layout: OwnFiles, plan: Plan, program: str) -> Plan:
    after = layout.make_files(target.entries(program))[target.name].encode()
    if plan.before is not None and plan.before != after and not is_own_file(target, plan.before):
        raise Refused(
            f"{target.path} exists and was not written by hookline; it was not changed: "
            f"move it away, or let it run `{build_call(program, target.host.name)}` "
        )
    return replace(plan, after=after, mode=EXECUTABLE_MODE if layout.executable else None)


def is_own_file(target: Target, data: bytes) -> bool:
    """Return whether hookline wrote *data*, the content of a file that is not shared with other entries."""
    names = tuple(target.host.moments)
    text = data.decode(errors="replace")
    return isinstance(target.layout, OwnFiles) and is_our_file(
        text, target.name, target.layout, names, target.host.name
    )


def decode_text(path: str, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not UTF-8 text (byte {error.start}); it was not changed") from None


def build_snippets(
    host: Host, scope: Scope, places: Places, env: Mapping[str, str], program: str
) -> Mapping[str, str]:
    """Return the content of new files with hookline's entries alone, by path."""
    return {target.path: build_snippet(target, program) for target in find_targets(host, scope, places, env)}


def build_snippet(target: Target, program: str) -> str:
    """Return the content of a new file with hookline's entries alone."""
    new_entries = target.entries(program)
    if isinstance(target.layout, SettingsFile):
        return add_entries("", target.layout, new_entries, target.host.name).text
    return target.layout.make_files(new_entries)[target.name]


def locate_settings(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> str:
    """Return the path of the host's settings file, or folder for own files; empty if *scope* has none."""
    return _locate(host, host.install.layout, scope, places, env) if host.install else ""


def locate_file(host: Host, name: str, places: Places, env: Mapping[str, str]) -> str:
    """Return the path of a host's file, given with `~` or relative to the repository's root."""
    user_folder = env.get(host.install.folder_env, "") if host.install and host.install.folder_env else ""
    if name.startswith("~") and user_folder:
        return os.path.join(user_folder, *name.split("/")[2:])
    return _resolve_path(name, places)


def _locate(
    host: Host, layout: SettingsFile | OwnFiles, scope: Scope, places: Places, env: Mapping[str, str]
) -> str:
    private = layout.private_project if isinstance(layout, SettingsFile) else ""
    name = {"user": layout.user, "project": layout.project, "local": private}[scope]
    variable = host.install.folder_env if host.install and scope == "user" else ""
    user_folder = env.get(variable, "") if variable else ""
    if name and user_folder:
        return os.path.join(user_folder, *name.split("/")[2:])
    return _resolve_path(name, places) if name else ""


def apply_plan(plan: Plan, places: Places, command: str) -> None:
    """Save a record of the file's former content, then write it; the caller holds the lock."""
    if plan.problem or plan.after is None:
        return
    settings_files.remove_leftovers(plan.path)
    if not plan.changes:
        return
    settings_files.save_record(places.state, _build_record(plan, plan.after, places, command))
    settings_files.write(plan.path, plan.after, mode=plan.mode)


def _build_record(plan: Plan, after: bytes, places: Places, command: str) -> InstallRecord:
    """Return the record to save; it keeps the first content if only hookline changed the file since."""
    former = next(
        (r for r in load_records(places.state) if _is_record_of(r, plan)),
        None,
    )
    root = "" if plan.scope == "user" else places.root
    record = InstallRecord(
        path=plan.path,
        host=plan.host,
        scope=plan.scope,
        root=root,
        before=plan.before,
        after=(settings_files.digest(after),),
        made=settings_files.make_folders(plan.path, private=plan.scope == "user"),
        command=command,
        keys=plan.keys,
    )
    if former is None:
        return replace(record, before=_original_content(record))
    record = replace(
        record,
        made=tuple(dict.fromkeys((*former.made, *record.made))),
        keys=tuple(dict.fromkeys((*former.keys, *record.keys))),
    )
    if plan.before is not None and settings_files.digest(plan.before) in former.after:
        return replace(record, before=former.before, after=(*former.after, *record.after))
    if plan.before == former.before:  # the process was killed between saving the record and writing the file
        return replace(record, before=_original_content(record))
    return replace(record, before=_content_without_entries(replace(record, keys=former.keys)))


def _is_record_of(record: InstallRecord, plan: Plan) -> bool:
    return (record.path, record.host) == (plan.path, plan.host)


def _original_content(record: InstallRecord) -> bytes | None:
    """Return the content to restore for a file without a record: None if the whole file is hookline's.

    The author of an entry in it is not known: it may be the user's own, even in hookline's format.
    """
    target = find_target(record)
    if record.before is None or target is None or isinstance(target.layout, SettingsFile):
        return record.before
    text = record.before.decode(errors="replace")
    forms = (build_snippet(replace(target, shared=shared), PROGRAM) for shared in (False, True))
    return None if any(matches_template(text, form) for form in forms) else record.before


def _content_without_entries(record: InstallRecord) -> bytes | None:
    """Return the content of the file without the entries that hookline recorded."""
    target = find_target(record)
    if record.before is None or target is None or isinstance(target.layout, OwnFiles):
        return _original_content(record)
    text = record.before.decode()
    has_entries = installed_moments(text, target.layout, record.host)
    return (
        (remove_entries(text, target.layout, record.host, record.keys).encode() or None)
        if has_entries
        else record.before
    )


def find_target(record: InstallRecord) -> Target | None:
    """Return the file of a record; None if the host is now installed in another layout."""
    host = hosts.load(record.host)
    layout = host.install.layout if host.install else None
    if layout is None:
        return None
    scope = record_scope(record)
    shared = scope == "project"
    target = Target(host=host, scope=scope, path=record.path, root=record.root, layout=layout, shared=shared)
    if isinstance(layout, SettingsFile):
        return target
    basename = os.path.basename(record.path)
    registered = layout.registered
    if registered and basename in {os.path.basename(name) for name in (registered.user, registered.project)}:
        return replace(target, layout=registered, name=layout.registered_as)
    names = layout.make_files(target.entries("hookline"))
    name = next((name for name in names if record.path.endswith(os.sep + name)), "")
    return replace(target, name=name) if name else None


def record_scope(record: InstallRecord) -> Scope:
    return next((scope for scope in SCOPES if scope == record.scope), "project")


def plan_update(record: InstallRecord, program: str) -> Plan | None:
    """Return the plan that updates the file of a record; None if it holds none of hookline's entries."""
    target = find_target(record)
    if target is None or not holds_entries(target):
        return None
    return plan_file(target, program)


def holds_entries(target: Target) -> bool:
    """Return whether the file holds hookline's entries; True if it is unreadable, so that it is reported."""
    try:
        data = settings_files.read(target.path)
        if data is None:
            return False
        if isinstance(target.layout, OwnFiles):
            return is_own_file(target, data)
        return bool(installed_moments(decode_text(target.path, data), target.layout, target.host.name))
    except (Refused, NotJson):
        return os.path.lexists(target.path)


def active_moments(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the moments at which the *host*'s file calls hookline; none if the file is unreadable."""
    path = locate_settings(host, scope, places, env)
    layout = host.install.layout if host.install else None
    try:
        if isinstance(layout, OwnFiles):
            return (
                tuple(host.moments) if path and os.path.isdir(path) and _has_own(path, layout, host) else ()
            )
        return (
            calling_moments(decode_text(path, settings_files.read(path)), layout, host.name)
            if path and layout
            else ()
        )
    except (Refused, NotJson):
        return ()


def _has_own(folder: str, layout: OwnFiles, host: Host) -> bool:
    names = layout.make_files(build_entries(host, "hookline"))
    return all(os.path.exists(os.path.join(folder, name)) for name in names)
