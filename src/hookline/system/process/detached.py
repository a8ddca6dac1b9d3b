"""Detached processes, which outlive the process that starts them."""

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence

PASSED_VARIABLES = ("HOME", "PATH", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
"""Variables passed to a sender, besides proxies; no other may influence where it sends."""
PROXY_VARIABLES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of *env* for a process that sends data for us."""
    package_root = os.path.dirname(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    )
    kept = {
        name: value
        for name, value in env.items()
        if name in PASSED_VARIABLES or name.lower() in PROXY_VARIABLES
    }
    return {**kept, "PYTHONPATH": package_root}


def start(argv: Sequence[str], *, stdin: bytes, env: Mapping[str, str]) -> None:
    """Start *argv* with *stdin* as its input and without a terminal; raise `OSError`."""
    child = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(env),
        cwd="/",
        start_new_session=True,
    )
    if child.stdin:
        child.stdin.write(stdin)
        child.stdin.close()
    # A program that outlives its child must wait for it, or it stays a zombie.
    threading.Thread(target=child.wait, daemon=True).start()
