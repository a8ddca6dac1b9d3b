"""`python -m hookline.engine.tuner`: try other values where the code has marks, and say which."""

import argparse
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence

from pathspec import GitIgnoreSpec

from hookline.core.extras import missing
from hookline.engine.tuner.history import tried
from hookline.engine.tuner.marks import BadMark, Mark, Value, changed, marks, written
from hookline.engine.tuner.study import propose

LARGEST = 1 << 20
"""Bytes of a file that marks are looked for in."""
MARK = b"tune:"


def main(argv: Sequence[str] | None = None) -> int:
    given = _arguments(argv)
    worktree = os.path.abspath(given.worktree)
    files = _files(worktree, given.mutable, given.immutable)
    try:
        found = marks(files)
    except BadMark as error:
        return _say(str(error), 2)
    if not found:
        return _say("no value is marked in the mutable files; write `# tune: 1..100` behind one", 2)
    past = tried(given.journal, worktree, sorted({mark.path for mark in found}))
    try:
        values = propose(found, past, direction=given.direction, seed=_seed(given), turn=given.experiment)
    except ImportError:
        return _say(missing("engine", "the agent 'tuner'"), 2)
    if values is None:
        print("every combination of the marked values has been tried")
        return 0
    for path, text in changed(files, found, values).items():
        _write(os.path.join(worktree, path), text)
    print(_told(found, values))
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hookline.engine.tuner", description=__doc__)
    parser.add_argument("--worktree", default=".")
    parser.add_argument("--journal", default="", help="the journal's twin, results.jsonl")
    parser.add_argument("--direction", choices=("lower", "higher"), default="lower")
    parser.add_argument("--mutable", action="append", default=[], metavar="GLOB")
    parser.add_argument("--immutable", action="append", default=[], metavar="GLOB")
    parser.add_argument("--experiment", type=int, default=1)
    parser.add_argument("--run", default="")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(argv)


def _seed(given: argparse.Namespace) -> int:
    """Another one for every experiment, and the same one for the same."""
    return zlib.crc32(f"{given.seed}/{given.run if not given.seed else ''}/{given.experiment}".encode())


def _files(worktree: str, mutable: Sequence[str], immutable: Sequence[str]) -> dict[str, str]:
    may = GitIgnoreSpec.from_lines(mutable or ["*"])
    must_not = GitIgnoreSpec.from_lines(immutable)
    paths = [path for path in _listed(worktree) if may.match_file(path) and not must_not.match_file(path)]
    return {path: text for path in paths if (text := _marked(os.path.join(worktree, path))) is not None}


def _listed(worktree: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    ran = subprocess.run(command, cwd=worktree, capture_output=True, check=True)
    return sorted(os.fsdecode(name) for name in ran.stdout.split(b"\0") if name)


def _marked(path: str) -> str | None:
    """The text of a file that may hold marks; links lead elsewhere."""
    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
        return None
    with open(path, "rb") as file:
        data = file.read()
    return data.decode("utf-8", "surrogateescape") if MARK in data and b"\0" not in data else None


def _write(path: str, text: str) -> None:
    with open(path, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _told(found: Sequence[Mark], values: dict[str, Value]) -> str:
    """In one line, which becomes the experiment's description."""
    moved = [
        f"{mark.name} {written(mark.value)} -> {written(values[mark.name])}"
        for mark in found
        if values[mark.name] != mark.value
    ]
    return f"tune {', '.join(moved)}"


def _say(problem: str, code: int) -> int:
    print(f"tuner: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
