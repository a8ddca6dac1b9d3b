"""Build hook for `hookline-client`: compiled if a C compiler is available, otherwise in Python."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DAEMON = Path("src/hookline/daemon")
NAME = "hookline-client"
ANY = "any"
"""Value of HOOKLINE_WHEEL for a wheel with the Python client; other values are targets of zig."""
MACOS = {"x86_64": "macosx_13_0_x86_64", "aarch64": "macosx_13_0_arm64"}
"""Platform tags for macOS; zig builds for version 13 by default."""
ZIG = (sys.executable, "-m", "ziglang", "cc")
LAUNCHER = """#!/bin/sh
''':'
unset -f command test
case $0 in /*) d=${0%/*};; *) d=;; esac
if test -z "$d" || test -L "$0" || ! test -f "${d%/*}/pyvenv.cfg"; then
  d=$(command -p dirname -- "$(command -p realpath -- "$0")")
fi
if test -f "$d/../pyvenv.cfg"; then p=$d/python; else p=$(command -p sed -n '1s/^#!//p' "$d/hookline"); fi
exec "$p" -I -S "$d/hookline-client" "$@"
'''
"""
"""Start of the Python client. It finds the interpreter relative to itself, so the environment can be moved.

It ignores PATH and exported functions, which the settings of a repository may have set. In a virtual
environment it starts no other process, so that it works where none can be started.
"""


class ClientBuildHook(BuildHookInterface):
    """Build hook that adds the client to the wheel's scripts."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        self._folder = tempfile.mkdtemp(prefix="hookline-build-")
        client = os.path.join(self._folder, NAME)
        target = os.environ.get("HOOKLINE_WHEEL", "")
        source = Path(self.root) / DAEMON / "client.c"
        if target != ANY and compile_client(source, client, self.metadata.version, target):
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{choose_platform(target)}"
        else:
            write_client(Path(self.root) / DAEMON / "client.py", client, self.metadata.version)
        build_data["shared_scripts"][client] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.target_name == "wheel":
            shutil.rmtree(self._folder, ignore_errors=True)


def choose_platform(target: str) -> str:
    """Return the platform tag of a wheel; a static program runs with any C library of Linux."""
    if not target:
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    machine, system, *_ = target.split("-")
    if system == "macos":
        return MACOS[machine]
    return f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"


def compile_client(source: Path, target: str, release: str, machine: str = "") -> bool:
    """Compile the client, static if possible because it starts faster; return whether it succeeded.

    With *machine*, such as aarch64-linux-musl, it is cross-compiled by the package ziglang, and must succeed.
    """
    if machine:
        command = [*ZIG, "-target", machine, "-O2", "-s", "-std=gnu11", f'-DRELEASE="{release}"']
        static = ["-static"] if "linux" in machine else []  # macOS has no static C library
        subprocess.run([*command, *static, "-o", target, source], check=True)
        return True
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")
    if not compiler or not sys.platform.startswith("linux"):
        return False
    for options in (["-static"], []):
        command = [*compiler.split(), "-O2", "-s", "-std=gnu11", f'-DRELEASE="{release}"', *options]
        try:
            process = subprocess.run([*command, "-o", target, source], capture_output=True, check=False)
        except OSError:
            return False
        if process.returncode == 0:
            return True
    return False


def write_client(source: Path, target: str, release: str) -> None:
    text = source.read_text(encoding="utf-8").replace("@RELEASE@", release)
    Path(target).write_text(LAUNCHER + text, encoding="utf-8")
    os.chmod(target, 0o755)
