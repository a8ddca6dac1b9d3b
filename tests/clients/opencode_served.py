"""Send one prompt from stdin through `opencode serve`, which continues where `opencode run` would end.

The driver starts this file inside the namespace in place of the client: `opencode_served.py PROGRAM`.
"""

import json
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from typing import Any

PORT = "4096"
QUIET = 12.0
"""Idle seconds after which no more work is expected; on a busy machine a hook takes seconds."""


def main() -> None:
    program, prompt = sys.argv[1], sys.stdin.read()
    server = subprocess.Popen([program, "serve", "--hostname", "127.0.0.1", "--port", PORT])
    try:
        asked(f"/session/{begun()}/message", {"parts": [{"type": "text", "text": prompt}]})
        rest()
    finally:
        server.terminate()
        server.wait(20)


def rest() -> None:
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < QUIET:
        if any(one.get("type") != "idle" for one in asked("/session/status").values()):
            quiet_since = time.monotonic()
        time.sleep(0.5)


def begun() -> str:
    for _ in range(20):
        with suppress(OSError):
            return str(asked("/session", {}, within=5)["id"])  # a request that is sent too early hangs
        time.sleep(0.5)
    sys.exit("opencode serve did not come up")


def asked(path: str, body: Any = None, within: float = 60) -> Any:
    data = None if body is None else json.dumps(body).encode()
    kind = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data, kind)
    with urllib.request.urlopen(request, timeout=within) as answer:
        return json.loads(answer.read() or b"null")


if __name__ == "__main__":
    main()
