"""Install the real clients and Node into .clients: `python3 -m tests.clients.install`.

Only the releases pinned in npm/package-lock.json are installed, so that runs are reproducible.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .client import INSTALLED, LOCK, MACHINE, NODE, load, names

PINNED = Path(__file__).parent / "npm"
CAME = Path("node_modules/.package-lock.json")
STAMP = INSTALLED / "installed"
# Install scripts only set up launchers, but the tests start the native programs directly.
QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def main() -> None:
    need("npm", "nodejs", "npm")
    need("unshare", "util-linux")
    need("git", "git")
    if not (STAMP.exists() and STAMP.read_text() == LOCK.read_text() and not missing()):
        install()
    for name, version in pinned().items():
        print(f"{name}: {version}")
    for name in names():
        if not load(name).pinned:
            print(f"{name}: no build for {MACHINE} is pinned, so its tests are skipped")


def need(program: str, *packages: str) -> None:
    """Install the system's *packages* if *program* is missing."""
    if shutil.which(program):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"no program is called {program!r} here; install {' '.join(packages)} and try again")
    subprocess.run(["apt-get", "update", "-qq"], check=True, timeout=300)
    subprocess.run(["apt-get", "install", "-y", "-qq", *packages], check=True, timeout=900)


def install() -> None:
    INSTALLED.mkdir(exist_ok=True)
    STAMP.unlink(missing_ok=True)
    for file in PINNED.iterdir():
        shutil.copy(file, INSTALLED)
    # Not `npm ci`, which also requests packages for other systems; some registries do not have them.
    npm = ["npm", "install", "--no-save", "--prefix", str(INSTALLED), *QUIET]
    subprocess.run(npm, check=True, timeout=900, stdout=sys.stderr)
    if lost := missing():
        sys.exit(f"npm installed what is pinned, but without {', '.join(map(str, lost))}")
    if strayed := other():
        sys.exit(f"npm installed other releases than those that are pinned: {', '.join(strayed)}")
    STAMP.write_text(LOCK.read_text())


def missing() -> list[Path]:
    clients = (load(name) for name in names())
    return [path for path in (NODE, *(one.path for one in clients if one.pinned)) if not path.exists()]


def other() -> list[str]:
    """Return the packages whose installed version differs from the lock file."""
    locked, came = (json.loads(file.read_text())["packages"] for file in (LOCK, INSTALLED / CAME))
    return [name for name, one in came.items() if one["version"] != locked.get(name, {}).get("version")]


def pinned() -> Mapping[str, str]:
    """Return the direct dependencies and their locked versions."""
    locked = json.loads(LOCK.read_text())["packages"]
    asked = locked[""]["dependencies"] | locked[""]["optionalDependencies"]
    return {name: locked[f"node_modules/{name}"]["version"] for name in asked}


if __name__ == "__main__":
    main()
