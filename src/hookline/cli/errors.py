"""Read what is known of errors and their fixes, tell what helps, and take it elsewhere."""

import os
import time
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from msgspec import to_builtins

from hookline.cli import _require_person
from hookline.cli._command import Command, positive
from hookline.cli._output import aligned, dump, table, visible
from hookline.core.error_signature import sort, squeezed
from hookline.core.records import Signature
from hookline.core.store import Store
from hookline.runtime import open_store
from hookline.runtime.setup import load
from hookline.system.git_facts import origin

EVERY = 1_000_000
UNITS = {"d": 86_400, "h": 3600, "m": 60}


def listed(args: Namespace) -> int:
    with _opened() as (store, project):
        found = store.signatures(project=None if args.all else project, limit=args.last, fixed=args.fixed)
    if args.json:
        for one in found:
            dump(_told(one))
        return 0
    if not found:
        print("no error is known here yet")
        return 0
    rows = [
        (one.key, str(one.seen), f"{_believed(one):.2f}", _ago(one.last), one.text, one.fix) for one in found
    ]
    table(("error", "seen", "confidence", "last", "says", "fix"), rows)
    return 0


def show(args: Namespace) -> int:
    with _opened() as (store, project):
        one = _chosen(store, project, args.key)
    if args.json:
        dump(_told(one))
        return 0
    times = "once" if one.seen == 1 else f"{one.seen} times"
    rows = [
        ("error", one.key),
        ("says", one.text),
        ("sort", sort(one.text)),
        ("command", one.command or "not known"),
        ("seen", f"{times}, first {_ago(one.first)} ago, last {_ago(one.last)} ago"),
        ("confidence", f"{_believed(one):.2f}"),
        ("fix", one.fix or "not known; `hookline errors resolve KEY --fix COMMAND` tells one"),
        ("of", one.project),
    ]
    print("\n".join(aligned(rows)))
    return 0


def resolve(args: Namespace) -> int:
    _require_person.not_an_agent("to tell what helps against an error", os.environ)
    with _opened() as (store, project):
        one, now = _chosen(store, project, args.key), time.time()
        if args.fix:
            store.fix(one.key, squeezed(args.fix), project=one.project)
            store.weigh(one.key, 1.0, at=now, project=one.project)
        else:
            store.weigh(one.key, -1.0, at=now, project=one.project)
    told = (
        f"its fix is `{visible(squeezed(args.fix))}` from now on"
        if args.fix
        else "nobody is warned of it any more"
    )
    print(f"{visible(one.key)}: {told}")
    return 0


def export(args: Namespace) -> int:
    with _opened() as (store, project):
        for one in store.signatures(project=None if args.all else project, limit=EVERY):
            dump(_told(one))
    return 0


@contextmanager
def _opened() -> Iterator[tuple[Store, str]]:
    setup = load(dict(os.environ), os.getcwd())
    setup.kept.close()
    with closing(open_store.open_store(setup)) as store:
        yield store, origin(setup.places.root)


def _chosen(store: Store, project: str, key: str) -> Signature:
    """The error that is called so, or begins so; of this repository before any other."""
    every: Sequence[Signature] = store.signatures(limit=EVERY)
    fitting = [one for one in every if one.key.startswith(key)]
    near = [one for one in fitting if one.project == project] or fitting
    exact = [one for one in near if one.key == key] or near
    if len(exact) > 1:
        raise LookupError(f"several errors begin with {key!r}: {', '.join(one.key for one in exact[:5])}")
    if not exact:
        raise LookupError(f"no error is called {key!r}; `hookline errors list` shows them")
    return exact[0]


def _believed(one: Signature) -> float:
    return one.believed(time.time())


def _told(one: Signature) -> dict[str, Any]:
    known = {name: value for name, value in to_builtins(one).items() if name != "weight"}
    return {**known, "confidence": round(_believed(one), 3), "sort": sort(one.text)}


def _ago(at: float) -> str:
    seconds = max(int(time.time() - at), 0)
    unit = next((unit for unit in UNITS if seconds >= UNITS[unit]), "m")
    return f"{seconds // UNITS[unit]}{unit}"


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    one = _verb(verbs, "list", "List the errors that are known, the latest first.", listed)
    _all(one)
    one.add_argument("--fixed", action="store_true", help="only those that a fix is known of")
    one.add_argument(
        "-n", dest="last", type=positive, default=50, metavar="N", help="only the latest N; 50 without it"
    )
    one.add_argument("--json", action="store_true", help="a JSON object a line, with everything")
    one = _verb(verbs, "show", "Show all that is known of an error.", show)
    _key(one)
    one.add_argument("--json", action="store_true", help="one JSON object, with everything")
    one = _verb(verbs, "resolve", "Tell what helps against an error, or that it is over.", resolve)
    _key(one)
    one.add_argument(
        "--fix", default="", metavar="COMMAND", help="what helps; without it, nobody is warned any more"
    )
    _all(_verb(verbs, "export", "Write every known error as a JSON object a line.", export))


def _verb(verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str, work: Any) -> ArgumentParser:
    one = verbs.add_parser(name, help=about, description=about)
    one.set_defaults(carry_out=work)
    return one


def _key(parser: ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="the error, or how its name begins")


def _all(parser: ArgumentParser) -> None:
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
