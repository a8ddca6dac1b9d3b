"""List, show and export known errors, and record their fixes."""

import os
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from msgspec import to_builtins

from hookline.cli import _require_person
from hookline.cli._output import align, dump, print_table, sanitize
from hookline.core.error_signature import classify, normalize_command
from hookline.core.records import KnownError
from hookline.core.store import Store
from hookline.runtime import open_store
from hookline.runtime.setup import load_setup
from hookline.system.git_facts import find_origin

MAX_ROWS = 1_000_000
UNITS = {"d": 86_400, "h": 3600, "m": 60}


def list_errors(args: Namespace) -> int:
    with _open_store() as (store, project):
        signatures = store.signatures(
            project=None if args.all else project, limit=args.last, fixed=args.fixed
        )
    if args.json:
        for signature in signatures:
            dump(_signature_facts(signature))
        return 0
    if not signatures:
        print("no known errors in this repository")
        return 0
    rows = [
        (
            signature.key,
            str(signature.seen),
            f"{_confidence(signature):.2f}",
            f"{_format_age(signature.last)} ago",
            signature.text,
            signature.fix,
        )
        for signature in signatures
    ]
    print_table(("error", "count", "confidence", "last seen", "message", "fix"), rows)
    return 0


def show(args: Namespace) -> int:
    with _open_store() as (store, project):
        signature = _find_signature(store, project, args.key)
    if args.json:
        dump(_signature_facts(signature))
        return 0
    times = "once" if signature.seen == 1 else f"{signature.seen} times"
    rows = [
        ("error", signature.key),
        ("message", signature.text),
        ("category", classify(signature.text)),
        ("command", signature.command or "unknown"),
        (
            "seen",
            f"{times}, first {_format_age(signature.first)} ago, last {_format_age(signature.last)} ago",
        ),
        ("confidence", f"{_confidence(signature):.2f}"),
        ("fix", signature.fix or "unknown; set one with `hookline errors resolve KEY --fix COMMAND`"),
        ("repository", signature.project),
    ]
    print("\n".join(align(rows)))
    return 0


def resolve(args: Namespace) -> int:
    _require_person.refuse_agent("resolving an error", os.environ)
    with _open_store() as (store, project):
        signature, now = _find_signature(store, project, args.key), time.time()
        if args.fix:
            store.record_fix(signature.key, normalize_command(args.fix), project=signature.project)
            store.adjust_confidence(signature.key, 1.0, at=now, project=signature.project)
        else:
            store.adjust_confidence(signature.key, -1.0, at=now, project=signature.project)
    outcome = (
        f"fix set to `{sanitize(normalize_command(args.fix))}`"
        if args.fix
        else "resolved; agents are no longer warned"
    )
    print(f"{sanitize(signature.key)}: {outcome}")
    return 0


def export(args: Namespace) -> int:
    with _open_store() as (store, project):
        for signature in store.signatures(project=None if args.all else project, limit=MAX_ROWS):
            dump(_signature_facts(signature))
    return 0


@contextmanager
def _open_store() -> Iterator[tuple[Store, str]]:
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    with closing(open_store.open_store(setup)) as store:
        yield store, find_origin(setup.places.root)


def _find_signature(store: Store, project: str, key: str) -> KnownError:
    """Return the error whose key starts with *key*, preferring those of this repository."""
    signatures: Sequence[KnownError] = store.signatures(limit=MAX_ROWS)
    matches = [signature for signature in signatures if signature.key.startswith(key)]
    nearest = [signature for signature in matches if signature.project == project] or matches
    exact = [signature for signature in nearest if signature.key == key] or nearest
    if len(exact) > 1:
        raise LookupError(f"ambiguous error {key!r}: {', '.join(signature.key for signature in exact[:5])}")
    if not exact:
        raise LookupError(f"no error named {key!r} (hookline errors list)")
    return exact[0]


def _confidence(signature: KnownError) -> float:
    return signature.confidence_at(time.time())


def _signature_facts(signature: KnownError) -> dict[str, Any]:
    fields = {name: value for name, value in to_builtins(signature).items() if name != "weight"}
    return {**fields, "confidence": round(_confidence(signature), 3), "sort": classify(signature.text)}


def _format_age(at: float) -> str:
    seconds = max(int(time.time() - at), 0)
    unit = next((unit for unit in UNITS if seconds >= UNITS[unit]), "m")
    return f"{seconds // UNITS[unit]}{unit}"
