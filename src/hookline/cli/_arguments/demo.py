"""Arguments of `hookline demo`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command
from hookline.cli._demo import CLIENTS


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "host", nargs="?", default="", metavar="HOST", help=f"agent to run: {', '.join(CLIENTS.names())}"
    )


COMMAND = Command(
    about="Show a blocked push inside your agent, offline.",
    examples="""
hookline demo
hookline demo claude-code

Runs the installed agent with a dummy key, a temporary home and a scratch repository, which are removed.
A script on loopback plays the model; as the proxy of the agent, it refuses all other requests.
""",
    arguments=arguments,
    exits={**EXITS, 0: "the push was blocked", 1: "the push was not blocked, or the agent failed"},
)
