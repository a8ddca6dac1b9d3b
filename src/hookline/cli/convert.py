"""Convert hooks of one agent for another: add them to hooks.json, and report what is lost."""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from hookline import hosts
from hookline.cli._confirm_changes import confirm, format_plan, shorten_path
from hookline.cli._convert_files import ConversionContext, SourceHook, find_list_format, plan_file, read_hooks
from hookline.cli._output import dump, sanitize
from hookline.core.frozen import thaw
from hookline.core.host import Host
from hookline.core.install_table import Scope
from hookline.install import install_hooks, settings_files
from hookline.install.install_hooks import Plan
from hookline.system.paths import find_places

MAX_COMMAND = 100
"""Characters of a command that the report shows."""
HOW_TEXTS = {
    "whole": "convertible",
    "partly": "partly convertible",
    "native": "already runs there",
    "not": "not convertible",
}


def run(args: Namespace) -> int:
    context = _build_context(args)
    hooks = list(read_hooks(context))
    plan = plan_file(context, [hook.conversion for hook in hooks])
    if args.json:
        dump(_collect_facts(context, hooks, plan))
    else:
        print("\n".join(_report(context, hooks)))
        print(format_plan(plan, context.places) if _has_converted(hooks) else "no hooks to convert")
    if plan.problem:
        return 1
    if plan.changes and not args.dry_run:
        if not confirm("Write this?", yes=args.yes):
            print("nothing was changed")
            return 1
        _write(context)
    if not args.json and _has_converted(hooks):
        print("\n".join(_list_next_steps(context, plan, dry=args.dry_run)))
    return 1 if any(hook.conversion.how == "not" for hook in hooks) else 0


def _has_converted(hooks: Sequence[SourceHook]) -> bool:
    return any(hook.conversion.event for hook in hooks)


def _build_context(args: Namespace) -> ConversionContext:
    source, target = hosts.load(args.source), hosts.load(args.target)
    if source is target:
        raise LookupError(f"--from and --to name the same host, {source.name!r}")
    if target.install is None:
        raise LookupError(f"hooks cannot be installed for {target.name!r}")
    find_list_format(source)
    env = dict(os.environ)
    return ConversionContext(
        source=source,
        target=target,
        scope="user" if args.user else "project",
        payload=_choose_payload(source, args.payload),
        places=find_places(env, os.getcwd()),
        env=env,
    )


def _choose_payload(source: Host, requested: str) -> str:
    """Return the payload format that the hooks expect: that of their host, unless the user names one."""
    formats = {host.dialect.name: host.name for host in map(hosts.load, hosts.names()) if host.dialect}
    if requested and requested not in formats:
        raise LookupError(f"no payload format named {requested!r}; available: {', '.join(formats)}")
    if requested or source.dialect:
        return requested or (source.dialect.name if source.dialect else "")
    options = ", ".join(f"--payload {name} (format of {host})" for name, host in formats.items())
    raise LookupError(
        f"hooks in the payload format of {source.name} cannot be converted; "
        f"if yours use another format, name it: {options}"
    )


def _write(context: ConversionContext) -> None:
    """Plan again under the lock, because another process may have changed the file, and write it."""
    with settings_files.lock_records(context.places.state):
        plan = plan_file(context, [hook.conversion for hook in read_hooks(context)])
        if plan.after is not None and plan.changes:
            settings_files.make_folders(plan.path, private=context.scope == "user")
            settings_files.write(plan.path, plan.after)


def _report(context: ConversionContext, hooks: Sequence[SourceHook]) -> Iterator[str]:
    if not hooks:
        files = "your own files" if context.scope == "user" else "this project's files"
        yield f"{context.source.name} has no hooks in {files}"
    for hook in hooks:
        conversion = hook.conversion
        command = shorten(_format_command(conversion.written.command), MAX_COMMAND, placeholder=" …")
        place = f"{conversion.moment} {command}"
        yield f"{HOW_TEXTS[conversion.how]}: {sanitize(place)} ({sanitize(hook.file)})"
        yield from (f"  {sanitize(text)}" for text in (*conversion.why, *conversion.limits))


def _format_command(command: str | tuple[str, ...]) -> str:
    return command if isinstance(command, str) else " ".join(command)


def _list_next_steps(context: ConversionContext, plan: Plan, *, dry: bool) -> Iterator[str]:
    if plan.changes:
        yield f"{'would write' if dry else 'wrote'} {shorten_path(plan.path, context.places)}"
    if context.scope == "project":
        yield "  still needed: `hookline trust`, because project hooks run only if trusted"
    scopes: tuple[Scope, ...] = (context.scope, "user")
    if not any(
        install_hooks.active_moments(context.target, scope, context.places, context.env) for scope in scopes
    ):
        user = " --user" if context.scope == "user" else ""
        yield f"  still needed: `hookline init --host {context.target.name}{user}`"


def _collect_facts(context: ConversionContext, hooks: Sequence[SourceHook], plan: Plan) -> dict[str, Any]:
    return {
        "from": context.source.name,
        "to": context.target.name,
        "file": plan.path,
        "changes": plan.changes,
        "problem": plan.problem,
        "hooks": [_hook_facts(hook) for hook in hooks],
    }


def _hook_facts(hook: SourceHook) -> dict[str, Any]:
    conversion = hook.conversion
    return {
        "file": hook.file,
        "moment": conversion.moment,
        "command": _format_command(conversion.written.command),
        "how": conversion.how,
        "why": list(conversion.why),
        "limits": list(conversion.limits),
        "event": conversion.event,
        "entry": thaw(conversion.entry),
    }
