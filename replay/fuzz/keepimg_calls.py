"""Operations on a turn's kept images, one after the other (keepimg.md)."""

from __future__ import annotations

import base64
import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from parity.images import files
from parity.images.message import LOST, tokens
from parity.stores.seal import NONCE_SIZE
from parity.stores.state import Settings
from replay.candidates.kept_images import KeptImagesCase
from replay.candidates.written import case_head, frozen, plain
from replay.compare import compare
from replay.fuzz import texts
from replay.fuzz.keepimg_buckets import BUCKETS
from replay.fuzz.trial import MODEL, Bucket, Call, crashed
from replay.journal.model import KEEPIMG, Journal, KeepimgCase, KeepimgStep, Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.compare import Difference
    from replay.fields import Fields
    from replay.fuzz.dice import Dice
    from replay.journal.model import Json
    from replay.oracle.client import Answer, Question

OPERATIONS: Final = (
    "relay", "sending", "observe", "append", "relay", "sending", "observe", "publishable", "drop", "store", "finish",
    "rewritten",
)  # fmt: skip

_WINDOWS: Final = (32768, 0, 8192, 4096, 2000, 1000, 400, 320, 170, 160, 159, 100, 10, 9, 1, 131072)
_SETTINGS: Final = (
    "on",
    "on",
    "on",
    "on",
    "",
    "off",
    "0",
    "ON",
    " oui\t",
    "1",
    "\u00a0True\u3000",
    "y",
    "yes ",
    "\x1con",
    "ＯＮ",
    "on\x00",
)
_THREADS: Final = ("main", "main", "main", "", "task", "Main", "main ")
_CONVERSATIONS: Final = ("c1", "c1", "c1", "é", " ", "")
_FORMATS: Final = ("png", "png", "jpeg", "gif", "webp")
_SIZES: Final = (1, 2, 3, 4, 16, 74, 121, 200, 500)
_COSTS: Final = (1, 15, 16, 50, 70, 300, 1000, 3276, 0, 0, -1)


class Turn:
    """One case, and the operations that were made on it so far."""

    def __init__(self, dice: Dice) -> None:
        """A turn of any sort, with messages of turns before it."""
        self.dice = dice
        self._images = [_image(dice) for _ in range(1 + dice.below(3))]
        self.case = KeepimgCase(
            index=1,
            name="fuzz",
            ctx_window=dice.pick(_WINDOWS) if dice.below(2) else _WINDOWS[0],
            keep_turn_images=dice.pick(_SETTINGS) if dice.one_in(4) else "on",
            thread=dice.pick(_THREADS) if dice.one_in(8) else "main",
            conversation=dice.pick(_CONVERSATIONS) if dice.one_in(8) else "c1",
            vision=not dice.one_in(12),
            messages=tuple(cast("Json", frozen(self._first())) for _ in dice.some(2, 6)),
            steps=(),
            at=Place("", "cases[0]", 0),
        )
        nonces = itertools.count(1)
        store = files.in_ram(Settings(), nonces=lambda: next(nonces).to_bytes(NONCE_SIZE, "big"))
        self.port = KeptImagesCase(self.case, store)
        self.steps: list[KeepimgStep] = []
        self.calls: list[Call] = []

    def step(self, name: str) -> None:
        """One operation, run through the port."""
        self.given(self._operation(name))

    def given(self, operation: dict[str, object]) -> None:
        """A given operation."""
        index = len(self.steps) + 1
        held = cast("Mapping[str, Json]", frozen(operation))
        step = KeepimgStep(index, str(operation["op"]), held, {}, Place("", f"cases[0].steps[{index - 1}]", 0))
        turn = self.port.turn
        seen: dict[str, object] = {
            "op": held,
            "case": self.case,
            "kept": turn.kept_tokens,
            "trials": 0 if turn.state is None else len(turn.state.trials),
            "weights": () if turn.state is None else [trial.weight for trial in turn.state.trials],
        }
        actual: Fields
        try:
            actual = self.port.operate(held)
        except Exception as error:  # noqa: BLE001 - whatever the port raises is what was looked for
            actual = crashed(error)
        self.steps.append(step)
        self.calls.append(Call(index, step.op, actual, seen))

    @property
    def has_stopped(self) -> bool:
        """Whether no further image is kept."""
        state = self.port.turn.state
        return state is None or state.stopped

    def next_operation(self) -> str:
        """What is likely to lead on: what is on trial is sent and measured more often than not."""
        dice = self.dice
        state = self.port.turn.state
        if state is not None and dice.below(4):
            if not state.requests or (state.trials and state.requests < state.noted.request):
                return "relay" if state.trials and dice.below(2) else "sending"
            if not state.context or state.trials:
                return "observe"
            if not state.stopped:
                return "relay"
        return dice.pick(OPERATIONS)

    def _first(self) -> dict[str, object]:
        return self._old() if self.dice.one_in(3) else self._plain()

    def _operation(self, name: str) -> dict[str, object]:
        dice = self.dice
        operation: dict[str, object] = {"op": name}
        if name == "append":
            operation["message"] = self._old() if dice.one_in(12) else self._plain()
        elif name in {"relay", "store"}:
            operation["message"] = self._shown(often_bad=name == "store")
            if dice.one_in(12):
                operation["store_fails"] = True
        if name == "relay" and dice.below(3):
            there = len(self.port.turn.messages)
            operation["from"] = (
                max(0, there - dice.below(3)) if dice.below(8) else dice.pick((0, 1, there + 1, there + 5, 100))
            )
        if name == "observe":
            operation.update(self._usage())
        return operation

    def _usage(self) -> dict[str, object]:
        dice = self.dice
        usage: dict[str, object] = {
            "prompt_tokens": dice.pick((1000, 1, 500, 1331, 2000, 0, -5)),
            "gen_tokens": dice.pick((20, 0, 1, 5, 50, 400)),
        }
        if dice.one_in(3):
            usage["reasoning_tokens"] = dice.pick((1, 15, 20, 80, 400, 1000))
            usage["reasoning_echoed"] = dice.one_in(3)
        if dice.one_in(12):
            usage["complete"] = bool(dice.below(2))
        state = self.port.turn.state
        if state is not None and state.trials and dice.below(8):
            usage["prompt_tokens"] = self._prompt()
        return usage

    def _prompt(self) -> int:
        """A prompt that makes the cost of what is on trial stand around a bound."""
        dice, turn = self.dice, self.port.turn
        state = turn.state
        assert state is not None  # noqa: S101 - the caller asked for what is on trial
        others = sum(tokens(one) for one in turn.messages[state.noted.first_result : state.sent] if not one.relay)
        images = len(state.trials)
        left = turn.budget - turn.kept_tokens
        least = 16 * images
        bounds = (15 * images, least - 1, least, least, least + 1, left - 1, left, left + 1, -5)
        costs = (40 * images, 20 * images + 3, 33 * images, 65 * images + 1, 300, *bounds)
        return max(state.noted.base + others + dice.pick(costs), 0)

    # --- messages ---

    def _plain(self) -> dict[str, object]:
        """A message without an image and without a mark."""
        dice = self.dice
        sort = dice.below(5)
        if sort == 0:
            return {"role": "user", "content": texts.sentence(dice)}
        if sort == 1:
            return {"role": "tool", "content": f"[ok] image chargée : {texts.word(dice)}", "tool_call_id": "v1"}
        if sort == 2:
            parts = [{"type": "text", "text": texts.any_text(dice)} for _ in range(2)]
            return {"role": "user", "content": parts}
        if sort == 3:
            calls = [self._call() for _ in range(1 + dice.below(2))]
            message: dict[str, object] = {"role": "assistant", "tool_calls": calls}
            return message if dice.below(2) else {**message, "content": texts.hostile(dice)}
        return {"role": "assistant", "content": texts.repeated(dice)}

    def _call(self) -> dict[str, object]:
        dice = self.dice
        function = {
            "name": dice.pick(("see_image", "recall", "é", "abcd")),
            "arguments": dice.pick(("{}", '{"file":"img.png"}', "", '{"é":1}', "abc")),
        }
        return {"id": f"v{dice.below(9)}", "type": "function", "function": function}

    def _old(self) -> dict[str, object]:
        """An image kept by a turn before, or one that was not, or one that was dropped."""
        dice = self.dice
        extension = dice.pick((".png", ".jpg", ".gif", ".webp"))
        url = f"loki-img:{dice.below(1 << 64):032x}{extension}" if dice.below(4) else dice.pick(self._images)
        parts: list[object] = [{"type": "text", "text": texts.sentence(dice)} for _ in dice.some(1, 2)]
        parts.append({"type": "image_url", "image_url": {"url": url}})
        content: object = parts
        if dice.one_in(6):
            content = dice.pick(("Voici.", texts.word(dice))) + dice.pick(("", LOST))
        message: dict[str, object] = {"role": "user", "content": content, "img_relay": True}
        cost = dice.pick(_COSTS)
        return message if not cost else {**message, "img_tokens": cost}

    def _shown(self, *, often_bad: bool) -> dict[str, object]:
        """The message with which a tool shows an image; not always one, nor always one that can be stored."""
        dice = self.dice
        parts: list[object] = (
            [{"type": "text", "text": f"Image demandée ({texts.word(dice)}) :"}] if dice.below(6) else []
        )
        sort = dice.below(12)
        urls = [dice.pick(self._images)]
        if sort == 9:
            urls = [*urls, dice.pick(self._images)] if dice.below(2) else []
        elif sort >= (4 if often_bad else 10):
            urls = [bad_image(dice, urls[0])]
        parts += [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        if dice.one_in(10):
            parts.append({"type": "text", "text": texts.word(dice)})
        return {"role": "user", "content": "rien à voir" if sort == 8 and dice.one_in(4) else parts}


def _image(dice: Dice) -> str:
    content = bytes([dice.below(256)]) * dice.pick(_SIZES)
    return f"data:image/{dice.pick(_FORMATS)};base64,{base64.b64encode(content).decode()}"


def bad_image(dice: Dice, good: str) -> str:
    """A URL that the store refuses, or nearly one."""
    head, _, coded = good.partition(",")
    return dice.pick((
        "https://exemple.invalid/a.png", "", f"data:image/bmp;base64,{coded}", f"data:image/bmp;base64,{coded}",
        f"data:image/svg+xml;base64,{coded}", f"data:image/bmp;base64,{coded}", f"data:image/jpg;base64,{coded}",
        f"data:image/PNG;base64,{coded}", f"DATA:image/png;base64,{coded}",
        f"data:image/png;charset=utf-8;base64,{coded}", f"data:image/png,{coded}",
        f"{head},{coded[:2]}\n{coded[2:]}", f"{head},{coded}\n", f"{head}, {coded}", f"{head},{coded}=", f"{head},",
        f"{head},====", f"{head},@@@", f"{head},QR==", f"{head},QQ", f"{head},QQ==QQ==", f"{head},__--",
        f"{head},{coded}\r\n", f" {good}", f"loki-img:{'0' * 32}.png", "loki-img:../../etc/passwd", f"{head},QQ=",
        f"{head},QUJD\u200b", "data:image/png;base64", f"data:image/png;base64;,{coded}", f"{head},Q===",
        f"{head},QUI=",
    ))  # fmt: skip


@dataclass(frozen=True)
class TurnTrial:
    """A case and what the port showed after each operation. ``calls[n].at`` is n + 1: the first question begins it."""

    journal: Journal
    calls: Sequence[Call]

    @cached_property
    def questions(self) -> Sequence[Question]:
        """The case begun, then its operations."""
        case = self.journal.cases[0]
        reset: Question = {"q": "reset", "kind": KEEPIMG, "case": case_head(case)}
        return [reset, *({"q": "exec", "step": plain(step.step)} for step in case.steps)]

    def expected(self, call: Call, answer: Answer) -> Fields:
        """What the model showed."""
        del call
        return cast("Fields", frozen(answer.out))

    def differences(self, call: Call, expected: Fields) -> Sequence[Difference]:
        """What differs."""
        return compare(expected, call.actual).differences


@dataclass(frozen=True, slots=True)
class KeptImages:
    """Turns with images."""

    name: str = "keepimg"
    judge: str = MODEL
    buckets: Sequence[Bucket] = BUCKETS

    def trial(self, dice: Dice, target: GoTarget) -> TurnTrial:
        """A turn and some operations."""
        turn = Turn(dice)
        for _ in dice.some(14, 60):
            turn.step(turn.next_operation())
            if turn.has_stopped and dice.one_in(4):
                break  # once stopped, little more can happen
        if not turn.steps:
            turn.step(turn.next_operation())
        return trial_of(turn, target)


def trial_of(turn: Turn, target: GoTarget) -> TurnTrial:
    """What was made so far."""
    case = replace(turn.case, steps=tuple(turn.steps))
    return TurnTrial(Journal("", "", KEEPIMG, "", target, "model", cases=(case,)), turn.calls)


SUBJECTS: Final = (KeptImages(),)
