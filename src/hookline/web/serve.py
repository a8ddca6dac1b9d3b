"""The server: a socket on a loopback address, and the link that opens the dashboard."""

import os
import secrets
import socket
import sys
from collections.abc import Callable

import uvicorn

from hookline.web.application import build_app
from hookline.web.dashboard import Dashboard
from hookline.web.keys import Keys
from hookline.web.live_updates import Feed, Reader


def serve(dashboard: Dashboard, reader: Reader, port: int, announce: Callable[[str], None]) -> None:
    """Serve until the user interrupts; *announce* gets each link, which opens the dashboard once."""
    with open_socket(port) as listener:
        host, bound = listener.getsockname()[:2]
        address = f"{host}:{bound}"
        keys = Keys(announce=lambda token: announce(_format_link(address, token)))
        announce(_format_link(address, keys.token))
        feed = Feed(reader)
        app = build_app(dashboard, feed, keys, address)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
        )
        _Server(config, feed).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that ends the streams of its viewers first, because it waits for all responses."""

    def __init__(self, config: uvicorn.Config, feed: Feed) -> None:
        super().__init__(config)
        self._feed = feed

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.end()
        await super().shutdown(sockets)


def _format_link(address: str, token: str) -> str:
    # After `#`, so that the browser does not send it before the page asks for a cookie.
    return f"http://{address}/#{token}"


def open_socket(port: int) -> socket.socket:
    """Return a listening socket; a free port if *port* is 0.

    Browsers send a cookie to every port of the same address, so also to a web server that an agent has
    started. Linux has many loopback addresses; a random one keeps the cookie from the others.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_choose_address(), port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"cannot listen on port {port}: {os.strerror(error.errno or 0)}") from None
    return listener


def _choose_address() -> str:
    if not sys.platform.startswith("linux"):
        return "127.0.0.1"
    return f"127.{secrets.randbelow(254) + 1}.{secrets.randbelow(254) + 1}.{secrets.randbelow(253) + 2}"
