"""Arguments of `hookline attach`."""

from hookline.cli._command import Command, add_run_argument

COMMAND = Command(
    about="Show a running run live, such as one started with `hookline run --detach`.",
    examples="""
hookline attach sort

Ctrl-C ends only the view; the run continues.
""",
    arguments=add_run_argument,
)
