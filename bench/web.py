"""What a question over http costs beside the start of a process: `python bench/web.py [--runs N]`.

All default hooks, on one connection that stays open; the two take turns, so that a slow moment of the machine
hits both. Nothing is asserted.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from hookline.resident import port
from hookline.resident.port import Kept

CAPTURES = Path(__file__).parent.parent / "tests" / "captures" / "claude-code"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="how often each is measured")
    args = parser.parse_args()
    print(json.dumps(measure(args.runs), indent=2))


def measure(runs: int) -> dict[str, float]:
    """Milliseconds, and how many starts of `/bin/true` one round trip is."""
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder, resident(Path(folder)) as asked:
        for _ in range(50):
            asked()
        took: dict[str, list[float]] = {"true": [], "http": []}
        for _ in range(runs):
            took["http"].append(timed(asked))
            took["true"].append(timed(lambda: subprocess.run(["/bin/true"], check=False)))
    http, true = median(took["http"]), median(took["true"])
    p99 = quantiles(took["http"], n=100)[98]
    return {"http_ms": http, "http_p99_ms": p99, "true_ms": true, "ratio": http / true}


def timed(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return (time.perf_counter() - began) * 1000


@contextmanager
def resident(folder: Path) -> Iterator[Callable[[], bytes]]:
    """A resident of its own, and how it is asked about a shell command on one connection."""
    home, project = folder / "home", folder / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    home.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(folder)}
    kept = port.chosen(env)
    process = subprocess.Popen([sys.executable, "-m", "hookline.resident"], env=env, cwd="/")
    try:
        address = wait(folder / "hookline" / "address")
        payload = json.loads((CAPTURES / "PreToolUse.json").read_text()) | {"cwd": str(project)}
        tell(address, json.dumps(payload), env, str(project))
        with socket.create_connection(("127.0.0.1", kept.port)) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield lambda: ask(line, kept, payload)
    finally:
        process.terminate()
        process.wait(20)


def wait(path: Path) -> list[str]:
    until = time.monotonic() + 30
    while not path.exists():
        if time.monotonic() > until:
            raise TimeoutError("the resident did not start")
        time.sleep(0.02)
    return path.read_text().split()


def tell(address: list[str], payload: str, env: Mapping[str, str], cwd: str) -> None:
    """What a command hook says first."""
    words = [f"{name}={value}" for name, value in env.items()]
    head = f"hookline/1 {address[2]} {os.getpid()} bench 1 {len(words)}\n"
    with socket.create_connection(("127.0.0.1", int(address[1]))) as line:
        line.sendall((head + "\0".join(["claude-code", *words, cwd, payload]) + "\0").encode())
        while line.recv(1 << 16):
            pass


def ask(line: socket.socket, kept: Kept, payload: dict[str, object]) -> bytes:
    """As a host does: another call every time, so that none is taken for one that was answered."""
    body = json.dumps(payload | {"tool_use_id": os.urandom(8).hex()}).encode()
    head = (
        f"POST /claude-code HTTP/1.1\r\nHost: 127.0.0.1:{kept.port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {kept.secret}\r\nUser-Agent: axios/1.13.2\r\nConnection: keep-alive\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    line.sendall(head.encode() + body)
    data = b""
    while b"\r\n\r\n" not in data:
        data += heard(line)
    start, _, rest = data.partition(b"\r\n\r\n")
    if not start.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(data.decode())
    length = int(start.lower().partition(b"content-length: ")[2].split()[0])
    while len(rest) < length:
        rest += heard(line)
    return rest


def heard(line: socket.socket) -> bytes:
    new = line.recv(1 << 16)
    if not new:
        raise RuntimeError("the resident closed the connection")
    return new


if __name__ == "__main__":
    main()
