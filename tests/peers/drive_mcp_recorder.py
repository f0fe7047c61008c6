"""mcp-recorder, as its manual shows: ``mcp-recorder verify`` of a cassette against an MCP server over HTTP.

A call of a tool is ``tools/call``; its result is the text content of the answer, and the whole answer, state included,
its structured content. Nothing is ignored that it does not ignore by itself.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from mcp_recorder.cli import main
from peer_server import serving

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {"listChanged": False}},
    "serverInfo": {"name": "loki", "version": "1"},
}


def body(scene: dict[str, Any], side: str, at: int, number: int) -> str:
    """A JSON-RPC answer, the answer to the call standing in it as it was written."""
    step = scene[side][at]
    panic = step["answer"].get("panic")
    text = panic or step["answer"].get("result")
    content = json.dumps([{"type": "text", "text": text}] if isinstance(text, str) else [])
    error = json.dumps(bool(panic))
    result = f'{{"content":{content},"isError":{error},"structuredContent":{step["body"]}}}'
    return f'{{"jsonrpc":"2.0","id":{number},"result":{result}}}'


def answer(message: dict[str, Any], scene: dict[str, Any], side: str) -> tuple[int | None, str | None]:
    """Which step a message asks for, and the body of the answer; None: there is none."""
    if "id" not in message:
        return None, None
    if message["method"] == "initialize":
        return None, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": HELLO})
    at = message["id"] - 1
    return at, body(scene, side, at, message["id"])


def cassette(scene: dict[str, Any]) -> dict[str, Any]:
    """The recording of the golden side."""

    def interaction(method: str, number: int, params: dict[str, Any], response: object) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return {
            "type": "jsonrpc_request",
            "request": request,
            "response": response,
            "response_status": 200,
            "latency_ms": 1,
        }

    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "loki", "version": "1"}}
    first = interaction("initialize", 0, hello, {"jsonrpc": "2.0", "id": 0, "result": HELLO})
    calls = [
        interaction("tools/call", at + 1, step["call"], json.loads(body(scene, "golden", at, at + 1)))
        for at, step in enumerate(scene["golden"])
    ]
    metadata = {"recorded_at": "2026-10-16T09:30:00Z", "server_url": "http://127.0.0.1", "transport_type": "http"}
    return {"version": "1.0", "metadata": metadata, "interactions": [first, *calls]}


def outcome(scene: dict[str, Any]) -> str:
    """``noticed``, ``quiet``, or why it is not applicable."""
    if any("reads" in step for step in scene["golden"]):
        return "n/a: it sees answers, not what the candidate asks of others"
    with tempfile.TemporaryDirectory() as name, serving(scene, "actual", answer) as url:
        golden = Path(name) / "golden.json"
        golden.write_text(json.dumps(cassette(scene)))
        ran = CliRunner().invoke(main, ["verify", "--cassette", str(golden), "--target", url])
        if "Result:" not in ran.output:
            return f"broken: {ran.output[-300:]} {ran.exception!r}"
        return "noticed" if ran.exit_code else "quiet"


if __name__ == "__main__":
    scenes = json.loads(Path(sys.argv[1]).read_text())
    found = {f"{one['table']}/{one['name']}": "n/a" if one["nothing"] else outcome(one) for one in scenes}
    Path(sys.argv[2]).write_text(json.dumps(found))
