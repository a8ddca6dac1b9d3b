"""Take out of the hosts' files what we put there: by what was noted, and by what stands in them."""

import os
from collections.abc import Iterable, Iterator, Mapping

from hookline.core.host import Host
from hookline.core.install_table import Listed, Scope
from hookline.core.values import replace
from hookline.install import settings_files as notes
from hookline.install.compare import NAME, program, texts
from hookline.install.edit_settings import held, moments, unwired
from hookline.install.install_hooks import (
    Plan,
    Target,
    check_place,
    decoded,
    inside,
    scope_of,
    snippet,
    target_of,
    targets,
    wrote,
)
from hookline.install.jsonc import NotJson, parse
from hookline.install.remove_entries import parted
from hookline.install.settings_files import Refused, Wired
from hookline.system.paths import Places


def found(
    chosen: Iterable[Host], scope: Scope, places: Places, env: Mapping[str, str], known: Iterable[Wired]
) -> Iterator[Wired]:
    """The files here that hold what we put there, and that none of the *known* notes is about."""
    known = list(known)
    noted = {(os.path.realpath(one.path), one.host) for one in known}
    for host in chosen:
        for target in targets(host, scope, places, env):
            if (os.path.realpath(target.path), host.name) not in noted and _readable_and_inside(target):
                yield _moved(target, known)


def _readable_and_inside(target: Target) -> bool:
    try:
        check_place(target)
        decoded(target.path, notes.read(target.path))
    except Refused:
        return False
    return inside(target)


def _moved(target: Target, known: Iterable[Wired]) -> Wired:
    """With what is remembered of it from another place, if it was there before its project was moved."""
    root = target.root if target.scope == "project" else ""
    bare = Wired(
        path=target.path, host=target.host.name, scope=target.scope, root=root, before=None, after=()
    )
    here = os.path.relpath(target.path, target.root)
    same = [
        one
        for one in known
        if (one.host, one.scope) == (bare.host, "project") == (bare.host, bare.scope)
        and not os.path.isdir(one.root)
        and os.path.relpath(one.path, one.root) == here
    ]
    if len(same) != 1:
        return bare
    made = tuple(os.path.join(root, os.path.relpath(folder, same[0].root)) for folder in same[0].made)
    return replace(same[0], path=bare.path, root=root, made=made, moved_from=same[0].path)


def takings(known: Iterable[Wired]) -> Iterator[tuple[Wired, Plan]]:
    """What taking us out of each of these files makes of it."""
    for one in known:
        yield one, _taken(one)


def _taken(one: Wired) -> Plan:
    plan = Plan(host=one.host, scope=scope_of(one), path=one.path, before=None, after=None)
    target = target_of(one)
    try:
        if one.scope == "project":
            notes.check_inside(one.path, one.root)
        data = notes.read(one.path)
        plan = replace(plan, before=data, after=data)
        plan = _out(one, plan, data, target) if data is not None else replace(plan, said=("it is gone",))
        if plan.changes:
            notes.check_writable(one.path)
    except Refused as error:
        return replace(plan, after=plan.before, problem=str(error))
    except NotJson as error:
        return replace(plan, after=plan.before, problem=f"{one.path}: {error}; take the entries out yourself")
    return plan


def _out(one: Wired, plan: Plan, data: bytes, target: Target | None) -> Plan:
    if notes.digest(data) in one.after and not _ours_again(one, target):
        return replace(plan, after=one.before, said=_still(one, target))
    if target is not None and isinstance(target.way, Listed):
        return _unwired(_supposed(one, data, target), plan, target.way)
    if target is not None and wrote(target, data):
        return replace(plan, after=None)
    if b"hookline" not in data:
        return replace(plan, said=("it is none of ours any more, and stays",))
    raise Refused(f"{one.path} was changed since it was written, and stays: take us out of it yourself")


def _ours_again(one: Wired, target: Target | None) -> bool:
    """Whether what was there before was itself one of ours, which somebody had changed."""
    return one.before is not None and target is not None and wrote(target, one.before)


def _still(one: Wired, target: Target | None) -> tuple[str, ...]:
    """What was there before us may call us too: whose entry that is, is not ours to say."""
    way = target.way if target is not None else None
    text = (one.before or b"").decode(errors="replace")
    names = ", ".join(moments(text, way, one.host)) if isinstance(way, Listed) else ""
    return (f"as it was before `hookline init` it calls us already at {names}",) if names else ()


def _supposed(one: Wired, data: bytes, target: Target) -> Wired:
    """Where nothing was noted: what is empty without our entries was made for them."""
    if one.after or not isinstance(target.way, Listed):
        return one
    text, under = decoded(one.path, data), target.way.under
    lists = tuple((*under, moment) for moment in held(text, target.way, one.host))
    tables = tuple(under[: depth + 1] for depth in range(len(under)))
    whole = ((), *((key,) for key in target.way.start)) if _as_init_writes(target, text) else ()
    return replace(one, keys=(*whole, *tables, *lists))


def _as_init_writes(target: Target, text: str) -> bool:
    """Whether it is, to the letter, what a file gets that is not there yet, with whatever program."""
    whole = parse(parted(text)[1], comments=True).value
    found = {program(line, target.host.name) for line, _ in texts(whole, target.host.name)}
    forms = (target, replace(target, shared=not target.shared))
    return any(snippet(form, one) == text for form in forms for one in (NAME, *found) if one)


def _unwired(one: Wired, plan: Plan, way: Listed) -> Plan:
    before = (one.before or b"").decode(errors="replace")
    after = unwired(decoded(one.path, plan.before), way, one.host, one.keys, before)
    names = ", ".join(moments(after, way, one.host))
    said = (f"an entry of your own still calls us at {names}, and stays",) if names else ()
    return replace(plan, after=after.encode() or one.before, said=said)


def take_all_out(planned: Iterable[tuple[Wired, Plan]], places: Places) -> None:
    """Put all of these files back; the caller holds the lock."""
    planned = list(planned)
    for one, plan in planned:
        take_out(one, plan, places)
    shared = {folder for one, plan in planned if not plan.problem for folder in one.made}
    notes.drop_folders(tuple(sorted(shared, key=len)))


def take_out(one: Wired, plan: Plan, places: Places) -> None:
    """Put the file back, and forget it; the caller holds the lock."""
    if plan.problem:
        return
    notes.sweep(plan.path)
    if plan.changes and plan.after is None:
        os.unlink(os.path.realpath(plan.path))
    elif plan.changes and plan.after is not None:
        notes.write(plan.path, plan.after)
    notes.drop_folders(one.made)
    notes.forget(places.state, one)
    _hand_on([folder for folder in one.made if os.path.isdir(folder)], places)


def _hand_on(folders: list[str], places: Places) -> None:
    """What was made for one file, and has others of ours in it, goes with the last of those."""
    for one in notes.remembered(places.state) if folders else ():
        more = [folder for folder in folders if os.path.realpath(one.path).startswith(folder + os.sep)]
        if more:
            notes.remember(places.state, replace(one, made=tuple(dict.fromkeys((*more, *one.made)))))
