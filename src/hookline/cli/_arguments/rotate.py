"""Arguments of `hookline rotate`."""

from argparse import REMAINDER, ArgumentParser, ArgumentTypeError

from hookline.cli._command import EXITS, Command

MAX_GRACE = 86_400
"""Maximum of --grace, in seconds."""


def _parse_sessions(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"invalid number of sessions {text!r}: expected 1 or more")
    return int(text)


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_GRACE:
        raise ArgumentTypeError(f"invalid number of seconds {text!r}: expected 0 to {MAX_GRACE}")
    return seconds


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--session", default="", metavar="ID", help="session id or prefix (default: the newest)"
    )
    parser.add_argument("--show", action="store_true", help="show the newest handoff")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--run",
        action="store_true",
        dest="headless",
        help="run a headless agent in as many sessions as needed",
    )
    parser.add_argument(
        "--continue",
        dest="continue_run",
        action="store_true",
        help="with --run: continue from the last handoff",
    )
    parser.add_argument(
        "--max-sessions",
        dest="max_sessions",
        type=_parse_sessions,
        metavar="N",
        help="with --run: session limit",
    )
    parser.add_argument(
        "--grace",
        type=_parse_seconds,
        metavar="S",
        help="with --run: seconds for a session to end by itself",
    )
    parser.add_argument(
        "command", nargs=REMAINDER, metavar="-- COMMAND", help="with --run: agent command, such as claude -p"
    )


COMMAND = Command(
    about="Create a handoff, so that a new session can continue the work.",
    examples="""
hookline rotate
echo "fix the tests" | hookline rotate --run -- claude -p --permission-mode acceptEdits

With --run, the agent gets the prompt on stdin, or as the argument {prompt}.
""",
    arguments=arguments,
    exits={**EXITS, 0: "success; with --run, the code of the agent"},
)
