"""Show the known errors and their fixes, record what helps against one, and export them."""

import os
import time
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from msgspec import to_builtins

from hookline.cli import _require_person
from hookline.cli._command import Command, parse_positive_int
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
        print("no error is known here yet")
        return 0
    rows = [
        (
            signature.key,
            str(signature.seen),
            f"{_confidence(signature):.2f}",
            _format_age(signature.last),
            signature.text,
            signature.fix,
        )
        for signature in signatures
    ]
    print_table(("error", "seen", "confidence", "last", "says", "fix"), rows)
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
        ("says", signature.text),
        ("sort", classify(signature.text)),
        ("command", signature.command or "not known"),
        (
            "seen",
            f"{times}, first {_format_age(signature.first)} ago, last {_format_age(signature.last)} ago",
        ),
        ("confidence", f"{_confidence(signature):.2f}"),
        ("fix", signature.fix or "not known; `hookline errors resolve KEY --fix COMMAND` tells one"),
        ("of", signature.project),
    ]
    print("\n".join(align(rows)))
    return 0


def resolve(args: Namespace) -> int:
    _require_person.refuse_agent("to tell what helps against an error", os.environ)
    with _open_store() as (store, project):
        signature, now = _find_signature(store, project, args.key), time.time()
        if args.fix:
            store.record_fix(signature.key, normalize_command(args.fix), project=signature.project)
            store.adjust_confidence(signature.key, 1.0, at=now, project=signature.project)
        else:
            store.adjust_confidence(signature.key, -1.0, at=now, project=signature.project)
    outcome = (
        f"its fix is `{sanitize(normalize_command(args.fix))}` from now on"
        if args.fix
        else "nobody is warned of it any more"
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
        raise LookupError(
            f"several errors begin with {key!r}: {', '.join(signature.key for signature in exact[:5])}"
        )
    if not exact:
        raise LookupError(f"no error is called {key!r}; `hookline errors list` shows them")
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


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    subparser = _add_subcommand(
        subparsers, "list", "List the errors that are known, the latest first.", list_errors
    )
    _add_all_option(subparser)
    subparser.add_argument("--fixed", action="store_true", help="only those that a fix is known of")
    subparser.add_argument(
        "-n",
        dest="last",
        type=parse_positive_int,
        default=50,
        metavar="N",
        help="only the latest N; 50 without it",
    )
    subparser.add_argument("--json", action="store_true", help="a JSON object a line, with everything")
    subparser = _add_subcommand(subparsers, "show", "Show all that is known of an error.", show)
    _add_key_argument(subparser)
    subparser.add_argument("--json", action="store_true", help="one JSON object, with everything")
    subparser = _add_subcommand(
        subparsers, "resolve", "Tell what helps against an error, or that it is over.", resolve
    )
    _add_key_argument(subparser)
    subparser.add_argument(
        "--fix", default="", metavar="COMMAND", help="what helps; without it, nobody is warned any more"
    )
    _add_all_option(
        _add_subcommand(subparsers, "export", "Write every known error as a JSON object a line.", export)
    )


def _add_subcommand(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, about: str, function: Any
) -> ArgumentParser:
    parser = subparsers.add_parser(name, help=about, description=about)
    parser.set_defaults(carry_out=function)
    return parser


def _add_key_argument(parser: ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="the error, or how its name begins")


def _add_all_option(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="of every repository, not only of this one")


COMMAND = Command(
    about="Read what is known of errors and their fixes, and tell what helps.",
    examples="""
hookline errors list                                   the errors of this repository, the latest first
hookline errors show pytest#3d37                       all that is known of one
hookline errors resolve pytest#3d37 --fix "uv sync"    what helps: agents are told before they run it again
hookline errors resolve pytest#3d37                    it is over: nobody is warned of it any more
hookline errors export --all > errors.jsonl            every one, a JSON object a line

A team that uses the same PostgreSQL store shares them, by repository.
""",
    run=run,
    arguments=arguments,
    exits="0; 1 when the store cannot be used; 2 when there is no such error, or it was called wrongly",
)
