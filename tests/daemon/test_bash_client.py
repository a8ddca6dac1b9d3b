"""How the client in bash becomes `hookline` itself, where no daemon is to be asked."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hookline import daemon

CLIENT = Path(daemon.__file__).parent / "client.sh"


@pytest.fixture
def installed(tmp_path):
    """A folder of programs with a Python that tells what it was called with."""
    programs = tmp_path / "bin"
    programs.mkdir()
    shutil.copy(CLIENT, programs / "hookline-client")
    for name in ("python", "hookline"):
        (programs / name).write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        (programs / name).chmod(0o755)
    return programs


def called(programs):
    ran = subprocess.run(
        ["bash", "-p", programs / "hookline-client", "hook", "claude-code"],
        input=b"{}",
        capture_output=True,
        check=True,
        env={"PATH": os.defpath, "HOOKLINE_DAEMON": "off"},
    )
    return ran.stdout.decode().splitlines()


def library(programs, python):
    folder = programs.parent / "lib" / python / "site-packages" / "hookline"
    folder.mkdir(parents=True)
    return folder


def test_python_need_not_look_for_the_libraries_of_an_installation(installed):
    library(installed, "python3.12")

    assert called(installed)[0] == "-IS"


def test_what_a_python_of_before_left_there_is_not_taken_for_ours(installed):
    for python in ("python3.11", "python3.12"):
        library(installed, python)

    assert called(installed)[0] == "-I"
    assert not any("site-packages" in word for word in called(installed))
