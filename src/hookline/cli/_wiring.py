"""Show what wiring changes, and ask before it does."""

import difflib
import os

from hookline.cli._person import agrees
from hookline.cli._show import lines, visible
from hookline.host import Host
from hookline.installing import Plan
from hookline.redact import redact
from hookline.system.places import Places


def shown(plan: Plan, places: Places) -> str:
    """The change as a person reads it; nothing of what else the file holds is a secret's way out."""
    if plan.problem:
        return f"{plan.host}: {visible(plan.problem)}"
    name = visible(short(plan.path, places))
    if not plan.changes:
        return f"{plan.host}: {name} is as it should be"
    before, after = (redact((data or b"").decode(errors="replace")) for data in (plan.before, plan.after))
    diff = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        "/dev/null" if plan.before is None else name,
        "/dev/null" if plan.after is None else name,
        lineterm="",
        n=1,
    )
    return f"{plan.host}:\n{lines(os.linesep.join(diff))}"


def short(path: str, places: Places) -> str:
    """As a person would write it."""
    if path.startswith(places.root + os.sep):
        return os.path.relpath(path, places.root)
    return path.replace(places.home, "~", 1) if path.startswith(places.home + os.sep) else path


def agreed(question: str, *, yes: bool) -> bool:
    """Whether a person agreed, beforehand or now; where nobody can be asked, that is said."""
    if yes:
        return True
    if not os.isatty(0):
        raise PermissionError("nobody can be asked here; say --yes, or --dry-run to only look")
    return agrees(question)


def said(host: Host, *, changed: bool, dry: bool) -> str:
    """What became of it, and what a person still has to do."""
    state = ("would be wired" if dry else "is wired now") if changed else "was wired already"
    needs = host.wiring.needs if host.wiring else ()
    return "\n".join((f"{host.name} {state}", *(f"  still needed: {need}" for need in needs)))
