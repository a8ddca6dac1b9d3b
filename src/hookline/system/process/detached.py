"""Start a process that nobody waits for, and that outlives whoever started it."""

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence

PASSED = ("HOME", "PATH", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
"""What a sender gets of the environment, besides proxies: nothing else may say where things are sent."""
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """What of *env* a process gets that sends something for us."""
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    kept = {name: value for name, value in env.items() if name in PASSED or name.lower() in PROXIES}
    return {**kept, "PYTHONPATH": ours}


def start(argv: Sequence[str], *, stdin: bytes, env: Mapping[str, str]) -> None:
    """Start *argv* with *stdin* to read, away from every terminal; raises `OSError`."""
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
    # A program that lives longer than its child must take leave of it; one that does not, need not.
    threading.Thread(target=child.wait, daemon=True).start()
