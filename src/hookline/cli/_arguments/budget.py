"""Arguments of `hookline budget`."""

from argparse import ArgumentParser, _SubParsersAction

from hookline.cli._command import Command, add_action
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_session_action(subparsers, "set", "Set the time budget of a session.", "set_budget").add_argument(
        "time", metavar="TIME", help="duration from now, such as 20m, at most 7d; `none` removes it"
    )
    _add_session_action(subparsers, "show", "Show the budget and usage of a session.", "show").add_argument(
        "--json", action="store_true", help="print JSON"
    )


def _add_session_action(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, about: str, function: str
) -> ArgumentParser:
    parser = add_action(subparsers, name, about, function)
    help_text = "session id or prefix (default: the newest of this project)"
    parser.add_argument("--session", default="", metavar="ID", help=help_text)
    return parser


COMMAND = Command(
    about="Set or show the budget of a session.",
    examples="""
hookline budget set 1h --session 58eca2c0

`set` requires an interactive terminal outside an agent. It cannot extend the time a session started with.
""",
    person_only=PERSON_ONLY["budget"],
    arguments=arguments,
)
