"""Test the commands that change an installation, each in a real environment of pip, pipx and uv.

An index of local files takes the place of the network: hookline's wheel, and empty packages for the others.
"""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
CALL = """
import runpy
from importlib.util import find_spec
folder = find_spec("hookline").submodule_search_locations[0]
print(eval({!r}, runpy.run_path(folder + "/core/install_commands.py")))
"""
"""Evaluates a call without the packages that hookline requires, which are empty here."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Return a folder with a wheel of hookline and an empty wheel of each package that it names."""
    folder = tmp_path_factory.mktemp("index")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    for line in (*requires("hookline"), "pytest>=1"):
        name, version = re.match(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", line).groups()
        write_empty(folder, name.replace("-", "_"), version)
    return folder


def write_empty(folder, name, version):
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")


class Machine:
    """A home with one installation of hookline."""

    def __init__(self, home, index):
        self.python = ""
        self.env = {
            "HOME": str(home),
            "PATH": f"{home}/.local/bin:{TOOLS}:/usr/bin:/bin",
            **dict.fromkeys(("PIP_NO_INDEX", "UV_NO_INDEX", "UV_OFFLINE"), "1"),
            **dict.fromkeys(("PIP_FIND_LINKS", "UV_FIND_LINKS"), str(index)),
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "PIPX_DEFAULT_BACKEND": "uv",
            "UV_PYTHON": sys.executable,
            "PIP_CONFIG_FILE": os.devnull,
        }

    def run(self, command):
        ran = subprocess.run(
            command,
            shell=True,
            env=self.env,
            cwd=self.env["HOME"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    def printed(self, call):
        return self.run(shlex.join([self.python, "-c", CALL.format(call)])).strip()

    def has(self, name):
        code = f"from importlib.metadata import distributions as d; print({name!r} in [x.name for x in d()])"
        return self.run(shlex.join([self.python, "-c", code])).strip() == "True"


def with_pip(machine, index):
    machine.run(f"{sys.executable} -m venv env && env/bin/python -m pip install hookline")
    machine.python = "env/bin/python"


def from_a_checkout(machine, index):
    wheel = next(index.glob("hookline-*.whl"))
    machine.run(f"{sys.executable} -m venv env && env/bin/python -m pip install {wheel}")
    machine.python = "env/bin/python"


def with_pipx(machine, index):
    machine.run("pipx install hookline")
    machine.python = f"{machine.run('pipx environment --value PIPX_LOCAL_VENVS').strip()}/hookline/bin/python"


def with_uv(machine, index):
    machine.run("uv venv env && uv pip install --python env/bin/python hookline")
    machine.python = "env/bin/python"


def with_uv_tool(machine, index):
    machine.run("uv tool install hookline")
    machine.python = f"{machine.run('uv tool dir').strip()}/hookline/bin/python"


@pytest.mark.parametrize("install", [with_pip, from_a_checkout, with_pipx, with_uv, with_uv_tool])
def test_every_printed_command_works_where_it_is_printed(install, index, tmp_path):
    tool = install.__name__.removeprefix("with_").partition("_")[0]
    if tool in ("pipx", "uv") and not (TOOLS / tool).exists():
        pytest.skip(f"requires {tool}")
    machine = Machine(tmp_path, index)
    install(machine, index)
    for extra, package in (("mcp", "mcp"), ("postgres", "psycopg-pool"), ("engine", "optuna")):
        machine.run(machine.printed(f"install_command('{extra}')"))
        assert machine.has(package) or machine.has(package.replace("-", "_"))
    machine.run(machine.printed("add_packages_command(['pytest'])"))
    machine.run(machine.printed("path_command('/opt/programs')"))
    client = (tmp_path / machine.python).with_name("hookline-client")
    client.unlink()
    machine.run(machine.printed("repair_command()"))
    assert client.exists()
    uninstall = machine.printed("uninstall_command()")
    machine.run(uninstall)

    assert not (tmp_path / machine.python).exists() or not machine.has("hookline")
