"""Write ``journals/calls.json``: calls on which JavaScript parts from Go, answered by our own Go program.

``record_calls.py MODEL``; MODEL is the program built from ``replay/oracle/model``. The arguments are raw JSON: what no
encoder would write stands in them on purpose.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parent / "journals" / "calls.json"

CONTENTS: Final[dict[int, tuple[str, str]]] = {
    1: ("İSTANBUL en hiver", "neige sur le Bosphore"),
    2: ("espaces", "sépare\u0085ligne colle\ufeffmot fin\u0085"),
    3: ("emoji", "z" * 159 + "😀😀😀"),
    4: ("vide à la fin", ""),
    5: ("poids", "300 kg"),
    10: ("lot", "un"),
    11: ("lot", "deux"),
    12: ("lot", "trois"),
    13: ("lot", "quatre"),
    14: ("lot", "cinq"),
    15: ("lot", "six"),
    9007199254740992: ("grand", "2^53"),
    9007199254740993: ("grand", "2^53 + 1"),
    18446744073709551614: ("immense", "2^64 - 2"),
    18446744073709551615: ("immense", "2^64 - 1"),
}

CALLS: Final[list[tuple[str, str, bytes]]] = [
    ("recall_search", "İ in a label is one letter", rb'{"query":"istanbul"}'),
    ("recall_search", "the Kelvin sign is a k", rb'{"query":"\u212aG"}'),
    ("recall", "U+FEFF is no space", rb'{"id":"\ufeffr2"}'),
    ("recall", "U+0085 is one", rb'{"id":"\u0085r2\u0085"}'),
    ("recall_search", "U+FEFF is no blank query", rb'{"query":"\ufeff"}'),
    ("recall_search", "spaces between words", rb'{"query":"espaces"}'),
    ("recall_search", "160 runes, an emoji the last", rb'{"query":"emoji"}'),
    ("recall_search", "the last snippet is empty", rb'{"query":"vide"}'),
    ("recall_search", "1e400 is no limit", rb'{"query":"lot","limit":1e400}'),
    ("recall_search", "1e19 is a negative limit", rb'{"query":"lot","limit":1e19}'),
    ("recall", "what is not printable is escaped", rb'{"id":"\u00a0x\u200b\u007f\u0007"}'),
    ("recall", "not assigned yet", rb'{"id":"\u1c89\u2ffc"}'),
    ("recall", "half of a pair", rb'{"id":"\ud83dx"}'),
    ("recall", "bytes that are not UTF-8", b'{"id":"\xe2\x82x"}'),
    ("recall", "hexadecimal", rb'{"id":"r0x2"}'),
    ("recall", "an exponent", rb'{"id":"r1e1"}'),
    ("recall_search", "two neighbours above 2^53", rb'{"query":"grand"}'),
    ("recall_search", "the greatest two of all", rb'{"query":"immense"}'),
    ("recall", "the greatest of all", rb'{"id":"18446744073709551615"}'),
    ("recall", "the same argument twice", rb'{"id":"r4","id":"r5"}'),
]


def text(raw: bytes) -> str | dict[str, str]:
    """A TEXT of the model's protocol."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(raw).decode()}


def answers(model: str, blocks: list[dict[str, Any]]) -> list[str]:
    """What the model answers to each call."""
    questions: list[dict[str, Any]] = [{"q": "reset", "kind": "recall", "blocks": blocks}]
    questions += [{"q": "exec", "tool": tool, "args": text(raw)} for tool, _, raw in CALLS]
    asked = "".join(json.dumps({"id": at, **question}) + "\n" for at, question in enumerate(questions))
    spoken = subprocess.run([model, "ask"], input=asked, capture_output=True, text=True, encoding="utf-8", check=True)  # noqa: S603 - the program that was named
    results: list[str] = [json.loads(line)["out"]["result"] for line in spoken.stdout.rstrip("\n").split("\n")[1:]]
    return results


def main(model: str) -> None:
    """Write the journal."""
    blocks = [
        {"id": f"r{seq}", "seq": seq, "label": label, "role": "tool", "content": content, "created": 1790000000}
        for seq, (label, content) in CONTENTS.items()
    ]
    head = {
        "format": "loki-parity-journal/1",
        "kind": "recall",
        "source": "model",
        "about": "Calls on which JavaScript parts from Go",
        "go": {"version": "go1.25.5", "unicode": "15.0.0", "goarch": "amd64"},
        "blocks": blocks,
    }
    steps = [
        b'  {"tool": "%b", "note": %b, "args": %b, "result": %b}'
        % (tool.encode(), json.dumps(note).encode(), raw, json.dumps(result).encode())
        for (tool, note, raw), result in zip(CALLS, answers(model, blocks), strict=True)
    ]
    written = json.dumps(head, indent=1).encode().removesuffix(b"\n}")
    FILE.write_bytes(written + b',\n "steps": [\n' + b",\n".join(steps) + b"\n ]\n}\n")


if __name__ == "__main__":
    main(sys.argv[1])
