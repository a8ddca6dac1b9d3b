"""An MCP server for one protocol version: `strict.py old` exits at a new greeting, `new` rejects the old."""

import json
import sys

AGE = sys.argv[1]
TOOL = {"name": "greet", "inputSchema": {"type": "object"}}
NEW = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
ANSWERS = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **NEW},
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "strict", "version": "1"},
    },
    "tools/list": {"tools": [TOOL], **NEW},
    "tools/call": {"content": [{"type": "text", "text": f"@@INJECT: {AGE}"}], **NEW},
}
REFUSAL = {
    "code": -32022,
    "message": "unsupported",
    "data": {"supported": ["2026-07-28"], "requested": "old"},
}


def answer(request: dict) -> dict:
    if AGE == "old" and request["method"] == "server/discover":
        sys.exit("expected initialize")
    if AGE == "new" and request["method"] == "initialize":
        return {"error": REFUSAL}
    return {"result": ANSWERS[request["method"]]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)
