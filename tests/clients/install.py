"""Install the real clients, and the Node they want, into .clients: `python3 -m tests.clients.install`.

The system's Node may be older than what a client asks for, and npm then quietly takes an old release of the
client instead; so a Node of our own comes first, and every range has a lower end.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .client import INSTALLED, MACHINE, NODE, load, names

NODE_PACKAGE = f"node-linux-{MACHINE}@^22.23"
# Install scripts are not needed: we start the native programs, not the launchers that the scripts would mend.
QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")


def main() -> None:
    need("npm", "nodejs", "npm")
    need("unshare", "util-linux")
    need("git", "git")
    install("node", NODE_PACKAGE, NODE)
    for name in names():
        client = load(name)
        install(client.name, client.package, client.path)


def need(program: str, *packages: str) -> None:
    """Have *program* from the system's own *packages*."""
    if shutil.which(program):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"no program is called {program!r} here; install {' '.join(packages)} and try again")
    subprocess.run(["apt-get", "update", "-qq"], check=True, timeout=300)
    subprocess.run(["apt-get", "install", "-y", "-qq", *packages], check=True, timeout=900)


def install(name: str, package: str, program: Path) -> None:
    """Have *program* from *package* in its own folder; does nothing when it is there."""
    folder = INSTALLED / name
    stamp = folder / "installed"
    if not (program.exists() and stamp.exists() and stamp.read_text() == package):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        npm("install", "--prefix", str(folder), *QUIET, package)
        stamp.write_text(package)
    if not program.exists():
        stamp.unlink()
        sys.exit(f"npm installed {package!r} without its program {str(program)!r}")
    print(f"{name}: {version(program)}", flush=True)


def npm(*words: str) -> None:
    path = os.pathsep.join([str(NODE.parent), os.environ["PATH"]])
    subprocess.run(
        ["npm", *words], check=True, timeout=900, env=os.environ | {"PATH": path}, stdout=sys.stderr
    )


def version(program: Path) -> str:
    argv = [NODE, program] if program.suffix == ".js" else [program]
    done = subprocess.run([*argv, "--version"], check=True, timeout=60, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
