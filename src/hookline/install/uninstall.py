"""Removal of hookline's entries from hosts' files, based on the records and on the files' content."""

import os
from collections.abc import Iterable, Iterator, Mapping

from hookline.core.host import Host
from hookline.core.install_table import Scope, SettingsFile
from hookline.core.values import replace
from hookline.install import settings_files
from hookline.install.compare import NAME, find_commands, parse_program
from hookline.install.edit_settings import calling_moments, installed_moments, remove_entries, split_bom
from hookline.install.install_hooks import (
    Plan,
    Target,
    build_snippet,
    check_location,
    decode_text,
    find_target,
    find_targets,
    holds_entries,
    is_own_file,
    record_scope,
)
from hookline.install.jsonc import NotJson, parse
from hookline.install.settings_files import InstallRecord, Refused
from hookline.system.paths import Places


def find_unrecorded(
    chosen_hosts: Iterable[Host],
    scope: Scope,
    places: Places,
    env: Mapping[str, str],
    records: Iterable[InstallRecord],
) -> Iterator[InstallRecord]:
    """Yield records for files that hold hookline's entries and are in none of the *records*."""
    records = list(records)
    recorded = {(os.path.realpath(record.path), record.host) for record in records}
    for host in chosen_hosts:
        for target in find_targets(host, scope, places, env):
            if (os.path.realpath(target.path), host.name) not in recorded and _is_installed(target):
                yield _match_moved(target, records)


def _is_installed(target: Target) -> bool:
    try:
        check_location(target)
        decode_text(target.path, settings_files.read(target.path))
    except Refused:
        return False
    return holds_entries(target)


def _match_moved(target: Target, records: Iterable[InstallRecord]) -> InstallRecord:
    """Return a record with the content of the old one, if the project was moved from another folder."""
    root = "" if target.scope == "user" else target.root
    new_record = InstallRecord(
        path=target.path, host=target.host.name, scope=target.scope, root=root, before=None, after=()
    )
    relative_path = os.path.relpath(target.path, target.root)
    matches = [
        record
        for record in records
        if (record.host, record.scope) == (new_record.host, new_record.scope)
        and record.scope != "user"
        and not os.path.isdir(record.root)
        and os.path.relpath(record.path, record.root) == relative_path
    ]
    if len(matches) != 1:
        return new_record
    made = tuple(os.path.join(root, os.path.relpath(folder, matches[0].root)) for folder in matches[0].made)
    return replace(matches[0], path=new_record.path, root=root, made=made, moved_from=matches[0].path)


def plan_removals(records: Iterable[InstallRecord]) -> Iterator[tuple[InstallRecord, Plan]]:
    """Yield each of the *records* with the plan that removes hookline from its file."""
    for record in records:
        yield record, _plan_removal(record)


def _plan_removal(record: InstallRecord) -> Plan:
    plan = Plan(host=record.host, scope=record_scope(record), path=record.path, before=None, after=None)
    target = find_target(record)
    try:
        if record.scope != "user":
            settings_files.check_inside(record.path, record.root)
        data = settings_files.read(record.path)
        plan = replace(plan, before=data, after=data)
        plan = (
            _plan_content(record, plan, data, target)
            if data is not None
            else replace(plan, messages=("it no longer exists",))
        )
        if plan.changes:
            settings_files.check_writable(record.path)
    except Refused as error:
        return replace(plan, after=plan.before, problem=str(error))
    except NotJson as error:
        return replace(
            plan, after=plan.before, problem=f"{record.path}: {error}; remove the entries yourself"
        )
    return plan


def _plan_content(record: InstallRecord, plan: Plan, data: bytes, target: Target | None) -> Plan:
    if settings_files.digest(data) in record.after and not _restores_own_file(record, target):
        return replace(plan, after=record.before, messages=_remaining_calls(record, target))
    if target is not None and isinstance(target.layout, SettingsFile):
        return _plan_settings_file(_infer_keys(record, data, target), plan, target.layout)
    if target is not None and is_own_file(target, data):
        return replace(plan, after=None)
    if b"hookline" not in data:
        return replace(plan, messages=("it no longer belongs to hookline and was kept",))
    raise Refused(f"{record.path} was changed by others and was kept: remove hookline from it yourself")


def _restores_own_file(record: InstallRecord, target: Target | None) -> bool:
    """Return whether the former content was itself a file of hookline's, which the user had changed."""
    return record.before is not None and target is not None and is_own_file(target, record.before)


def _remaining_calls(record: InstallRecord, target: Target | None) -> tuple[str, ...]:
    """Return a message if the former content calls hookline too; such an entry may be the user's."""
    layout = target.layout if target is not None else None
    text = (record.before or b"").decode(errors="replace")
    names = ", ".join(calling_moments(text, layout, record.host)) if isinstance(layout, SettingsFile) else ""
    return (f"before `hookline init` it already called hookline at {names}",) if names else ()


def _infer_keys(record: InstallRecord, data: bytes, target: Target) -> InstallRecord:
    """Return *record* with inferred keys if none were recorded: those that are empty without the entries."""
    if record.after or not isinstance(target.layout, SettingsFile):
        return record
    text, under = decode_text(record.path, data), target.layout.table_path
    lists = tuple((*under, moment) for moment in installed_moments(text, target.layout, record.host))
    tables = tuple(under[: depth + 1] for depth in range(len(under)))
    whole = ((), *((key,) for key in target.layout.initial_content)) if _is_new_file(target, text) else ()
    return replace(record, keys=(*whole, *tables, *lists))


def _is_new_file(target: Target, text: str) -> bool:
    """Return whether *text* is exactly the content that init writes to a new file, with any program."""
    document = parse(split_bom(text)[1], comments=True).value
    programs = {
        parse_program(line, target.host.name) for line, _ in find_commands(document, target.host.name)
    }
    forms = (target, replace(target, shared=not target.shared))
    return any(
        build_snippet(form, program) == text for form in forms for program in (NAME, *programs) if program
    )


def _plan_settings_file(record: InstallRecord, plan: Plan, layout: SettingsFile) -> Plan:
    original = (record.before or b"").decode(errors="replace")
    after = remove_entries(decode_text(record.path, plan.before), layout, record.host, record.keys, original)
    names = ", ".join(calling_moments(after, layout, record.host))
    messages = (f"an entry of yours still calls hookline at {names} and was kept",) if names else ()
    return replace(plan, after=after.encode() or record.before, messages=messages)


def apply_removals(removals: Iterable[tuple[InstallRecord, Plan]], places: Places) -> None:
    """Restore all of these files; the caller holds the lock."""
    removals = list(removals)
    for record, plan in removals:
        apply_removal(record, plan, places)
    folders = {folder for record, plan in removals if not plan.problem for folder in record.made}
    settings_files.remove_folders(tuple(sorted(folders, key=len)))


def apply_removal(record: InstallRecord, plan: Plan, places: Places) -> None:
    """Restore the file and delete its record; the caller holds the lock."""
    if plan.problem:
        return
    settings_files.remove_leftovers(plan.path)
    if plan.changes and plan.after is None:
        os.unlink(os.path.realpath(plan.path))
    elif plan.changes and plan.after is not None:
        settings_files.write(plan.path, plan.after)
    settings_files.remove_folders(record.made)
    settings_files.delete_record(places.state, record)
    _pass_on_folders([folder for folder in record.made if os.path.isdir(folder)], places)


def _pass_on_folders(folders: list[str], places: Places) -> None:
    """Add folders that still hold other installed files to the records of those files."""
    for record in settings_files.load_records(places.state) if folders else ():
        parents = [folder for folder in folders if os.path.realpath(record.path).startswith(folder + os.sep)]
        if parents:
            settings_files.save_record(
                places.state, replace(record, made=tuple(dict.fromkeys((*parents, *record.made))))
            )
