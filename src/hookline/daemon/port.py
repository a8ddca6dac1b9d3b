"""The port and secret that stand in the settings of hosts which ask over http: the same at every start."""

import json
import os
import random
import secrets
import socket
from collections.abc import Mapping

from hookline import hosts
from hookline.daemon.registered import asks
from hookline.record import record
from hookline.system.places import find
from hookline.wiring import Address

PORTS = range(20_000, 32_000)
"""Below those that systems hand out by themselves, so that it is hardly ever taken at the next start."""
TRIES = 64
UNTOLD = 503
"""What is answered where no command has told of a session."""


@record
class Kept:
    port: int
    secret: str

    def address(self, *, guards: bool = False) -> Address:
        return Address(url=f"http://127.0.0.1:{self.port}", secret=self.secret, guards=guards)


def path(env: Mapping[str, str]) -> str:
    return os.path.join(find(env, "/").state, "http.json")


def kept(env: Mapping[str, str]) -> Kept | None:
    """What is kept for whoever has that environment; None where nobody wanted to be asked over http."""
    try:
        with open(path(env), encoding="ascii") as file:
            told = json.load(file)
        found = Kept(port=int(told["port"]), secret=str(told["secret"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if 0 < found.port < 1 << 16 and found.secret.isalnum() else None


def chosen(env: Mapping[str, str], *, keep: bool = True) -> Kept:
    """What is kept; chosen now where nothing is. Raises `OSError`."""
    new = kept(env) or Kept(port=_free(), secret=secrets.token_hex(24))
    if keep and kept(env) is None:
        _keep(env, new)
    return new


def _keep(env: Mapping[str, str], new: Kept) -> None:
    name = path(env)
    os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
    handle = os.open(f"{name}.{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "w", encoding="ascii") as file:
        json.dump({"port": new.port, "secret": new.secret}, file)
    os.replace(f"{name}.{os.getpid()}", name)


def _free() -> int:
    for port in random.sample(PORTS, TRIES):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no port is free that could be kept")


def trouble(env: Mapping[str, str], within: float = 2.0) -> str:
    """What is wrong with http, by asking as a host would; empty: nothing is, or nobody wanted it."""
    known = kept(env)
    if known is None:
        return ""
    try:
        status, said = _asked(known, within)
    except ConnectionRefusedError:
        return f"nobody listens on port {known.port}: `hookline daemon start`"
    except (OSError, ValueError):
        status, said = 0, b""
    if said.startswith(b"hookline: "):
        return "" if status == UNTOLD else f"port {known.port}: {said.decode(errors='replace').strip()}"
    return (
        f"port {known.port}, which stands in the settings of hosts, is held by another program, and what "
        "they ask over http reaches that: end it, then `hookline daemon stop`, or wire without --http"
    )


def _asked(known: Kept, within: float) -> tuple[int, bytes]:
    """Ask for a session that nobody told of; raises `OSError`, or `ValueError` where no HTTP is spoken."""
    from http.client import HTTPConnection, HTTPException  # noqa: PLC0415 -- only for those who look

    line = HTTPConnection("127.0.0.1", known.port, timeout=within)
    told = {"Content-Type": "application/json", "Authorization": f"Bearer {known.secret}"}
    try:
        line.request("POST", f"/{next(filter(asks, hosts.names()))}", b"{}", told)
        reply = line.getresponse()
        return reply.status, reply.read(1000)
    except HTTPException as error:
        raise ValueError(str(error)) from None
    finally:
        line.close()
