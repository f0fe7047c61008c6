"""Calls of ``recall`` and ``recall_search`` on small archives (recall.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import strings
from parity.tools.interface import Block, Env
from replay import fields as named
from replay.candidates.written import head
from replay.fuzz import ids, raw_json, recall_buckets, texts
from replay.fuzz.session_trial import SessionTrial, run
from replay.fuzz.trial import MODEL, Bucket, Call
from replay.journal.model import RECALL, Expected, Journal, Place, Step
from replay.requirements import READ_ALL, READ_ONE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parity.gostd.target import GoTarget
    from replay.fuzz.dice import Dice

LIMITS: Final = (0, 1, 5, 19, 20, 21, -1)
"""Around the bounds of the limit of ``recall_search``."""

RECALL_TOOL: Final = "recall"
SEARCH: Final = "recall_search"

_LAST_SEQ: Final = (1 << 64) - 1
_ROLES: Final = ("tool", "user", "assistant", "system", "", "é\n")
_LABELS: Final = (
    "tool",
    "user: ",
    "",
    "\t",
    "a\nb",
    "— ",
    "rappelé verbatim]\n",
    "÷÷",
    "ÉTÉ",
    "İSTANBUL",
    "\u212aelvin",
    "ab",
    "café docker",
)
_QUERIES: Final = (
    "÷÷ 2", "à l d'", "×", "ß ÿ", "Ÿÿ", "ab", "a", "ÀÉ", "ÎÏ÷", "1 2 3", "12", "_", "a_b", "Σσς", "İİ",
    "\u212a\u212a", "ſs", "þÞ", "Āā", "ßß", "ÿĀ", "`a {b", "/0 9:", "@A[Z", "<script>", "À L'ÉTÉ", "cafe\u0301s",
    "stra\u00dfe", "aé", "é", "éé", "tool", "\x1cab", "ab ab AB",
)  # fmt: skip


class _Blocks:
    """An archive's blocks, in memory."""

    def __init__(self, items: Sequence[Block]) -> None:
        self.items = items
        self.memo: dict[object, object] = {}


class MemoryArchive:
    """An archive without HTTP: the reads are the facade's own subject."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """``blocks`` in ascending order of seq."""
        self._by_seq = {block.seq: block for block in blocks}
        self._blocks = _Blocks(blocks)
        self._reads: list[str] = []

    def block(self, seq: int) -> Block | None:
        """One block, or None."""
        self._reads.append(READ_ONE.format(seq=seq))
        return self._by_seq.get(seq)

    def blocks(self) -> _Blocks:
        """Every block."""
        self._reads.append(READ_ALL)
        return self._blocks

    def take_reads(self) -> tuple[str, ...]:
        """What was read since this was last asked, as the requests that it takes over HTTP."""
        reads, self._reads = self._reads, []
        return tuple(reads)


def blocks(dice: Dice) -> list[Block]:
    """A few blocks; seqs ascend, with gaps, up to the last there is."""
    made = []
    seq = 0
    if dice.one_in(16):
        # About as many hits as a search gives at most, all alike.
        return [Block(f"r{n}", n, dice.pick(("ab", "AB", "")), "tool", "ab", 0) for n in range(1, dice.between(19, 23))]
    for _ in dice.some(4, 24):
        seq += 1 if dice.below(4) else 1 + dice.below(1000)
        made.append(_block(dice, seq))
    if dice.one_in(8):
        made.append(_block(dice, dice.pick((_LAST_SEQ, _LAST_SEQ - 1, 1 << 63, 10**19))))
    return made


def _block(dice: Dice, seq: int) -> Block:
    label = dice.pick(_LABELS) if dice.below(2) else texts.any_text(dice)
    return Block(f"r{seq}", seq, label, dice.pick(_ROLES), content(dice), 1_790_000_000 + dice.below(100))


def content(dice: Dice) -> str:
    """A block's content: often around the length at which a snippet is cut."""
    sort = dice.below(7)
    if sort == 0:
        return texts.sentence(dice)
    if sort == 1:
        return texts.any_text(dice)
    if sort == 2:
        letter = dice.pick(("a", "é", "漢", "👍", "Ⱥ"))
        length = dice.between(157, 163)
        around = list(letter * length)
        for _ in dice.some(1, 3):
            around[dice.between(150, length - 1)] = dice.pick((" ", "\u3000", "\x1f", "\n"))
        return "".join(around)
    if sort == 3:
        return (texts.sentence(dice) + dice.pick((" ", "\n", "\n\n", "\t"))) * dice.between(1, 40)
    if sort == 4:
        return texts.blank(dice)
    return texts.joined([texts.sentence(dice) for _ in dice.some(3, 12)], dice.pick(("\n", "\r\n", "\n\n")))


def query(dice: Dice, there: Sequence[Block]) -> str:
    """Keywords that are there, whole or bent, and what is none."""
    sort = dice.below(6)
    if sort == 0:
        return dice.pick(_QUERIES)
    if sort == 1:
        return texts.any_text(dice)
    words = []
    for _ in dice.some(2, 6):
        held = strings.fields(dice.pick(there).label + " " + dice.pick(there).content) if there else []
        words.append(dice.pick(held) if held and dice.below(2) else texts.one_of(dice, held))
    joint = dice.pick((" ", " ", ", ", "_", "\n", "\u00a0", "\x1c", "÷", "-", "ß"))
    return texts.padded(dice, joint.join(words))


def recall_arguments(dice: Dice, there: Sequence[Block]) -> bytes:
    """The arguments of ``recall``."""
    written = raw_json.Written(dice)
    written.text("id", ids.identifier(dice, [block.seq for block in there]))
    return written.done()


def search_arguments(dice: Dice, there: Sequence[Block]) -> bytes:
    """The arguments of ``recall_search``."""
    written = raw_json.Written(dice)
    written.text("query", query(dice, there))
    written.number("limit", LIMITS)
    return written.done()


@dataclass(frozen=True, slots=True)
class RecallCalls:
    """One of the two tools, several calls on one archive."""

    name: str
    make: Callable[[Dice, Sequence[Block]], bytes]
    buckets: tuple[Bucket, ...]
    judge: str = MODEL

    def trial(self, dice: Dice, target: GoTarget) -> SessionTrial:
        """An archive and some calls."""
        there = blocks(dice)
        raws = [self.make(dice, there) for _ in dice.some(6, 16)] or [self.make(dice, there)]
        return self.given(there, raws, target)

    def given(self, there: Sequence[Block], raws: Sequence[bytes], target: GoTarget) -> SessionTrial:
        """A trial of given blocks and raw arguments."""
        archive = MemoryArchive(there)
        env = Env(target, archive=archive)
        steps = []
        calls = []
        for index, raw in enumerate(raws, 1):
            step = Step(index, self.name, "", raw, None, Expected(), Place("", f"steps[{index - 1}]", 0))
            actual, seen = run(step, env, target)
            actual[named.REQUESTS] = archive.take_reads()
            steps.append(step)
            calls.append(Call(index, self.name, actual, {**seen, "blocks": there}))
        journal = Journal("", "", RECALL, "", target, "model", tuple(there), steps=tuple(steps))
        return SessionTrial(journal, {"q": "reset", "kind": RECALL, **head(journal)}, calls)


SUBJECTS: Final = (
    RecallCalls(RECALL_TOOL, recall_arguments, recall_buckets.RECALL),
    RecallCalls(SEARCH, search_arguments, recall_buckets.SEARCH),
)
