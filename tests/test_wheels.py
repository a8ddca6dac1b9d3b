"""Test the wheels of `make wheels`: this machine's in a new environment, another's client in an emulator."""

import json
import os
import platform
import shutil
import struct
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from hookline import __version__
from hookline.daemon import control
from hookline.daemon.paths import DaemonFolder

ROOT = Path(__file__).parents[1]
HERE = platform.machine()
OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}.get(HERE, "")
QEMU = shutil.which(f"qemu-{OTHER}") or ""
PUSH = {
    "session_id": "wheels",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push --force origin main"},
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ziglang") is None or not OTHER, reason="requires ziglang"),
]


def build(machine, folder, system="linux-musl"):
    env = {**os.environ, "HOOKLINE_WHEEL": f"{machine}-{system}"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=env)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return a new environment with this machine's wheel, installed without a compiler."""
    place = tmp_path_factory.mktemp("environment")
    wheel = build(HERE, place / "dist")
    subprocess.run([sys.executable, "-m", "venv", place / "env"], check=True)
    (place / "env" / "run").mkdir(mode=0o700)  # a daemon of its own
    python = place / "env" / "bin" / "python"
    installed = Path(sysconfig.get_path("purelib", vars={"base": str(place / "env")}))
    (installed / "required.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))
    subprocess.run(
        [python, "-m", "pip", "install", "--no-deps", "--no-index", "--force-reinstall", wheel],
        check=True, capture_output=True, env={"PATH": "/nowhere", "HOME": str(place)},
    )  # fmt: skip
    return place


@pytest.mark.parametrize(
    ("machine", "processor", "tag"),
    [("x86_64", 0x01000007, "macosx_13_0_x86_64"), ("aarch64", 0x0100000C, "macosx_13_0_arm64")],
)
def test_a_wheel_for_macos_contains_a_linked_program(machine, processor, tag, tmp_path):
    """Check the header of the program in the format Mach-O: 64 bits, processor, executable."""
    path = build(machine, tmp_path, "macos")
    with zipfile.ZipFile(path) as wheel:
        data = wheel.read(f"hookline-{__version__}.data/scripts/hookline-client")

    assert path.name.endswith(f"-py3-none-{tag}.whl")
    assert struct.unpack("<II4xI", data[:16]) == (0xFEEDFACF, processor, 2)


def judge(place, *command):
    ran = subprocess.run(
        command,
        input=json.dumps({**PUSH, "cwd": str(place)}).encode(),
        env={"HOME": str(place), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.stderr == b""
    return json.loads(ran.stdout)["hookSpecificOutput"]["permissionDecision"]


def test_the_wheel_of_this_machine_works_without_a_compiler(environment):
    client = environment / "env" / "bin" / "hookline-client"

    assert client.read_bytes().startswith(b"\x7fELF")
    assert judge(environment, client, "hook", "claude-code") == "deny"


@pytest.mark.skipif(not QEMU, reason="requires qemu-user")
def test_the_client_of_another_machine_reaches_the_daemon_of_this_one(environment, tmp_path):
    place = DaemonFolder(path=str(environment / "env" / "run"))
    while (status := control.status(place)) is None:  # the first call starts it, and does not wait for long
        judge(environment, environment / "env" / "bin" / "hookline-client", "hook", "claude-code")
    with zipfile.ZipFile(build(OTHER, tmp_path)) as wheel:
        data = wheel.read(f"hookline-{__version__}.data/scripts/hookline-client")
    client = environment / "env" / "bin" / "hookline-client-other"
    client.write_bytes(data)
    client.chmod(0o755)

    assert judge(environment, QEMU, client, "hook", "claude-code") == "deny"
    assert control.status(place)["calls"] == status["calls"] + 1
    control.stop(place)
