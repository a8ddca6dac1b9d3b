"""Arguments of `hookline target`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command, add_action


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    new_parser = add_action(subparsers, "new", "Create a target.", "new")
    new_parser.add_argument("name", metavar="NAME")
    new_parser.add_argument("--goal", default="", metavar="TEXT", help="description of the goal")
    new_parser.add_argument(
        "--mutable", action="append", default=[], metavar="GLOB", help="files that may change; repeatable"
    )
    new_parser.add_argument("--metric", default="", metavar="COMMAND", help="command that prints the metric")
    new_parser.add_argument("--direction", choices=("lower", "higher"), default="lower")
    new_parser.add_argument("--guard", default="", metavar="COMMAND", help="command that must succeed")
    new_parser.add_argument(
        "--agent",
        default="",
        metavar="HOST",
        help="host, `tuner` or `command` (default: the first host found, else `tuner`)",
    )
    new_parser.add_argument(
        "--command", default="", metavar="LINE", help="shell command of the agent `command`"
    )
    check_parser = add_action(
        subparsers, "check", "Validate targets (default: all); runs guard and metric once.", "check"
    )
    check_parser.add_argument("names", nargs="*", metavar="NAME")
    add_action(subparsers, "list", "List targets.", "show")


COMMAND = Command(
    about="Create, validate and list targets for `hookline run`.",
    examples="""
hookline target new sort --metric "python bench.py" --guard "make test" --mutable "src/sort.py"
hookline target check

A target is a file, .hookline/targets/NAME.toml, with comments on each setting.
""",
    arguments=arguments,
    exits={**EXITS, 2: "invalid target or arguments"},
)
