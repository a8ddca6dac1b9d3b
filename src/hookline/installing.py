"""Wire hosts to call us, and take that out again: which files, and what becomes of them."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hookline import hosts
from hookline.host import Host
from hookline.jsonc import NotJson
from hookline.rewiring import moments, unwired, wired
from hookline.system import wired as notes
from hookline.system.places import Places
from hookline.system.wired import Refused, Wired
from hookline.wiring import Entry, Listed, Own, Scope

ROOM = 5.0
"""Seconds that a host is to wait beyond the time in which we answer."""
EXECUTABLE = 0o777


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
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

    @property
    def changes(self) -> bool:
        return not self.problem and self.before != self.after


def present(env: Mapping[str, str], places: Places) -> list[Host]:
    """The hosts that are in use here: by their program, or by a folder of theirs."""
    return [host for host in map(hosts.load, hosts.names()) if host.wiring and _used(host, env, places)]


def _used(host: Host, env: Mapping[str, str], places: Places) -> bool:
    from shutil import which  # noqa: PLC0415 -- only for those who install

    if host.program and which(host.program, path=env.get("PATH", "")):
        return True
    return any(os.path.isdir(_place(folder, places)) for folder in host.folders)


def _place(name: str, places: Places) -> str:
    return name.replace("~", places.home, 1) if name.startswith("~") else os.path.join(places.root, name)


def entries(host: Host, program: str) -> tuple[Entry, ...]:
    """What is to be wired: every moment of the host's table."""
    return tuple(
        Entry(moment=name, command=f"{program} hook {host.name}", seconds=(row.within or host.within) + ROOM)
        for name, row in host.moments.items()
    )


def plans(host: Host, scope: Scope, places: Places, env: Mapping[str, str], program: str) -> Iterator[Plan]:
    """What wiring the *host* changes; one plan a file."""
    if host.wiring is None:
        return
    way = host.wiring.way
    base = where(host, scope, places, env)
    if not base:
        other = "--user" if scope == "project" else "no --user"
        yield Plan(
            host=host.name,
            scope=scope,
            path="",
            before=None,
            after=None,
            problem=f"{host.name} is wired by {other} only",
        )
    elif isinstance(way, Listed):
        yield _listed(host, scope, base, way, entries(host, program))
    else:
        for name, text in way.files(entries(host, program)).items():
            yield _own(host, scope, os.path.join(base, name), way, text.encode())
        if way.registered is not None:
            one = Entry(moment=way.registered_as, command=f"{program} hook {host.name}", seconds=0)
            yield _listed(
                host, scope, _file(host, way.registered, scope, places, env), way.registered, (one,)
            )


def snippets(
    host: Host, scope: Scope, places: Places, env: Mapping[str, str], program: str
) -> Mapping[str, str]:
    """What the files would hold if nothing else were in them, by path."""
    base = where(host, scope, places, env)
    if host.wiring is None or not base:
        return {}
    way, wanted = host.wiring.way, entries(host, program)
    if isinstance(way, Listed):
        return {base: wired("", way, wanted, host.name)}
    return {os.path.join(base, name): text for name, text in way.files(wanted).items()}


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


def _listed(host: Host, scope: Scope, path: str, way: Listed, wanted: tuple[Entry, ...]) -> Plan:
    before: bytes | None = None
    try:
        before = notes.read(path)
        after = wired(_text(path, before), way, wanted, host.name).encode()
        if after != before:
            notes.check_writable(path)
    except Refused as error:
        return _refused(host, scope, path, before, str(error))
    except NotJson as error:
        said = f"{path}: {error}; it was left as it is: mend it, or use --print and wire it yourself"
        return _refused(host, scope, path, before, said)
    return Plan(host=host.name, scope=scope, path=path, before=before, after=after)


def _refused(host: Host, scope: Scope, path: str, before: bytes | None, problem: str) -> Plan:
    return Plan(host=host.name, scope=scope, path=path, before=before, after=before, problem=problem)


def _text(path: str, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is no UTF-8 text (byte {error.start}); it was left as it is") from None


def _own(host: Host, scope: Scope, path: str, way: Own, after: bytes) -> Plan:
    try:
        before = notes.read(path)
        if before != after:
            notes.check_writable(path)
    except Refused as error:
        return _refused(host, scope, path, None, str(error))
    if before not in (None, after) and b"hookline" not in before:
        return _refused(
            host, scope, path, before, f"{path} is there already and not ours; it was left as it is"
        )
    mode = EXECUTABLE if way.executable else None
    return Plan(host=host.name, scope=scope, path=path, before=before, after=after, mode=mode)


def carry_out(plan: Plan, places: Places, command: str) -> None:
    """Remember what the file was, then write it; the caller holds the lock."""
    if plan.after is None or not plan.changes:
        return
    known = {(one.path, one.host): one for one in notes.remembered(places.state)}.get((plan.path, plan.host))
    untouched = known is not None and plan.before is not None and notes.digest(plan.before) in known.after
    made = notes.make_folders(plan.path)
    note = Wired(
        path=plan.path,
        host=plan.host,
        scope=plan.scope,
        root=places.root if plan.scope == "project" else "",
        before=known.before if known is not None and untouched else _cleaned(plan),
        after=(*(known.after if known is not None and untouched else ()), notes.digest(plan.after)),
        made=known.made if known is not None else made,
        command=command,
    )
    notes.remember(places.state, note)
    notes.write(plan.path, plan.after, mode=plan.mode)


def _cleaned(plan: Plan) -> bytes | None:
    """What the file is without us: what it was, unless we were in it already."""
    way = _way(plan.host, plan.path)
    if plan.before is None or not isinstance(way, Listed):
        return None
    text = plan.before.decode()
    return unwired(text, way, plan.host).encode() if moments(text, way, plan.host) else plan.before


def _way(host: str, path: str) -> Listed | Own | None:
    """How the file at *path* is wired: that in which a folder of ours is registered is a list."""
    wiring = hosts.load(host).wiring
    if wiring is None or isinstance(wiring.way, Listed) or wiring.way.registered is None:
        return wiring.way if wiring else None
    registered = wiring.way.registered
    names = {os.path.basename(name) for name in (registered.user, registered.project)}
    return registered if os.path.basename(path) in names else wiring.way


def takings(known: Iterable[Wired]) -> Iterator[tuple[Wired, Plan]]:
    """What taking us out of each of these files makes of it."""
    for one in known:
        yield one, _taken(one)


def scope_of(one: Wired) -> Scope:
    return "user" if one.scope == "user" else "project"


def _taken(one: Wired) -> Plan:
    scope = scope_of(one)
    host, way = hosts.load(one.host), _way(one.host, one.path)
    before: bytes | None = None
    try:
        before = notes.read(one.path)
        if before is not None and notes.digest(before) in one.after:
            after = one.before
        elif before is None or not isinstance(way, Listed):
            after = before
        else:
            after = unwired(_text(one.path, before), way, one.host).encode()
        if after != before:
            notes.check_writable(one.path)
    except Refused as error:
        return _refused(host, scope, one.path, before, str(error))
    except NotJson as error:
        return _refused(host, scope, one.path, before, f"{one.path}: {error}; take the entries out yourself")
    return Plan(host=one.host, scope=scope, path=one.path, before=before, after=after)


def take_out(one: Wired, plan: Plan, places: Places) -> None:
    """Put the file back, and forget it; the caller holds the lock."""
    if plan.problem:
        return
    if plan.changes and plan.after is None:
        os.unlink(os.path.realpath(plan.path))
    elif plan.changes and plan.after is not None:
        notes.write(plan.path, plan.after)
    notes.drop_folders(one.made)
    notes.forget(places.state, one)


def standing(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> tuple[str, ...]:
    """The moments at which the *host* calls us, by its file of that *scope*; none where it cannot be read."""
    path = where(host, scope, places, env)
    way = _way(host.name, path)
    try:
        if isinstance(way, Own):
            return tuple(host.moments) if path and os.path.isdir(path) and _has_own(path, way, host) else ()
        return moments(_text(path, notes.read(path)), way, host.name) if path and way else ()
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
