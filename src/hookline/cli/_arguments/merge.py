"""Arguments of `hookline merge`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command, add_run_argument


def arguments(parser: ArgumentParser) -> None:
    add_run_argument(parser)
    parser.add_argument(
        "--only",
        type=int,
        nargs="+",
        default=[],
        metavar="N",
        help="experiments (default: all kept ones)",
    )
    parser.add_argument(
        "--onto", default="", metavar="COMMIT", help="base of the branch (default: that of the run)"
    )
    parser.add_argument("--branch", default="", metavar="NAME", help="name of the branch")


COMMAND = Command(
    about="Create a branch with the kept experiments of a run, for review.",
    examples="""
hookline merge sort-261115-1850
hookline merge --only 3 7 --onto main

The branch is created only if the guard passes. Your checkout does not change.
""",
    arguments=arguments,
    exits={**EXITS, 1: "the guard or git fails, or nothing was kept"},
)
