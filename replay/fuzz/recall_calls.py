"""Calls of ``recall`` and ``recall_search`` on small archives (recall.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from parity.gostd import strings
from parity.tools.interface import Block, Env
from replay.candidates.written import head
from replay.fuzz import arguments, ids, texts
from replay.fuzz.session_trial import SessionTrial, run
from replay.fuzz.trial import MODEL, Bucket, Call
from replay.journal.model import RECALL, Expected, Journal, Place, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.fields import Fields
    from replay.fuzz.dice import Dice

RECALL_TOOL: Final = "recall"
SEARCH: Final = "recall_search"

_LAST_SEQ: Final = (1 << 64) - 1
_ROLES: Final = ("tool", "user", "assistant", "system", "", "é\n")
_LABELS: Final = ("tool", "user: ", "", "\t", "a\nb", "— ", "rappelé verbatim]\n", "÷÷", "ÉTÉ", "İSTANBUL", "\u212aelvin", "ab", "café docker")
_QUERIES: Final = (
    "÷÷ 2", "à l d'", "×", "ß ÿ", "Ÿÿ", "ab", "a", "ÀÉ", "ÎÏ÷", "1 2 3", "12", "_", "a_b", "Σσς", "İİ", "\u212a\u212a", "ſs", "þÞ", "Āā", "ßß",
    "ÿĀ", "`a {b", "/0 9:", "@A[Z", "<script>", "À L'ÉTÉ", "cafe\u0301s", "stra\u00dfe", "aé", "é", "éé", "tool", "\x1cab", "ab ab AB",
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

    def block(self, seq: int) -> Block | None:
        """One block, or None."""
        return self._by_seq.get(seq)

    def blocks(self) -> _Blocks:
        """Every block."""
        return self._blocks


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
    written = arguments.Written(dice)
    written.text("id", ids.identifier(dice, [block.seq for block in there]))
    return written.done()


def search_arguments(dice: Dice, there: Sequence[Block]) -> bytes:
    """The arguments of ``recall_search``."""
    written = arguments.Written(dice)
    written.text("query", query(dice, there))
    written.number("limit")
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
        raws = [self.make(dice, there)]
        raws.extend(self.make(dice, there) for _ in dice.some(5, 16))
        return self.given(there, raws, target)

    def given(self, there: Sequence[Block], raws: Sequence[bytes], target: GoTarget) -> SessionTrial:
        """A trial of given blocks and raw arguments."""
        env = Env(target, archive=MemoryArchive(there))
        steps = []
        calls = []
        for index, raw in enumerate(raws, 1):
            step = Step(index, self.name, "", raw, None, Expected(), Place("", f"steps[{index - 1}]", 0))
            actual, seen = run(step, env, target)
            steps.append(step)
            calls.append(Call(index, self.name, actual, {**seen, "blocks": there}))
        journal = Journal("", "", RECALL, "", target, "model", tuple(there), steps=tuple(steps))
        return SessionTrial(journal, {"q": "reset", "kind": RECALL, **head(journal)}, calls)


def _id(seen: Mapping[str, object]) -> object:
    return cast("Mapping[str, object]", seen["args"]).get("id")


def _given(name: str, test: Callable[[str], object]) -> Callable[[Mapping[str, object], Fields], object]:
    """Whether an argument is a text of which something holds."""

    def reached(seen: Mapping[str, object], _: Fields) -> object:
        value = cast("Mapping[str, object]", seen["args"]).get(name)
        return isinstance(value, str) and test(value)

    return reached


def _number(test: Callable[[float], object]) -> Callable[[Mapping[str, object], Fields], object]:
    def reached(seen: Mapping[str, object], actual: Fields) -> object:
        value = cast("Mapping[str, object]", seen["args"]).get("limit")
        return isinstance(value, float) and str(actual.get("result")).startswith("Blocs") and test(value)

    return reached


def _result(test: Callable[[str], object]) -> Callable[[Mapping[str, object], Fields], object]:
    return lambda _, actual: test(str(actual.get("result", "")))


def _hits(actual: Fields) -> int:
    return str(actual.get("result", "")).count("\n- r")


def _found(seen: Mapping[str, object], actual: Fields) -> bool:
    del seen
    return "rappelé verbatim]\n" in str(actual.get("result", ""))


def _malformed(test: Callable[[str], object]) -> Callable[[Mapping[str, object], Fields], object]:
    """An id of which something holds, and which finds nothing although its digits may name a block."""
    given = _given("id", test)
    return lambda seen, actual: "introuvable" in str(actual.get("result", "")) and given(seen, actual)


def _digits_at_end(text: str) -> bool:
    return text[-1:] in {*"0123456789"}


RECALL_BUCKETS: Final = (
    Bucket("recall/id/missing", "no text", lambda seen, _: _id(seen) is not None and not isinstance(_id(seen), str)),
    Bucket("recall/id/missing", "blank", _given("id", lambda text: text and not strings.trim_space(text))),
    Bucket("recall/id/missing", "absent", lambda seen, _: "id" not in cast("Mapping[str, object]", seen["args"])),
    Bucket("recall/id/prefix", "r", lambda seen, actual: _found(seen, actual) and str(_id(seen)).startswith("r")),
    Bucket("recall/id/prefix", "R", lambda seen, actual: _found(seen, actual) and str(_id(seen)).startswith("R")),
    Bucket("recall/id/prefix", "rR", lambda seen, actual: _found(seen, actual) and str(_id(seen)).startswith("rR")),
    Bucket("recall/id/prefix", "none", lambda seen, actual: _found(seen, actual) and str(_id(seen))[:1].isdigit()),
    Bucket("recall/id/prefix", "Rr is malformed", _malformed(lambda text: text.startswith("Rr") and _digits_at_end(text))),
    Bucket("recall/id/prefix", "rr is malformed", _malformed(lambda text: text.startswith("rr") and _digits_at_end(text))),
    Bucket("recall/id/prefix", "a space of Go after it", lambda seen, actual: _found(seen, actual) and str(_id(seen))[1:2] in {*texts.GO_SPACES}),
    Bucket("recall/id/digits", "leading zeros", lambda seen, actual: _found(seen, actual) and "r00" in str(_id(seen))),
    Bucket("recall/id/digits", "thousands of zeros", _given("id", lambda text: "0" * 4301 in text)),
    Bucket("recall/id/digits", "2^64 - 1 is there", lambda seen, actual: _found(seen, actual) and str(_LAST_SEQ) in str(_id(seen))),
    Bucket("recall/id/digits", "2^64", _malformed(lambda text: str(_LAST_SEQ + 1) in text)),
    Bucket("recall/id/malformed", "another script's digits", _malformed(lambda text: any(c in texts.foreign_digits() for c in text))),
    Bucket("recall/id/malformed", "sign", _malformed(lambda text: "+" in text or "-" in text)),
    Bucket("recall/id/malformed", "underscore", _malformed(lambda text: "1_0" in text)),
    Bucket("recall/id/malformed", "U+001C to U+001F", _malformed(lambda text: text[:1] in {*"\x1c\x1d\x1e\x1f"} and _digits_at_end(text))),
    Bucket("recall/id/malformed", "nothing after the prefix", _malformed(lambda text: strings.trim_space(text) in {"r", "R", "rR"})),
    Bucket("recall/result/absent", "well formed", _malformed(lambda text: text[:1] == "r" and text[1:].isdecimal() and text.isascii())),
    Bucket("recall/result/absent", "quoted with an escape", _result(lambda text: "introuvable" in text and "\\u" in text)),
    Bucket("recall/result/found", "label with a newline", lambda seen, actual: _found(seen, actual) and "a\nb, rappelé" in str(actual["result"])),
    Bucket("recall/result/found", "empty content", _result(lambda text: text.endswith("rappelé verbatim]\n"))),
    Bucket("labels/argument", "no text", lambda _, actual: actual.get("label") == ""),
)  # fmt: skip

SEARCH_BUCKETS: Final = (
    Bucket("recall_search/query/missing", "no text", lambda seen, actual: actual.get("result") == "[erreur] query manquante" and isinstance(cast("Mapping[str, object]", seen["args"]).get("query"), (float, list, dict))),
    Bucket("recall_search/query/missing", "blank", _given("query", lambda text: text and not strings.trim_space(text))),
    Bucket("recall_search/keywords", "none left", lambda seen, actual: _given("query", lambda text: strings.trim_space(text))(seen, actual) and actual.get("result") == "[aucun bloc archivé ne correspond]"),
    Bucket("recall_search/keywords", "÷ in a word", _given("query", lambda text: "÷÷" in text)),
    Bucket("recall_search/keywords", "U+0130", _given("query", lambda text: "İ" in text)),
    Bucket("recall_search/keywords", "Kelvin", _given("query", lambda text: "\u212a" in text)),
    Bucket("recall_search/keywords", "one rune of two bytes", _given("query", lambda text: text == "é")),
    Bucket("recall_search/keywords", "twice the same", _given("query", lambda text: "ab ab" in text)),
    Bucket("recall_search/limit", "0 and below", _number(lambda value: value <= 0)),
    Bucket("recall_search/limit", "below 1, truncated", _number(lambda value: 0 < value < 1)),
    Bucket("recall_search/limit", "20", _number(lambda value: value == 20)),
    Bucket("recall_search/limit", "21", _number(lambda value: value == 21)),
    Bucket("recall_search/limit", "2^63 and above", _number(lambda value: value >= 2.0**63)),
    Bucket("recall_search/limit", "one", lambda seen, actual: _number(lambda value: value == 1)(seen, actual) and _hits(actual) == 1),
    Bucket("recall_search/limit", "another type", lambda seen, actual: isinstance(cast("Mapping[str, object]", seen["args"]).get("limit"), (str, bool)) and _hits(actual)),
    Bucket("recall_search/limit", "beyond float64", lambda seen, actual: b"e400" in cast("bytes", seen["raw"]) and _hits(actual)),
    Bucket("recall_search/order", "five of more", lambda _, actual: _hits(actual) == 5),
    Bucket("recall_search/limit", "20 of more", lambda seen, actual: _hits(actual) == 20 and len(cast("Sequence[Block]", seen["blocks"])) > 20),
    Bucket("recall_search/result/none", "reads, finds nothing", _result(lambda text: text == "[aucun bloc archivé ne correspond]")),
    Bucket("recall_search/result/hits", "trailing newlines of the whole removed", _result(lambda text: text.endswith(" ") and text.startswith("Blocs"))),
    Bucket("recall_search/result/hits", "a label with a newline", _result(lambda text: "— a\nb\n" in text)),
    Bucket("recall_search/snippet", "cut", _result(lambda text: text.startswith("Blocs") and "…" in text)),
    Bucket("recall_search/snippet", "160 runes, whole", lambda seen, actual: _hits(actual) and any(len(line) == 162 and not line.endswith("…") for line in str(actual["result"]).split("\n"))),
    Bucket("recall_search/snippet", "161 runes, cut", lambda seen, actual: _hits(actual) and any(len(line) == 163 and line.endswith("…") for line in str(actual["result"]).split("\n"))),
    Bucket("recall_search/snippet", "a space at the cut", lambda seen, actual: _hits(actual) and any(155 < len(line) < 163 and line.endswith("…") for line in str(actual["result"]).split("\n"))),
    Bucket("recall_search/score", "in label and in content", lambda seen, actual: _hits(actual) > 1),
    Bucket("labels/argument", "no text", lambda _, actual: actual.get("label") == ""),
)  # fmt: skip

SUBJECTS: Final = (
    RecallCalls(RECALL_TOOL, recall_arguments, RECALL_BUCKETS),
    RecallCalls(SEARCH, search_arguments, SEARCH_BUCKETS),
)
