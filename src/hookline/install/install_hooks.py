"""Wire hosts to call us, and take that out again: which files, and what becomes of them."""

import os
from collections.abc import Iterator, Mapping
from shutil import which

from msgspec import Struct

from hookline import hosts
from hookline.core.host import Host
from hookline.core.install_table import Entry, Listed, Own, Scope
from hookline.core.values import replace
from hookline.install import settings_files as notes
from hookline.install.edit_settings import held, moments, unwired, wired
from hookline.install.host_command import call, guard
from hookline.install.jsonc import NotJson
from hookline.install.ownership import PROGRAM, as_written, file_is_ours
from hookline.install.settings_files import Refused, Wired
from hookline.system.paths import Places

ROOM = 5.0
"""Seconds that a host is to wait beyond the time in which we answer."""
EXECUTABLE = 0o777


class Plan(Struct, frozen=True, kw_only=True):
    """What becomes of one file."""

    host: str
    scope: Scope
    path: str
    before: bytes | None
    """None: it is not there."""
    after: bytes | None
    """None: it goes."""
    problem: str = ""
    """Why it is left as it is."""
    mode: int | None = None
    keys: tuple[tuple[str, ...], ...] = ()
    """Those that are made in it for our entries."""
    said: tuple[str, ...] = ()
    """What a person should know about it."""

    @property
    def changes(self) -> bool:
        return not self.problem and self.before != self.after


def present(env: Mapping[str, str], places: Places) -> list[Host]:
    """The hosts that are in use here: by their program, or by a folder of theirs."""
    return [host for host in map(hosts.load, hosts.names()) if host.wiring and _used(host, env, places)]


def _used(host: Host, env: Mapping[str, str], places: Places) -> bool:
    if host.program and which(host.program, path=env.get("PATH", "")):
        return True
    return any(os.path.isdir(_place(folder, places)) for folder in host.folders)


def _place(name: str, places: Places) -> str:
    return name.replace("~", places.home, 1) if name.startswith("~") else os.path.join(places.root, name)


def entries(host: Host, program: str, *, shared: bool = False) -> tuple[Entry, ...]:
    """Return one entry for every moment of the *host*'s table, with a guard in files that are *shared*."""
    return tuple(
        Entry(
            moment=name,
            command=call(program, host.name),
            seconds=(row.within or host.within) + ROOM,
            guard=guard(program, host, name) if shared else "",
        )
        for name, row in host.moments.items()
    )


class Target(Struct, frozen=True, kw_only=True):
    """One file that is to be wired, or is."""

    host: Host
    scope: Scope
    path: str
    root: str
    """The project's root."""
    way: Listed | Own
    name: str = ""
    """Of a file that is ours alone: how the host's table calls it; of the list that we are registered in."""
    shared: bool = False
    """Whether teammates share the file, so that the program may be missing."""

    def entries(self, program: str) -> tuple[Entry, ...]:
        if isinstance(self.way, Listed) and self.name:
            return (Entry(moment=self.name, command=call(program, self.host.name), seconds=0),)
        return entries(self.host, program, shared=self.shared)


def targets(
    host: Host, scope: Scope, places: Places, env: Mapping[str, str], *, shared: bool = True
) -> Iterator[Target]:
    """The files by which the *host* is wired; none where it has none of that scope."""
    base = where(host, scope, places, env)
    if host.wiring is None or not base:
        return
    shared = shared and scope == "project"
    whole = Target(host=host, scope=scope, path=base, root=places.root, way=host.wiring.way, shared=shared)
    yield from _own_files(whole, base) if isinstance(whole.way, Own) else [whole]
    if isinstance(whole.way, Own) and whole.way.registered is not None:
        path = _file(host, whole.way.registered, scope, places, env)
        yield replace(whole, path=path, way=whole.way.registered, name=whole.way.registered_as)


def _own_files(target: Target, base: str) -> Iterator[Target]:
    for name in target.way.files(target.entries("hookline")) if isinstance(target.way, Own) else ():
        yield replace(target, path=os.path.join(base, name), name=name)


def plans(
    host: Host,
    scope: Scope,
    places: Places,
    env: Mapping[str, str],
    program: str,
    *,
    shared: bool = True,
) -> Iterator[Plan]:
    """What wiring the *host* changes; one plan a file."""
    if host.wiring is not None and not where(host, scope, places, env):
        yield Plan(host=host.name, scope=scope, path="", before=None, after=None, problem=only(host, scope))
    for target in targets(host, scope, places, env, shared=shared):
        yield planned(target, program)


def only(host: Host, scope: Scope) -> str:
    """What is to be said where the *host* has no file of that *scope*."""
    return f"{host.name} is wired {'by --user' if scope == 'project' else 'without --user'} only"


def planned(target: Target, program: str) -> Plan:
    """What wiring makes of one file."""
    plan = Plan(host=target.host.name, scope=target.scope, path=target.path, before=None, after=None)
    try:
        check_place(target)
        plan = replace(plan, before=notes.read(target.path))
        if isinstance(target.way, Listed):
            plan = _listed(target, target.way, plan, program)
        else:
            plan = _own(target, target.way, plan, program)
        if plan.changes:
            notes.check_writable(target.path)
    except Refused as error:
        return replace(plan, after=plan.before, problem=str(error))
    except NotJson as error:
        said = f"{target.path}: {error}; it was left as it is: mend it, or use --print and wire it yourself"
        return replace(plan, after=plan.before, problem=said)
    return plan


def check_place(target: Target) -> None:
    if target.scope == "project":
        notes.check_inside(target.path, target.root)


def _listed(target: Target, way: Listed, plan: Plan, program: str) -> Plan:
    text = decoded(target.path, plan.before)
    after = wired(text, way, target.entries(program), target.host.name)
    names = ", ".join(after.spared)
    told = f"an entry of your own calls us already at {names}; no second one is put there"
    return replace(plan, after=after.text.encode(), keys=after.made, said=(told,) if names else ())


def _own(target: Target, way: Own, plan: Plan, program: str) -> Plan:
    after = way.files(target.entries(program))[target.name].encode()
    if plan.before is not None and plan.before != after and not wrote(target, plan.before):
        raise Refused(
            f"{target.path} is there already and not ours; it was left as it is: "
            f"move it away, or have it start `{call(program, target.host.name)}` itself"
        )
    return replace(plan, after=after, mode=EXECUTABLE if way.executable else None)


def wrote(target: Target, data: bytes) -> bool:
    """Whether a file of the kind that is ours alone is one that we wrote."""
    names = tuple(target.host.moments)
    text = data.decode(errors="replace")
    return isinstance(target.way, Own) and file_is_ours(
        text, target.name, target.way, names, target.host.name
    )


def decoded(path: str, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is no UTF-8 text (byte {error.start}); it was left as it is") from None


def snippets(
    host: Host, scope: Scope, places: Places, env: Mapping[str, str], program: str
) -> Mapping[str, str]:
    """What the files would hold if nothing else were in them, by path."""
    return {one.path: snippet(one, program) for one in targets(host, scope, places, env)}


def snippet(one: Target, program: str) -> str:
    """What one file would hold if nothing else were in it."""
    wanted = one.entries(program)
    if isinstance(one.way, Listed):
        return wired("", one.way, wanted, one.host.name).text
    return one.way.files(wanted)[one.name]


def where(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> str:
    """The host's file, or folder for files of ours; empty where it has none of that scope."""
    return _file(host, host.wiring.way, scope, places, env) if host.wiring else ""


def place(host: Host, name: str, places: Places, env: Mapping[str, str]) -> str:
    """Where a file of the *host*'s lies: the user's with `~`, else the repository's from its root."""
    moved = env.get(host.wiring.moved_by, "") if host.wiring and host.wiring.moved_by else ""
    if name.startswith("~") and moved:
        return os.path.join(moved, *name.split("/")[2:])
    return _place(name, places)


def _file(host: Host, way: Listed | Own, scope: Scope, places: Places, env: Mapping[str, str]) -> str:
    name = way.user if scope == "user" else way.project
    moves = host.wiring.moved_by if host.wiring and scope == "user" else ""
    moved = env.get(moves, "") if moves else ""
    if name and moved:
        return os.path.join(moved, *name.split("/")[2:])
    return _place(name, places) if name else ""


def carry_out(plan: Plan, places: Places, command: str) -> None:
    """Remember what the file was, then write it; the caller holds the lock."""
    if plan.problem or plan.after is None:
        return
    notes.sweep(plan.path)
    if not plan.changes:
        return
    notes.remember(places.state, _noted(plan, plan.after, places, command))
    notes.write(plan.path, plan.after, mode=plan.mode)


def _noted(plan: Plan, after: bytes, places: Places, command: str) -> Wired:
    """What is to be remembered: of a file that only we changed since, also what it was at first."""
    known = next((one for one in notes.remembered(places.state) if _about(one, plan)), None)
    root = places.root if plan.scope == "project" else ""
    fresh = Wired(
        path=plan.path,
        host=plan.host,
        scope=plan.scope,
        root=root,
        before=plan.before,
        after=(notes.digest(after),),
        made=notes.make_folders(plan.path),
        command=command,
        keys=plan.keys,
    )
    if known is None:
        return replace(fresh, before=_unmade(fresh))
    fresh = replace(
        fresh,
        made=tuple(dict.fromkeys((*known.made, *fresh.made))),
        keys=tuple(dict.fromkeys((*known.keys, *fresh.keys))),
    )
    if plan.before is not None and notes.digest(plan.before) in known.after:
        return replace(fresh, before=known.before, after=(*known.after, *fresh.after))
    if plan.before == known.before:  # whoever noted that was ended before it was written
        return replace(fresh, before=_unmade(fresh))
    return replace(fresh, before=_cleaned(replace(fresh, keys=known.keys)))


def _about(one: Wired, plan: Plan) -> bool:
    return (one.path, one.host) == (plan.path, plan.host)


def _unmade(one: Wired) -> bytes | None:
    """What a file was that no note is about: to the byte, unless the whole of it is ours.

    Who wrote an entry in it is not known; it may be its user's own, however much it looks like ours.
    """
    target = target_of(one)
    if one.before is None or target is None or isinstance(target.way, Listed):
        return one.before
    text = one.before.decode(errors="replace")
    forms = (snippet(replace(target, shared=shared), PROGRAM) for shared in (False, True))
    return None if any(as_written(text, form) for form in forms) else one.before


def _cleaned(one: Wired) -> bytes | None:
    """What the file is without what we noted to have put there."""
    target = target_of(one)
    if one.before is None or target is None or isinstance(target.way, Own):
        return _unmade(one)
    text = one.before.decode()
    inside = held(text, target.way, one.host)
    return (unwired(text, target.way, one.host, one.keys).encode() or None) if inside else one.before


def target_of(one: Wired) -> Target | None:
    """The file that a note is about; None where the host is wired otherwise now."""
    host = hosts.load(one.host)
    way = host.wiring.way if host.wiring else None
    if way is None:
        return None
    scope = scope_of(one)
    shared = scope == "project"
    whole = Target(host=host, scope=scope, path=one.path, root=one.root, way=way, shared=shared)
    if isinstance(way, Listed):
        return whole
    base = os.path.basename(one.path)
    registered = way.registered
    if registered and base in {os.path.basename(name) for name in (registered.user, registered.project)}:
        return replace(whole, way=registered, name=way.registered_as)
    names = way.files(whole.entries("hookline"))
    name = next((name for name in names if one.path.endswith(os.sep + name)), "")
    return replace(whole, name=name) if name else None


def scope_of(one: Wired) -> Scope:
    return "user" if one.scope == "user" else "project"


def renewal(one: Wired, program: str) -> Plan | None:
    """Return the plan that updates a file wherever it lies; None where it holds no entry of ours."""
    target = target_of(one)
    if target is None or not inside(target):
        return None
    return planned(target, program)


def inside(target: Target) -> bool:
    """Whether the file holds what we put there; also where that cannot be told, so that it is said."""
    try:
        data = notes.read(target.path)
        if data is None:
            return False
        if isinstance(target.way, Own):
            return wrote(target, data)
        return bool(held(decoded(target.path, data), target.way, target.host.name))
    except (Refused, NotJson):
        return os.path.lexists(target.path)


def standing(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> tuple[str, ...]:
    """The moments at which the *host* calls us, by its file of that *scope*; none where it cannot be read."""
    path = where(host, scope, places, env)
    way = host.wiring.way if host.wiring else None
    try:
        if isinstance(way, Own):
            return tuple(host.moments) if path and os.path.isdir(path) and _has_own(path, way, host) else ()
        return moments(decoded(path, notes.read(path)), way, host.name) if path and way else ()
    except (Refused, NotJson):
        return ()


def _has_own(folder: str, way: Own, host: Host) -> bool:
    names = way.files(entries(host, "hookline"))
    return all(os.path.exists(os.path.join(folder, name)) for name in names)


def untouched(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> bool:
    """Whether the *host*'s files of that *scope* are as we made them on this machine."""
    base = where(host, scope, places, env)
    known = [one for one in notes.remembered(places.state) if one.host == host.name and one.scope == scope]
    ours = [one for one in known if one.path == base or one.path.startswith(base + os.sep)]
    return bool(ours) and all(_as_made(one) for one in ours)


def _as_made(one: Wired) -> bool:
    try:
        data = notes.read(one.path)
    except Refused:
        return False
    return data is not None and notes.digest(data) in one.after
