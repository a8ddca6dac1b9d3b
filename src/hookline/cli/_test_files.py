"""Run the tests of hooks: by pytest if this installation has it, else by calling their functions."""

import inspect
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import ModuleType

from msgspec import Struct

from hookline.cli._arguments.test import PREFIX
from hookline.core.install_commands import add_packages_command
from hookline.system.own_command import module_command

NO_TESTS = 5
"""The exit code of pytest if it found no test."""


class FunctionResult(Struct, frozen=True, kw_only=True):
    """The result of one test function."""

    name: str
    failure: str = ""
    """Traceback or reason; empty if the test passed."""


def run_files(files: Sequence[str]) -> bool:
    """Run the tests in *files*, show the results, and return whether all passed."""
    if find_spec("pytest") is not None:
        sys.stdout.flush()
        command = [*module_command("pytest"), "-q", "-p", "no:cacheprovider", *files]
        return subprocess.run(command, check=False).returncode in (0, NO_TESTS)
    start = time.monotonic()
    results = [result for file in files for result in _run_file(file)]
    failed = [result for result in results if result.failure]
    for result in failed:
        print(f"FAILED {result.name}\n{result.failure}")
    counts = {"failed": len(failed), "passed": len(results) - len(failed)}
    summary = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "no tests ran"
    print(f"{summary} in {time.monotonic() - start:.2f}s")  # in the words of pytest
    return not failed


def _run_file(file: str) -> Iterator[FunctionResult]:
    """Call each test function of *file*."""
    try:
        module = _load(file)
    except ModuleNotFoundError as error:
        if error.name != "pytest":
            raise
        yield FunctionResult(name=file, failure=_describe_pytest("imports pytest"))
        return
    for name, function in vars(module).items():
        if name.startswith(PREFIX) and inspect.isfunction(function):
            yield _call(f"{file}::{name}", function)


def _load(file: str) -> ModuleType:
    name = os.path.splitext(os.path.basename(file))[0]
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file!r} is not a Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _call(name: str, function: Callable[..., object]) -> FunctionResult:
    if inspect.signature(function).parameters:
        return FunctionResult(name=name, failure=_describe_pytest("has parameters"))
    try:
        function()
    except Exception:  # noqa: BLE001 -- a test may fail with any error, and the others still run
        return FunctionResult(name=name, failure=traceback.format_exc(limit=-3))
    return FunctionResult(name=name)


def _describe_pytest(reason: str) -> str:
    return f"{reason}, so it requires pytest; install it: {add_packages_command(['pytest'])}"
