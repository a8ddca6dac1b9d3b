"""Arguments of `hookline run`."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from hookline.cli._command import Command, parse_positive_int
from hookline.engine import target_values


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "target", nargs="?", default="", metavar="TARGET", help="target name (default: the only target)"
    )
    parser.add_argument(
        "--parallel",
        type=int,
        metavar="N",
        help="number of experiments at once",
    )
    parser.add_argument(
        "--cluster",
        type=_parse_address,
        metavar="ADDRESS",
        help="address of a Ray cluster, auto, local or none (requires hookline[cluster])",
    )
    parser.add_argument(
        "--experiments",
        type=_parse_count,
        metavar="N",
        help="maximum number of experiments (default: from the target)",
    )
    for option, field, parse, about in _LIMIT_OPTIONS:
        parser.add_argument(f"--{option}", dest=field, type=parse, metavar=option.upper(), help=about)
    parser.add_argument(
        "--detach", action="store_true", help="continue without this terminal; see `hookline attach`"
    )
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="RUN",
        help="resume a run (default: the newest)",
    )


def _parse_address(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("empty address: expected HOST:PORT, `auto`, `local` or `none`")
    return text


def _parse_count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"invalid number of experiments {text!r}: expected 1 or more")
    return int(text)


def _parse_time(text: str) -> float:
    try:
        return target_values.duration(text, "--time")
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _parse_cost(text: str) -> float:
    try:
        return target_values.positive(float(text), "--cost")
    except ValueError:
        raise ArgumentTypeError(f"invalid cost {text!r}: expected US dollars, more than 0") from None


_LIMIT_OPTIONS: tuple[tuple[str, str, Callable[[str], float], str], ...] = (
    ("time", "seconds", _parse_time, "maximum duration of the run, such as 8h"),
    ("tokens", "tokens", parse_positive_int, "maximum number of tokens"),
    ("cost", "cost", _parse_cost, "maximum cost in US dollars"),
)


COMMAND = Command(
    about="Let an agent improve a metric of this repository by experiments.",
    examples="""
hookline run sort --parallel 4
hookline run --resume --experiments 100

Experiments run in worktrees on a separate branch; your checkout does not change.
Ctrl-C stops after the current experiment; a second Ctrl-C stops at once.
A closed terminal does not end a run.
""",
    arguments=arguments,
    exits={
        0: "the goal or a limit is reached, or you stopped it",
        1: "it failed, halted or reached a plateau",
        2: "invalid target or arguments",
        130: "interrupted",
    },
)
