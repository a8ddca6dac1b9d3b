"""Arguments of `hookline plot`."""

from argparse import ArgumentParser

from hookline.cli._command import Command, add_run_argument


def arguments(parser: ArgumentParser) -> None:
    add_run_argument(parser)
    parser.add_argument(
        "--out", default="", metavar="FILE", help="output file, .png or .svg (default: plot.png of the run)"
    )


COMMAND = Command(
    about="Draw a run as a chart.",
    examples="""
hookline plot sort-261115 --out sort.svg
""",
    arguments=arguments,
)
