"""What tool/exec answers: recorded steps that were handed over beforehand, and nothing else (facade.md, Go's routes).

The port is never run here: it would be compared with itself. A call is matched by its name and by its arguments as Go
decodes them, so the order of keys and the writing of numbers don't count, while 1, true and "1" stay apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fake_go.faults import Cut
from fake_go.reply import go_answer
from parity.gostd import json
from parity.tools.interface import GoPanic, ToolAnswer

if TYPE_CHECKING:
    from fake_go.reply import Reply
    from parity.gostd.target import GoTarget


class RecordedSteps:
    """The steps that may be executed, each once, in any order. Not thread-safe."""

    def __init__(self, target: GoTarget) -> None:
        self._target = target
        self._waiting: list[tuple[str, bytes, ToolAnswer | GoPanic]] = []

    def __len__(self) -> int:
        """How many steps were handed over and not called yet."""
        return len(self._waiting)

    def add(self, name: str, raw_args: bytes, answer: ToolAnswer | GoPanic) -> None:
        """Answer one call of the tool ``name`` with these arguments (JSON as recorded) with ``answer``."""
        self._waiting.append((name, self._canonical(json.unmarshal_args(raw_args, self._target)), answer))

    def forget(self) -> None:
        """Drop the steps that were not called."""
        self._waiting.clear()

    def take(self, name: str, args: object) -> Reply | None:
        """The answer recorded for this call, which is then used up; None if there is none."""
        wanted = name, self._canonical(args)
        for place, (*call, answer) in enumerate(self._waiting):
            if tuple(call) == wanted:
                del self._waiting[place]
                return self._reply(answer)
        return None

    def _canonical(self, args: object) -> bytes:
        """Arguments that are no object are an empty map (journal.md, Shape)."""
        return json.marshal(args if isinstance(args, dict) else {}, self._target)

    def _reply(self, answer: ToolAnswer | GoPanic) -> Reply:
        """Go's answer. A handler that panics makes Go close the connection without one."""
        if isinstance(answer, GoPanic):
            return replace(go_answer(b""), delivery=Cut(None, reset=False))
        diff = [json.Struct({"op": line.op, "text": line.text}) for line in answer.diff]
        fields = {"result": answer.result, "label": answer.label, "diff": diff}
        return go_answer(json.marshal(json.Struct(fields), self._target))
