"""Test that each shell script of this machine that bash accepts is read without a problem."""

import os
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from hookline.shell.grammar import parse

BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(not BASH, reason="requires bash")
FOLDERS = (Path("/usr"), Path("/etc"), Path("/opt"))


def scripts():
    for folder in FOLDERS:
        for place, _, names in os.walk(folder):
            yield from (path for name in sorted(names) if is_script(path := Path(place, name)))


def is_script(path):
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            first = file.readline(100)
    except OSError:
        return False
    return first.startswith(b"#!") and first.split(b"/")[-1].split()[-1:] in ([b"sh"], [b"bash"], [b"dash"])


def failures(paths):
    """Yield (path, first problem) of scripts that bash accepts and the reader does not."""
    for path in paths:
        _, failed = parse(path.read_bytes().decode("utf-8", "replace"))
        if (
            failed
            and not subprocess.run([BASH, "-n", str(path)], capture_output=True, check=False).returncode
        ):
            yield str(path), failed[0].reason


def test_a_sample_of_scripts():
    assert list(failures(islice(scripts(), 40))) == []


@pytest.mark.long
def test_all_scripts():
    assert list(failures(scripts())) == []
