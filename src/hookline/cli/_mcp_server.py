"""The MCP server of `hookline mcp`, on stdio or local HTTP."""

import hmac
import socket
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import uvicorn  # comes with the SDK
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError  # comes with the SDK

from hookline import __version__
from hookline.cli._main import describe_error
from hookline.cli._mcp_tools import Tools
from hookline.core.registry import describe_unknown
from hookline.core.store import StoreFailed
from hookline.redact import redact

LOOPBACK = "127.0.0.1"
ABOUT = (
    "Memories of earlier sessions in this repository, its guards and its budgets. Call `recall` before you "
    "start a task. Call `remember` for decisions, corrections and facts that were hard to find."
)


class Server(MCPServer):
    """An MCP server that reports invalid arguments in one sentence."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        known = self._tool_input_schema(name)
        if known is not None:
            parameters = known.get("properties", {})
            for unknown in arguments.keys() - parameters:
                raise ToolError(f"{name}: {describe_unknown('argument', unknown, parameters)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(redact(f"{name}: {_describe_invalid(error.__cause__)}")) from error
            raise


def _describe_invalid(invalid: ValidationError) -> str:
    found = (
        (".".join(map(str, error["loc"])), error["msg"])
        for error in invalid.errors(include_url=False, include_context=False, include_input=False)
    )
    return "; ".join(f"{argument}: {message[:1].lower()}{message[1:]}" for argument, message in found)


def build_server(cwd: str, *, with_fire: bool) -> MCPServer:
    tools = Tools(cwd=cwd)
    server = Server("hookline", instructions=ABOUT, version=__version__, log_level="WARNING")
    for tool in (*tools.for_agents, *((tools.fire,) if with_fire else ())):
        server.add_tool(_report_errors(tool))
    return server


def _report_errors(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return *tool* with expected errors as `ToolError`; the SDK hides the message of any other."""

    @wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except (LookupError, ValueError, OSError, StoreFailed) as error:
            raise ToolError(redact(describe_error(error))) from error

    return call


def serve_http(server: MCPServer, port: int, secret: str) -> None:
    app = _require_secret(server.streamable_http_app(host=LOOPBACK), secret)
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
        print(f"listening on http://{LOOPBACK}:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])


def _require_secret(app: Any, secret: str) -> Any:
    """Return *app* behind a bearer token; a request without the *secret* gets an empty 401."""
    expected = f"Bearer {secret}".encode()

    async def handle(scope: Any, receive: Any, send: Any) -> None:
        header = dict(scope.get("headers") or ()).get(b"authorization", b"")
        if scope["type"] == "lifespan" or hmac.compare_digest(header, expected):
            await app(scope, receive, send)
            return
        await send(
            {"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]}
        )
        await send({"type": "http.response.body", "body": b""})

    return handle
