"""Journals of the same mix as ``logs/recall.json``, as long as one likes: its blocks, its 41 calls with other texts.

Round after round of the 41 calls, each with ids, words and numbers of its own, so that no cache knows the next one.
What the calls answer is asked of the model, which is real Go.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from french import Prose

    from replay.oracle.client import Oracle

GOLDEN: Final = Path(__file__).parents[2] / "logs" / "recall.json"

_NOTHING_FOUND: Final = "[aucun"
_WORD: Final = re.compile("[a-z0-9\u00e0-\u00f6\u00f8-\u00ff]{4,}")
_KEYWORD: Final = re.compile("\u0130?[A-Za-z0-9\u00c0-\u00d6\u00d8-\u00ff]{2,}")
_SPACES: Final = (" ", "\t", "\u00a0", "\n", "\u2003")
_LAST_SEQ: Final = 2**64 - 1


class Calls:
    """Calls like those of the golden journal, on the same blocks."""

    def __init__(self, prose: Prose) -> None:
        golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
        self.blocks: list[dict[str, Any]] = golden["blocks"]
        self._golden: list[dict[str, Any]] = golden["steps"]
        self._prose = prose
        self._words = sorted({word for block in self.blocks for word in _WORD.findall(block["content"])})

    def steps(self, count: int) -> Iterator[dict[str, Any]]:
        """``count`` steps without their results."""
        for at in range(count):
            step = self._golden[at % len(self._golden)]
            absent = step["result"].startswith(_NOTHING_FOUND)
            args = {key: self._other(key, given, absent=absent) for key, given in step["args"].items()}
            yield {"tool": step["tool"], "note": step["note"], "args": args}

    def _other(self, key: str, given: object, *, absent: bool) -> object:
        """Another argument of the same sort."""
        if not isinstance(given, str):
            return given
        if not given.strip():
            return "".join(self._one(_SPACES) for _ in range(1 + self._prose.below(6)))
        if key == "id":
            return re.sub("[0-9]+", self._number, given)
        return _KEYWORD.sub(self._absent_word if absent else self._piece_of_a_word, given)

    def _number(self, found: re.Match[str]) -> str:
        """Another number of about the size: a block's for a block's, with other zeros where there were some."""
        number = int(found[0])
        if 0 < number <= len(self.blocks):
            zeros = self._prose.below(9) if found[0].startswith("0") else 0
            return "0" * zeros + str(1 + self._prose.below(len(self.blocks)))
        further = self._prose.below(1 << 20)
        return str(number - further if number == _LAST_SEQ else number + further)

    def _absent_word(self, found: re.Match[str]) -> str:
        return f"{found[0]}{self._prose.below(1 << 30)}"

    def _piece_of_a_word(self, found: re.Match[str]) -> str:
        word = self._one(self._words)
        start = self._prose.below(len(word) - 2)
        piece = word[start : start + 3 + self._prose.below(9)]
        return piece.upper() if found[0].isupper() else piece

    def _one(self, among: Sequence[str]) -> str:
        return among[self._prose.below(len(among))]


def journal(calls: Calls, count: int, oracle: Oracle) -> bytes:
    """A journal of ``count`` steps, as the model answers them."""
    steps = list(calls.steps(count))
    oracle.ask_one({"q": "archive", "archive": "bench", "blocks": calls.blocks})
    asked = ({"q": step["tool"], "archive": "bench", "args": json.dumps(step["args"])} for step in steps)
    for step, answer in zip(steps, oracle.ask(asked), strict=True):
        step["result"] = answer.out
    head = {"format": "loki-parity-journal/1", "kind": "recall", "source": "model", "blocks": calls.blocks}
    return json.dumps({**head, "steps": steps}, ensure_ascii=False, indent=1).encode()
