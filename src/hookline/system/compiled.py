"""The client in C, made where there is a compiler: a host then waits for no more than a tiny program."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress

COMPILERS = ("cc", "gcc", "clang")
SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "daemon", "client.c")
WITHIN = 60.0


def client(env: Mapping[str, str], folder: str, release: str, *, build: bool) -> str:
    """The path of the client below *folder* for that *release*, made if *build*; empty without one."""
    own = sys.executable
    try:
        with open(SOURCE, "rb") as file:
            path = os.path.join(folder, _name(file.read(), release, own), "hookline-client")
    except OSError:
        return ""
    if os.access(path, os.X_OK):
        return path
    return path if build and os.access(own, os.X_OK) and _made(env, path, release, own) else ""


def _name(source: bytes, release: str, own: str) -> str:
    """Another source, release or installation has another one."""
    from hashlib import blake2b  # noqa: PLC0415 -- only where something is installed

    return blake2b(b"\0".join((source, release.encode(), os.fsencode(own))), digest_size=8).hexdigest()


def _made(env: Mapping[str, str], path: str, release: str, own: str) -> bool:
    from shutil import which  # noqa: PLC0415 -- only where something is installed

    compiler = next(filter(None, (which(name, path=env.get("PATH")) for name in COMPILERS)), "")
    new = f"{path}.{os.getpid()}"
    sources = os.path.dirname(os.path.dirname(os.path.dirname(SOURCE)))
    known = (("RELEASE", release), ("OWN", own), ("SOURCES", sources))
    told = [f"-D{name}={_quoted(value)}" for name, value in known]
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if not compiler or not _runs([compiler, "-O2", "-std=gnu11", *told, "-o", new, SOURCE], env):
            return False
        if not _runs([new, "--version"], env):
            return False
        os.replace(new, path)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            os.unlink(new)
    return True


def _quoted(text: str) -> str:
    """As a string of C."""
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'


def _runs(argv: list[str], env: Mapping[str, str]) -> bool:
    import subprocess  # noqa: PLC0415 -- only where something is installed

    try:
        return not subprocess.run(argv, env=env, capture_output=True, timeout=WITHIN, check=False).returncode
    except (OSError, subprocess.SubprocessError):
        return False
