"""Build hook: the client `hookline-client`, compiled where there is a C compiler, else in Python."""

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
LAUNCHER = """#!/bin/sh
''':'
unset -f command test
d=$(command -p dirname -- "$(command -p realpath -- "$0")")
if test -f "$d/../pyvenv.cfg"; then p=$d/python; else p=$(command -p sed -n '1s/^#!//p' "$d/hookline"); fi
exec "$p" -I -S "$d/hookline-client" "$@"
'''
"""
"""Finds the interpreter from the client's own path, so that the environment can be moved.

Neither PATH nor exported functions, which a repository's settings may have set, choose the programs.
"""


class ClientBuildHook(BuildHookInterface):
    """Adds the client to the wheel's scripts."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        self._folder = tempfile.mkdtemp(prefix="hookline-build-")
        client = os.path.join(self._folder, NAME)
        if compile_client(Path(self.root) / DAEMON / "client.c", client, self.metadata.version):
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        else:
            write_client(Path(self.root) / DAEMON / "client.py", client, self.metadata.version)
        build_data["shared_scripts"][client] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.target_name == "wheel":
            shutil.rmtree(self._folder, ignore_errors=True)


def compile_client(source: Path, target: str, release: str) -> bool:
    """Compile the client, static if possible, because that starts faster; return whether that worked."""
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")
    if not compiler or not sys.platform.startswith("linux"):
        return False
    for options in (["-static"], []):
        command = [*compiler.split(), "-O2", "-s", "-std=gnu11", f'-DRELEASE="{release}"', *options]
        try:
            made = subprocess.run([*command, "-o", target, source], capture_output=True, check=False)
        except OSError:
            return False
        if made.returncode == 0:
            return True
    return False


def write_client(source: Path, target: str, release: str) -> None:
    text = source.read_text(encoding="utf-8").replace("@RELEASE@", release)
    Path(target).write_text(LAUNCHER + text, encoding="utf-8")
    os.chmod(target, 0o755)
