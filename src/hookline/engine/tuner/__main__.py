"""`python -m hookline.engine.tuner`: try other values at the marks in the code, and print them."""

import argparse
import os
import sys
import zlib
from collections.abc import Sequence

from hookline.core.install_commands import describe_missing
from hookline.engine.git.run_git import open_checkout
from hookline.engine.scope import compile_scope
from hookline.engine.target import Scope
from hookline.engine.tuner.history import read_trials
from hookline.engine.tuner.study import propose
from hookline.engine.tuner.tunable_values import (
    BadMark,
    TunableValue,
    Value,
    find_marks,
    format_value,
    replace_values,
)

MAX_BYTES = 1 << 20
"""Maximum size of a file that is searched for marks."""
MARK = b"tune:"


def main(argv: Sequence[str] | None = None) -> int:
    args = _parse_arguments(argv)
    worktree = os.path.abspath(args.worktree)
    files = _read_files(worktree, args.mutable, args.immutable)
    try:
        marks = find_marks(files)
    except BadMark as error:
        return _fail(str(error), 2)
    if not marks:
        return _fail(
            "no value is marked in the mutable files; add a comment such as `# tune: 1..100` after a value", 2
        )
    trials = read_trials(args.journal, worktree, sorted({mark.path for mark in marks}))
    try:
        values = propose(marks, trials, direction=args.direction, seed=_seed(args), turn=args.experiment)
    except ImportError:
        return _fail(describe_missing("engine", "the agent 'tuner'"), 2)
    if values is None:
        print("every combination of the marked values has been tried")
        return 0
    for path, text in replace_values(files, marks, values).items():
        _write(os.path.join(worktree, path), text)
    print(_describe_change(marks, values))
    return 0


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hookline.engine.tuner", description=__doc__)
    parser.add_argument("--worktree", default=".")
    parser.add_argument("--journal", default="", help="path of results.jsonl")
    parser.add_argument("--direction", choices=("lower", "higher"), default="lower")
    parser.add_argument("--mutable", action="append", default=[], metavar="GLOB")
    parser.add_argument("--immutable", action="append", default=[], metavar="GLOB")
    parser.add_argument("--experiment", type=int, default=1)
    parser.add_argument("--run", default="")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(argv)


def _seed(args: argparse.Namespace) -> int:
    """Return a seed that differs for every experiment, and is the same for a repetition."""
    return zlib.crc32(f"{args.seed}/{args.run if not args.seed else ''}/{args.experiment}".encode())


def _read_files(worktree: str, mutable: Sequence[str], immutable: Sequence[str]) -> dict[str, str]:
    in_scope = compile_scope(Scope(mutable=tuple(mutable) or ("*",), immutable=tuple(immutable)))
    paths = filter(in_scope, _list_files(worktree))
    return {path: text for path in paths if (text := _read_marked(os.path.join(worktree, path))) is not None}


def _list_files(worktree: str) -> list[str]:
    options = ("-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    output = open_checkout(worktree, os.environ)("ls-files", *options, tree=worktree)
    return sorted(name for name in output.split("\0") if name)


def _read_marked(path: str) -> str | None:
    """Return the text of a file that may hold marks; links are skipped."""
    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MAX_BYTES:
        return None
    with open(path, "rb") as file:
        data = file.read()
    return data.decode("utf-8", "surrogateescape") if MARK in data and b"\0" not in data else None


def _write(path: str, text: str) -> None:
    with open(path, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _describe_change(marks: Sequence[TunableValue], values: dict[str, Value]) -> str:
    """Return one line, which becomes the experiment's description."""
    changes = [
        f"{mark.name} {format_value(mark.value)} -> {format_value(values[mark.name])}"
        for mark in marks
        if values[mark.name] != mark.value
    ]
    return f"tune {', '.join(changes)}"


def _fail(problem: str, code: int) -> int:
    print(f"tuner: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
