"""Test the guards: against a user's own expectations, or against a labelled file, with figures."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter, _SubParsersAction
from contextlib import ExitStack

from hookline import hosts
from hookline.cli._command import Command
from hookline.cli._dry_run import Judge
from hookline.cli._guard import cases, rows
from hookline.cli._guard.score import STRICT, score, select_guards
from hookline.cli._guard.show import case_facts, score_facts, show_cases, show_score
from hookline.cli._output import dump, sanitize
from hookline.runtime.setup import load_setup
from hookline.system.paths import FOLDER, project_root

TESTS = "guard-tests.jsonl"


def test(args: Namespace) -> int:
    root = project_root(os.path.abspath(args.cwd or os.getcwd()))
    file = args.file or os.path.relpath(os.path.join(root, FOLDER, TESTS))
    expected = cases.read(file)
    with ExitStack() as stack:
        judges = dict[str, Judge]()
        for name in dict.fromkeys(case.host for case in expected):
            judges[name] = Judge(hosts.load(name), root)
            stack.callback(judges[name].close)
        for problem in next(iter(judges.values())).setup.user_messages:
            print(f"hookline: {sanitize(problem)}", file=sys.stderr)
        checked = list(cases.check(file, expected, judges.__getitem__, root))
    if args.json:
        dump(case_facts(checked))
    else:
        show_cases(file, checked)
    return 0 if all(result.holds for result in checked) else 1


def show_scores(args: Namespace) -> int:
    labelled = rows.read(args.file)
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    for problem in setup.user_messages:
        print(f"hookline: {sanitize(problem)}", file=sys.stderr)
    guards = select_guards(setup.hooks, args.only)
    results = score(labelled, guards)
    strict_results = score(labelled, guards, strict=True)
    if args.json:
        dump(score_facts(results) | ({"strict": score_facts(strict_results)} if strict_results else {}))
        return 0
    print(f"{len(results):,} rows against {', '.join(guard.name for guard in guards)}\n")
    show_score(results, misses=args.misses)
    if strict_results:
        settings = ", ".join(f"{key} = {value!r}" for key, value in STRICT.items())
        print(f"\nand the {len(strict_results):,} that say what is expected under {settings}, under it\n")
        show_score(strict_results, misses=args.misses)
    return 0


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    test_parser = _add_subcommand(
        subparsers, "test", "Run a project's own expectations of the guards as a table.", TEST_EXAMPLES
    )
    test_parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"default: {FOLDER}/{TESTS} of the project"
    )
    test_parser.add_argument("--cwd", default="", metavar="DIR", help="the project whose configuration holds")
    test_parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    test_parser.set_defaults(carry_out=test)
    score_parser = _add_subcommand(
        subparsers, "score", "Print recall and false alarms on a labelled file.", SCORE_EXAMPLES
    )
    score_parser.add_argument("file", metavar="FILE.jsonl", help="one labelled case a line")
    score_parser.add_argument("--only", action="append", default=[], metavar="HOOK", help="only this guard")
    score_parser.add_argument("--misses", action="store_true", help="list the rows that came out wrong")
    score_parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    score_parser.set_defaults(carry_out=show_scores)


def _add_subcommand(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, about: str, epilog: str
) -> ArgumentParser:
    return subparsers.add_parser(
        name, help=about, description=about, epilog=epilog, formatter_class=RawDescriptionHelpFormatter
    )


TEST_EXAMPLES = """examples:
  hookline guard test
  hookline guard test tests/policy.jsonl --json | jq '.results[] | select(.holds | not)'

A line is {"command": "git push --force", "expect": "block", "why": "it once cost us a day"}, or
{"payload": {...}, "host": "claude-code", "expect": "allow"}; "cwd" and "rule" may be added.
allow is everything that goes through, also changed or with a word to the agent.

exit codes: 0 when all hold, 1 when one does not, 2 when a line is no test or it was called wrongly"""
SCORE_EXAMPLES = """examples:
  hookline guard score tests/corpus/matrix.jsonl --only dangerous-command
  hookline guard score secrets.jsonl --only redact-secrets --misses

A row has "expect" (block, warn, redact, gate; allow, keep, pass) and one of: "cmd"; "tool" with "path",
"input" or "command"; "text" with "secrets"; "prompt". "tier" and "category" group it; the tier "contested"
is in no sum. To ask is to stop. The home is /home/test and the working directory /home/test/project.
Built-in guards judge, with the settings that hold here; --only also runs one that is off.

exit codes: 0 whatever the figures, 1 when the file cannot be read, 2 when it was called wrongly"""

COMMAND = Command(
    about="Test the guards: by your own expectations, or by a labelled file with figures.",
    examples="""
hookline guard test
hookline guard score tests/corpus/matrix.jsonl --only dangerous-command --misses

`hookline guard test --help` and `hookline guard score --help` say what stands in the files.
""",
    run=run,
    arguments=arguments,
    exits="0 when all is well, 1 when an expectation does not hold, 2 when it was called wrongly",
)
