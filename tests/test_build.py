"""Test the build hook: the `hookline-client` in a wheel, with and without a C compiler."""

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from hookline import __version__

ROOT = Path(__file__).parents[1]
ELF = b"\x7fELF"
HAS_COMPILER = any(map(shutil.which, ("cc", "gcc", "clang"))) and sys.platform == "linux"


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Return a copy of the files that a build reads."""
    copy = tmp_path_factory.mktemp("sources")
    for name in ("src", "schema"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, copy)
    return copy


def built(sources, target, *, compiler):
    """Return the file that hatchling builds, with or without a compiler on PATH."""
    out = sources / "dist"
    shutil.rmtree(out, ignore_errors=True)
    path = os.environ["PATH"] if compiler else "/nowhere"
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
    subprocess.run(
        command, cwd=sources, check=True, capture_output=True, env={"PATH": path, "HOME": str(sources)}
    )
    (made,) = out.iterdir()
    return made


def client_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"hookline-{__version__}.data/scripts/hookline-client")


@pytest.mark.skipif(not HAS_COMPILER, reason="requires a C compiler")
def test_a_wheel_has_the_compiled_client_and_names_its_platform(sources):
    wheel = built(sources, "wheel", compiler=True)

    assert client_in(wheel).startswith(ELF)
    assert "py3-none-linux_" in wheel.name


def test_a_wheel_has_every_file_of_the_dashboard(sources):
    wheel = built(sources, "wheel", compiler=False)
    web = sources / "src" / "hookline" / "web"
    files = {str(path.relative_to(sources / "src")) for path in web.rglob("*") if path.is_file()}
    with zipfile.ZipFile(wheel) as archive:
        missing = files - {*archive.namelist()}

    assert (missing, len(files) > 30) == (set(), True)


def test_without_a_compiler_it_has_the_python_client(sources):
    wheel = built(sources, "wheel", compiler=False)
    client = client_in(wheel)

    assert client.startswith(b"#!/bin/sh\n")
    assert f'RELEASE = "{__version__}"'.encode() in client
    assert wheel.name.endswith("py3-none-any.whl")


def test_an_sdist_can_build_it(sources):
    import tarfile

    with tarfile.open(built(sources, "sdist", compiler=True)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {"hatch_build.py", "src/hookline/daemon/client.py"} <= names
    assert {f"src/hookline/daemon/{name}" for name in ("client.c", "client_platform.h")} <= names


MACHINES = {"x86_64": 0x3E, "aarch64": 0xB7}
"""The machines of wheels, with their number in an ELF header."""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ziglang") is None, reason="requires ziglang")
@pytest.mark.parametrize(("machine", "number"), MACHINES.items())
def test_a_wheel_for_another_machine_has_a_static_client(sources, tmp_path, machine, number):
    env = {**os.environ, "HOOKLINE_WHEEL": f"{machine}-linux-musl"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=sources, check=True, capture_output=True, env=env)
    (wheel,) = tmp_path.iterdir()
    client = client_in(wheel)

    assert f"musllinux_1_1_{machine}" in wheel.name
    assert client.startswith(ELF)
    assert int.from_bytes(client[18:20], "little") == number
    assert b"/lib/ld-" not in client


def test_a_wheel_for_any_platform_has_the_python_client(sources, tmp_path):
    env = {**os.environ, "HOOKLINE_WHEEL": "any"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=sources, check=True, capture_output=True, env=env)
    (wheel,) = tmp_path.iterdir()

    assert wheel.name.endswith("-py3-none-any.whl")
    assert client_in(wheel).startswith(b"#!/bin/sh\n")
