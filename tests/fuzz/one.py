"""Fuzz one target in its own process, because libFuzzer terminates the process it runs in.

A failed assertion does not stop the run. For each failure location, the smallest failing input is saved.
"""

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Callable
from typing import Any

import atheris  # type: ignore[import-untyped]  # atheris has no type information

from .inputs import FOUND, HERE, name_of, saved

PACKAGES = ("hookline.shell", "hookline.redact", "hookline.hooks", "tomllib")
OURS = (str(HERE), str(HERE.parents[1] / "src"))
_smallest: dict[str, int] = {}


def main(name: str, options: list[str]) -> None:
    with atheris.instrument_imports(include=list(PACKAGES), enable_loader_override=False):
        for package in PACKAGES:
            _import_all(package)
        run = importlib.import_module(f"{__package__}.targets").TARGETS[name].run
    atheris.Setup([sys.argv[0], *options], lambda data: _tried(name, run, data))
    atheris.Fuzz()


def _import_all(package: str) -> None:
    """Import every module of *package*, because modules imported later are not instrumented."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)


def _tried(name: str, run: Callable[[bytes], Any], data: bytes) -> None:
    try:
        run(data)
    except Exception as error:
        place = _place(error)
        if len(data) < _smallest.get(place, sys.maxsize):
            _smallest[place] = len(data)
            path = saved(FOUND / name, name_of(place.encode()), data)
            print(f"found: {path.name}: {place}: {str(error)[:200]!r}", flush=True)


def _place(error: Exception) -> str:
    """Return a description of where *error* occurred; in a deep recursion, use an early frame."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(OURS)]
    frame = frames[min(len(frames) - 1, 40)]
    said = str(error).partition("\n")[0][:40] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} in {frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.line} {said}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
