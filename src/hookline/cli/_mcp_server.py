"""The MCP server of `hookline mcp`: its tools, over a pipe or over HTTP on this machine."""

import hmac
import socket
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import uvicorn  # comes with the SDK
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from hookline import __version__
from hookline.cli._main import sentence
from hookline.cli._mcp_tools import Tools
from hookline.core.store import StoreFailed
from hookline.redact import redact

LOOPBACK = "127.0.0.1"
ABOUT = (
    "What earlier sessions in this repository learnt, and what its guards and budgets say. Recall before you "
    "begin something; remember decisions, corrections and what was hard to find out."
)


def build(cwd: str, *, fires: bool) -> MCPServer:
    tools = Tools(cwd=cwd)
    server = MCPServer("hookline", instructions=ABOUT, version=__version__, log_level="WARNING")
    for one in (*tools.for_agents, *((tools.fire,) if fires else ())):
        server.add_tool(_telling(one))
    return server


def _telling(work: Callable[..., Any]) -> Callable[..., Any]:
    """*work* whose caller is told what was wrong: the SDK keeps every other failure to itself."""

    @wraps(work)
    def told(*args: Any, **given: Any) -> Any:
        try:
            return work(*args, **given)
        except (LookupError, ValueError, OSError, StoreFailed) as error:
            raise ToolError(redact(sentence(error))) from error

    return told


def serve_http(server: MCPServer, port: int, secret: str) -> None:
    app = _guarded(server.streamable_http_app(host=LOOPBACK), secret)
    with socket.socket() as heard:
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.bind((LOOPBACK, port))
        heard.listen()
        print(f"listening on http://{LOOPBACK}:{heard.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[heard])


def _guarded(app: Any, secret: str) -> Any:
    """*app* for those who know the *secret*; others are told nothing."""
    wanted = f"Bearer {secret}".encode()

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope.get("headers") or ()).get(b"authorization", b"")
        if scope["type"] == "lifespan" or hmac.compare_digest(given, wanted):
            await app(scope, receive, send)
            return
        await send(
            {"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]}
        )
        await send({"type": "http.response.body", "body": b""})

    return asked
