"""Cost of judging hostile command lines in all guards: `python bench/adversarial.py [--scale N]`.

Reading a line of any content takes bounded time: its work is counted, and too much of it becomes a problem.
The cost of the guards is counted in function calls, which do not depend on the load of the machine; the times
are ratios within one run.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from typing import Any

from hookline import State
from hookline.cli._bench.bars import Figure, at_most
from hookline.core.state import Facts
from hookline.hooks.dangerous_command import dangerous_command
from hookline.hooks.privacy_block import privacy_block
from hookline.hooks.scout_block import scout_block
from hookline.hooks.self_protect import self_protect
from hookline.shell import _read, read
from hookline.testing import pre_tool_use

SIZE = 1_000_000
"""Characters of the large lines; the small ones have a tenth."""
FLOOR = 0.01
"""Seconds that are added to each time, so that the clock's resolution does not count."""
MAX_GROWTH = 15.0
"""Limit of the time of ten times the line; with quadratic work it would be a hundred."""
MAX_TO_REFERENCE = 12.0
"""Limit of the time of the slowest line, relative to a line of 500 simple commands."""
MAX_CALLS = 250_000
"""Limit of the function calls in which one guard judges a line, without reading it."""
GUARDS = (dangerous_command, privacy_block, scout_block, self_protect)
STATE = State(now=0.0, facts=Facts({"root": lambda: "/home/me/project", "home": lambda: "/home/me"}))
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
    "a path": _repeat("a/", "cat "),
    "folders above": _repeat("../", "cat "),
    "a pattern of processes": _repeat("a|", "pkill -f '", "'"),
    "words of an unknown program": _repeat("'x=y z' ", "foo "),
    "globs": _repeat("*a ", "rm "),
    "refspecs": _repeat("a:b ", "git push origin "),
    "statements of SQL": _repeat("select 1; ", "psql -c '", "'"),
    "traps": _repeat("trap a EXIT;"),
    "a counted array": _repeat("b ", "a=(", "); for ((i=0;i<9;i++)); do rm ${a[$i]}; done"),
    "assignments of awk": _repeat('x="a";', "awk 'BEGIN{", "}'"),
    "code of JavaScript": _repeat("f(1);", "node -e '", "'"),
    "a makefile": _repeat("a: b\n\tc\n", "cat > Makefile <<'E'\n", "E\nmake a"),
}
"""Generators of hostile lines of a given length."""


def figures(scale: float) -> list[Figure]:
    size = max(int(SIZE * scale), 20_000)
    times = {name: (_seconds(make(size // 10)), _seconds(make(size))) for name, make in HOSTILE.items()}
    growth = max((large + FLOOR) / (small + FLOOR) for small, large in times.values())
    slowest = max(large for _, large in times.values())
    judged = {name: [_judge(guard, make(size)) for guard in GUARDS] for name, make in HOSTILE.items()}
    slowest_guard = max(seconds for rows in judged.values() for seconds, _ in rows)
    most_calls = max(calls for rows in judged.values() for _, calls in rows)
    reference = _seconds(REFERENCE) + FLOOR
    guards = f"a guard judging {size:,} characters that were read, worst of {len(HOSTILE)} hostile lines,"
    what = f"reading {size:,} characters, slowest of {len(HOSTILE)} hostile lines,"
    return [
        at_most("reading-growth", f"{what} relative to a tenth", growth, MAX_GROWTH),
        at_most(
            "reading-slowest",
            f"{what} relative to 500 simple commands",
            (slowest + FLOOR) / reference,
            MAX_TO_REFERENCE,
        ),
        at_most(
            "judging-slowest",
            f"{guards} relative to reading 500 simple commands",
            (slowest_guard + FLOOR) / reference,
            MAX_TO_REFERENCE,
        ),
        at_most("judging-calls", f"{guards} in function calls", most_calls, MAX_CALLS, "calls"),
    ]


def _judge(guard: Any, line: str) -> tuple[float, int]:
    """Return the seconds and the function calls in which *guard* judges a line that was read before."""
    event = pre_tool_use(line, cwd="/home/me/project")
    _read.cache_clear()
    read(line, cwd="/home/me/project", home="/home/me")
    start = time.process_time()
    guard.judge(event, STATE)
    seconds = time.process_time() - start
    return seconds, _count_calls(lambda: guard.judge(event, STATE))


def _count_calls(run: Callable[[], object]) -> int:
    count = 0

    def notice(frame: object, kind: str, argument: object) -> None:
        nonlocal count
        count += kind in ("call", "c_call")

    sys.setprofile(notice)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


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
            line = make(int(SIZE * args.scale))
            judged = ", ".join(
                f"{guard.name} {1000 * seconds:.0f} ms, {calls:,} calls"
                for guard in GUARDS
                for seconds, calls in [_judge(guard, line)]
            )
            print(f"{name}: {1000 * _seconds(line):.0f} ms; {judged}")
    rows = figures(args.scale)
    for figure in rows:
        print(f"{figure.id}: {figure.what}: {figure.shown} (limit {figure.bar})")
    return 0 if all(figure.met for figure in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
