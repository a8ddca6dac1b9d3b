"""A real MCP server with a tool for each case of the tests: `tools.py stdio` or `tools.py http PORT`."""

import json
import os
import subprocess
import sys
import time
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent

server = MCPServer("tools", log_level="ERROR")


def said(**answer: Any) -> str:
    return json.dumps(answer)


@server.tool()
def pid() -> str:
    return said(action="injectContext", additionalContext=str(os.getpid()))


@server.tool()
def whole(event: dict[str, Any]) -> str:
    return said(action="injectContext", additionalContext=json.dumps(event))


@server.tool()
def some(hook: str, tool: dict[str, Any]) -> str:
    return said(action="block", reason=f"{hook} of {tool['name']}")


@server.tool()
def plain() -> str:
    return "remember the milk"


@server.tool()
def directives() -> str:
    return "@@INJECT: one\n@@WARN: two"


@server.tool()
def structured() -> CallToolResult:
    return CallToolResult(content=[], structured_content={"action": "ask", "reason": "sure?"})


@server.tool()
def silent() -> CallToolResult:
    return CallToolResult(content=[])


@server.tool()
def long() -> str:
    return "x" * 300_000


@server.tool()
def environment(event: dict[str, Any]) -> str:
    seen = [
        os.getcwd(),
        os.environ["HOOKLINE_DEPTH"],
        os.environ.get("MINE", "-"),
        os.environ.get("CALL", "-"),
    ]
    return said(action="injectContext", additionalContext=seen)


@server.tool()
def wrong() -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="out of cheese")], is_error=True)


@server.tool()
def hang() -> str:
    time.sleep(60)
    return ""


@server.tool()
def die() -> str:
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
def leave() -> str:
    """Start a process in another session, outside the server's process group."""
    subprocess.Popen(
        ["sleep", "60"], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    return said(action="passThrough")


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
