"""Time of reading hostile command lines, as ratios within one run: `python bench/adversarial.py [--scale N]`.

Reading a line of any content takes bounded time: its work is counted, and too much of it becomes a problem.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping

from hookline.cli._bench.bars import Figure, at_most
from hookline.shell import _read, read

SIZE = 1_000_000
"""Characters of the large lines; the small ones have a tenth."""
FLOOR = 0.01
"""Seconds that are added to each time, so that the clock's resolution does not count."""
MAX_GROWTH = 15.0
"""Limit of the time of ten times the line; with quadratic work it would be a hundred."""
MAX_TO_REFERENCE = 12.0
"""Limit of the time of the slowest line, relative to a line of 500 simple commands."""
REFERENCE = "git add src/a.py --verbose; " * 500


def _repeat(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + piece * (size // len(piece)) + after


HOSTILE: Mapping[str, Callable[[int], str]] = {
    "words": _repeat("a ", "rm -rf "),
    "commands": _repeat("true;"),
    "wrappers": _repeat("ssh h "),
    "assignments": _repeat("a=b "),
    "redirections": _repeat(">f ", "echo "),
    "parentheses": _repeat("("),
    "substitutions": _repeat("$("),
    "backticks": _repeat("`a`"),
    "braces": _repeat("{a,b}"),
    "words of braces": _repeat("{a,b}{a,b}{a,b} ", "echo "),
    "expansions": _repeat("x $y ", 'echo "', '"'),
    "escapes": _repeat("\\x", "echo "),
    "ansi quotes": _repeat("\\x41", "echo $'", "'"),
    "arithmetic": _repeat("((a) "),
    "unclosed quotes": _repeat("echo 'a\n"),
    "blank lines": _repeat("\n"),
    "a here-document": _repeat("never rm -rf /\n", "cat > f <<'E'\n", "E\n"),
    "here-documents": _repeat("cat <<A\nx\nA\n"),
    "expansions in a here-document": _repeat("a $b\n", "cat > f <<E\n", "E\n"),
    "an array": _repeat("b ", "a=(", '); rm "${a[@]}"'),
    "a loop": _repeat("b ", "for i in ", "; do rm $i; done"),
    "nested loops": lambda _: "for i in a b c d e f g h; do " * 25 + "a $i" + "; done" * 25,
    "items of xargs": _repeat("a ", "echo '", "' | xargs rm"),
    "code in eval": _repeat("a;", "eval '", "'"),
    "base64": _repeat("QUFB", "echo ", " | base64 -d | sh"),
    "a pattern of sed": _repeat("ab ", "echo '", "' | sed 's/a*b*c*d/x/g' | sh"),
    "a script of sed": _repeat("s/a/b/;", "sed '", "' f"),
    "a program of awk": _repeat("{print $1}", "awk '", "' f"),
    "functions": _repeat("f(){ a; };"),
    "a makefile": _repeat("a: b\n\tc\n", "cat > Makefile <<'E'\n", "E\nmake a"),
}
"""Generators of hostile lines of a given length."""


def figures(scale: float) -> list[Figure]:
    size = max(int(SIZE * scale), 20_000)
    times = {name: (_seconds(make(size // 10)), _seconds(make(size))) for name, make in HOSTILE.items()}
    growth = max((large + FLOOR) / (small + FLOOR) for small, large in times.values())
    slowest = max(large for _, large in times.values())
    what = f"reading {size:,} characters, slowest of {len(HOSTILE)} hostile lines,"
    return [
        at_most("reading-growth", f"{what} relative to a tenth", growth, MAX_GROWTH),
        at_most(
            "reading-slowest",
            f"{what} relative to 500 simple commands",
            (slowest + FLOOR) / (_seconds(REFERENCE) + FLOOR),
            MAX_TO_REFERENCE,
        ),
    ]


def _seconds(line: str) -> float:
    _read.cache_clear()
    start = time.process_time()
    read(line, cwd="/home/me/project", home="/home/me")
    return time.process_time() - start


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full sizes")
    parser.add_argument("--each", action="store_true", help="print the milliseconds of each line as well")
    args = parser.parse_args()
    if args.each:
        for name, make in HOSTILE.items():
            print(f"{name}: {1000 * _seconds(make(int(SIZE * args.scale))):.0f} ms")
    rows = figures(args.scale)
    for figure in rows:
        print(f"{figure.id}: {figure.what}: {figure.shown} (limit {figure.bar})")
    return 0 if all(figure.met for figure in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
