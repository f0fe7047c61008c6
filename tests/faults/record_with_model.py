"""Write into a journal what the Go model answers to its steps: ``record_with_model.py MODEL JOURNAL…``.

MODEL is the program built from ``replay/oracle/model``. Of each JOURNAL its head and, of every step, tool, note, now
and args stay; result, label, diff, files and trackers are written anew, by Go. ``MODEL judge JOURNAL…`` proves them.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

_HEAD: Final = ("kind", "blocks", "project", "clock", "config", "dek", "locked", "initial")
_BAD_BYTE: Final = re.compile("[\udc80-\udcff]")


def clean(text: str | dict[str, str]) -> str:
    """A TEXT of the protocol as a journal holds it: U+FFFD for each byte that is not UTF-8."""
    if isinstance(text, str):
        return text
    return _BAD_BYTE.sub("\ufffd", base64.b64decode(text["b64"]).decode("utf-8", "surrogateescape"))


def questions(journal: dict[str, Any]) -> list[dict[str, Any]]:
    """A reset and one call a step."""
    reset = {"q": "reset"} | {key: journal[key] for key in _HEAD if key in journal}
    calls = [
        {"q": "exec", "tool": step["tool"], "args": json.dumps(step["args"])}
        | ({"now": step["now"]} if "now" in step else {})
        for step in journal["steps"]
    ]
    return [{"id": number, **question} for number, question in enumerate([reset, *calls])]


def answered(step: dict[str, Any], answer: dict[str, Any], kind: str) -> dict[str, Any]:
    """The step with what the model said."""
    out = answer.get("out") or {}
    recorded: dict[str, Any] = {key: step[key] for key in ("tool", "note", "now", "args") if key in step}
    if "panic" in answer:
        recorded["panic"] = answer["panic"]
    else:
        recorded["result"] = clean(out["result"])
    if kind == "memory":
        diff = [{"op": line["op"], "text": clean(line["text"])} for line in out["diff"] or []]
        recorded |= {"label": clean(out["label"]), "diff": diff, "files": out["files"], "trackers": out["trackers"]}
    return recorded


def record(model: str, file: Path) -> None:
    """Rewrite one journal."""
    journal = json.loads(file.read_bytes())
    asked = "".join(json.dumps(question) + "\n" for question in questions(journal))
    spoken = subprocess.run([model, "ask"], input=asked, capture_output=True, text=True, encoding="utf-8", check=True)  # noqa: S603 - the program that was named
    answers = [json.loads(line) for line in spoken.stdout.splitlines()]
    errors = [answer["error"] for answer in answers if "error" in answer]
    if errors or len(answers) != len(journal["steps"]) + 1:
        sys.exit(f"{file.name}: {errors or 'the model stopped'}")
    steps = zip(journal["steps"], answers[1:], strict=True)
    journal["steps"] = [answered(step, answer, journal["kind"]) for step, answer in steps]
    file.write_text(json.dumps(journal, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for name in sys.argv[2:]:
        record(sys.argv[1], Path(name))
