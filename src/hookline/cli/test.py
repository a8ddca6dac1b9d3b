"""Run a project's tests: those of its hooks, and its expectations of the guards."""

import os
from argparse import Namespace
from collections.abc import Sequence

from hookline.cli._arguments.guard import TESTS
from hookline.cli._arguments.test import PREFIX
from hookline.cli._guard.show_cases import check_file, show_cases
from hookline.cli._test_files import run_files
from hookline.system.paths import find_places


def run(args: Namespace) -> int:
    places = find_places(os.environ, os.getcwd())
    folder = places.config if args.user else places.project
    files = args.files or _find_files(folder)
    unknown = [file for file in files if not file.endswith((".py", ".jsonl"))]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not a test: expected .py or .jsonl")
    missing = [file for file in files if not os.path.isfile(file)]
    if missing:
        raise FileNotFoundError(f"no file {missing[0]!r}")
    if not files:
        print(f"no tests in {folder}: `hookline new hook NAME` writes one, and {TESTS} tests the guards")
        return 0
    return 0 if all([_run_hook_tests(files), *_run_cases(files, places.root)]) else 1


def _find_files(folder: str) -> list[str]:
    tests = os.path.join(folder, "tests")
    names = sorted(os.listdir(tests)) if os.path.isdir(tests) else []
    found = [os.path.join(tests, name) for name in names if name.startswith(PREFIX) and name.endswith(".py")]
    cases = os.path.join(folder, TESTS)
    return [os.path.relpath(file) for file in (*found, *([cases] if os.path.isfile(cases) else []))]


def _run_hook_tests(files: Sequence[str]) -> bool:
    tests = [file for file in files if file.endswith(".py")]
    return run_files(tests) if tests else True


def _run_cases(files: Sequence[str], root: str) -> list[bool]:
    passed = []
    for file in (file for file in files if file.endswith(".jsonl")):
        checked = check_file(file, root)
        show_cases(file, checked)
        passed.append(all(result.holds for result in checked))
    return passed
