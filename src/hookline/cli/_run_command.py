"""Run the command of parsed arguments, and report its errors in one sentence."""

import os
import sys
from argparse import Namespace
from importlib import import_module

from hookline.core.store import StoreFailed


def run_command(arguments: Namespace) -> int:
    """Run the function that *arguments* name; return its exit code, 2 for invalid values, 1 for a failure."""
    try:
        code = int(getattr(import_module(arguments.module), arguments.run)(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        return discard_stdout()
    except (LookupError, ValueError) as error:
        return _report_error(describe_error(error), 2)
    except (OSError, StoreFailed) as error:
        _discard_unprintable()
        return _report_error(describe_error(error), 1)
    except KeyboardInterrupt:
        return 130
    return code


def _discard_unprintable() -> None:
    """Discard text that stdout cannot take: the flush at exit would change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        discard_stdout()


def discard_stdout() -> int:
    """Redirect stdout, whose reader is gone, to /dev/null, because the flush at exit must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def describe_error(error: Exception) -> str:
    """Return the message of *error*, with the path first if it is about a file."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror[:1].lower()}{error.strerror[1:]}"
    return str(error)


def _report_error(text: str, code: int) -> int:
    print(f"hookline: {text}", file=sys.stderr)
    return code
