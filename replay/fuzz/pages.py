"""Pages: their names, their contents, what is looked for and what is changed in them (memory.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strings, utf8
from replay.fuzz import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from replay.fuzz.dice import Dice

SEAL_MARK: Final = b"LOKIMEMv1"

PLAIN_NAMES: Final = (
    "a",
    "b",
    "page",
    "Note",
    "v1.2",
    "a_b",
    "x-1",
    "docker",
    "MEMORY",
    "memory.md",
    "MEMORY.md",
    "Memory.MD",
    "a.md",
    "b.MD",
)
TRAPS: Final = (
    "", " ", "\t", "../etc/passwd", "..", "..", ".", "...", "/etc/passwd", "a/b", "a\\b", "é", "été.md", "mes plantes",
    "a b.md", "x\x00", "\x00", "x\x1c", "\x1cx", "x\u200b", "\ufeffx", "\u212a.md", "İ.md", "nom\ninterdit", "a:b",
    "a*", "?", "~", "CON", "a.md/", "a.md/b", "%2e%2e", "a+b", "(a)", '"', "'", "x.md.bak", "x.MD.md", ".md", ".MD",
    "-", "_", ".cache", "x.mḋ", "x．md", "x.md\n", "\u00a0x\u3000", "\u0085y\u2028", "MEMORY.md.md", "a.mD", "A",
    "A.md", "a.md.md", "a.txt", "…md", "a\u0301",
)  # fmt: skip
STORED: Final = (
    "a.md", "b.MD", "page.md", "MEMORY.md", "MEMORY.md", "é.md", "Ⱥ-Ⱥ.md", "İ.MD", "a b.md", "x.Md", ".cache.md",
    "...md", ".md", "sans-extension", "notes.txt", "\u202e.md", "tab\t.md", "nl\n.md", "\u212aelvin.md", "x.md.bak",
    "ẞ.md", "漢字.md", "UPPER.MD", "x.md~", "v1.2.md", "Note.md", "docker.md",
)  # fmt: skip
"""Names that only the initial state can hold, some of them no pages."""

SEARCH_LIMITS: Final = (0, 1, 1, 7, 8, 9, 29, 30, 31)
OFFSETS: Final = (0, 1, 2, 3, -1)
READ_LIMITS: Final = (0, 1, 2, 499, 500, 501)
"""Around the bounds of these arguments."""

_ODD: Final = (
    "", "", "\n", "\n\n   \n", "##\n#\n \n", "\r\n", "#", "# \n## \n\n", "\u00a0\n", "\x1c\n", "###### ###\nx\n",
    "# a](b.md)\n", "\x85# x\n", "a\rb\r\n",
)  # fmt: skip

_SHOWN: Final = 140
LENGTHS: Final = (119, 120, 121, _SHOWN, 399, 400, 401)
"""Numbers of lines around those at which a diff is cut, or given up."""


def name(dice: Dice, there: Sequence[str]) -> str:
    """A page's name as a call writes it: mostly one that is there, or free and good."""
    sort = dice.below(8)
    if sort <= 3 and there:
        found = dice.pick(there)
        return texts.padded(dice, found.removesuffix(".md") if dice.below(2) else found)
    if sort <= 5:
        return texts.padded(dice, dice.pick(PLAIN_NAMES))
    if sort == 6:
        return dice.pick(TRAPS)
    return texts.bent(dice, dice.pick((*PLAIN_NAMES, *TRAPS)))


def content(dice: Dice) -> str:
    """What a page holds, as text."""
    return dice.pick(_CONTENTS)(dice)


def _paragraphs(dice: Dice) -> str:
    head = dice.pick(("", "# ", "## ", "#", " # ", "#\t")) + texts.sentence(dice)
    return texts.joined(
        [head, *(texts.sentence(dice) for _ in dice.some(3, 10))], dice.pick(("\n", "\n", "\r\n", "\n\n"))
    )


def _odd(dice: Dice) -> str:
    return dice.pick(_ODD)


def growing(dice: Dice) -> str:
    """Letters that grow in lower case before a word: a snippet's start can pass its end."""
    letters = dice.pick(texts.GROWING) * dice.pick((1, 59, 60, 61, 62, 100, 120, 161, 200))
    return (
        dice.pick(("", "# x\n"))
        + letters
        + dice.pick((" ", ""))
        + dice.pick(("pivot", "mot fin", "p"))
        + " x" * dice.below(60)
    )


def _shrinking(dice: Dice) -> str:
    letters = dice.pick(("İ", "\u212a", "\u212b", "ẞ", "Ɫ", "\u2126")) * dice.pick((1, 20, 40, 61, 80))
    return letters + " pivot" + " suite" * dice.below(40)


def _many_lines(dice: Dice) -> str:
    return texts.joined([dice.pick("abc") for _ in range(dice.pick(LENGTHS))], "\n")


def _index(dice: Dice) -> str:
    """An index that already has some entries."""
    entries = [f"- [{texts.word(dice)}]({dice.pick(PLAIN_NAMES)}.md)" for _ in dice.some(4, 12)]
    return texts.joined(["# Index", *entries], "\n") + dice.pick(("", "", "\n", "à la main\n"))


def _few_lines(dice: Dice) -> str:
    return texts.joined([dice.pick(("a", "b", "c", "", "a b")) for _ in dice.some(6, 30)], "\n")


def _around_160_bytes(dice: Dice) -> str:
    letter = dice.pick(("a", "é", "漢", "👍"))
    return letter * ((159 + dice.below(4)) // len(letter.encode())) + dice.pick(("", "a", "é", " ", "ab"))


def _term_at(dice: Dice) -> str:
    """A term around the place at which a snippet begins or ends inside."""
    before = dice.pick(("a", "é", "漢")) * dice.pick((0, 19, 20, 21, 29, 30, 31, 58, 59, 60, 61, 62))
    after = dice.pick(("b", "é", "👍")) * dice.pick((0, 1, 24, 25, 47, 48, 94, 95, 96, 100))
    return before + dice.pick((" ", "")) + "pivot" + dice.pick((" ", "")) + after


def _overlapping(dice: Dice) -> str:
    piece = dice.pick(("a", "aa", "ab", "aba", "\n", "é", "ana"))
    return piece * dice.between(1, 7) + dice.pick(("", "b", "\n"))


def _false_seal(dice: Dice) -> str:
    return SEAL_MARK.decode() + dice.pick(("", "\n", "x" * 40, "\x00" * 40))


_CONTENTS: Final[tuple[Callable[[Dice], str], ...]] = (
    _paragraphs, _paragraphs, _paragraphs, _odd, _few_lines, _overlapping, _overlapping, _around_160_bytes, _term_at,
    growing, growing, _shrinking, texts.any_text, _many_lines, _false_seal, _index,
)  # fmt: skip


def stored(dice: Dice, file: str) -> bytes:
    """The bytes of a page of the initial state; they may be no UTF-8."""
    return texts.maybe_raw(dice, _index(dice) if file == "MEMORY.md" and dice.below(2) else content(dice))


def query(dice: Dice, there: Mapping[str, bytes]) -> str:
    """What is searched: terms of pages that are there, whole or bent, and others."""
    sort = dice.below(7)
    if len(there) > 20 and sort < 3:
        return "ab"
    if sort < 3 and sum(any(letter.encode() in page for letter in texts.GROWING) for page in there.values()) >= 3:
        return "pivot"
    if sort == 6:
        return dice.pick(("pivot", "mot", "p", "fin x", "md", "a.md"))
    if sort == 0:
        return dice.pick(
            (
                "ab",
                "pivot",
                "mot",
                "",
                "x",
                "İ",
                "ⱥ",
                "Ⱥ",
                "é",
                "md",
                "a",
                "\ufffd",
                "ß",
                "pivot a",
                "a a A",
                "#",
                "\x1c",
                "n\u0303",
                ".",
            )
        )
    if sort == 1:
        return texts.any_text(dice)
    words = []
    for _ in dice.some(2, 5):
        page = utf8.clean(utf8.text(dice.pick(list(there.values()))[:400])) if there else ""
        words.append(texts.one_of(dice, strings.fields(page)))
    return texts.padded(dice, dice.pick((" ", " ", "\u3000", "\x1f", "  ")).join(words))


_PIECES: Final = ("a", "aa", "aba", "\n", "ana", "é", "", " ", "\ufffd", "\r\n", "absent")


def edit(dice: Dice, page: bytes) -> tuple[str, str]:
    """What is replaced and by what: a piece that is there once, several times, overlapping with itself, or not."""
    text = utf8.clean(utf8.text(page))
    sort = dice.below(10)
    if sort == 0:
        there = [one for one in _PIECES if one in text]
        return dice.pick(there if dice.below(3) else _PIECES), texts.any_text(dice)
    if sort == 1:
        return text, dice.pick((content, content, _many_lines, _nothing))(dice)
    if sort == 2:
        return texts.any_text(dice), piece(dice, text)
    old = piece(dice, text)
    return old, _CHANGES[sort - 3](dice, old)


def _same(_: Dice, old: str) -> str:
    return old


def _other(dice: Dice, _: str) -> str:
    return content(dice)


def _sized(dice: Dice, old: str) -> str:
    """New lines, some after the old ones, about as many as a diff shows, or compares.

    Old lines that stay tell a diff that was worked out from one that was given up.
    """
    count = dice.pick(LENGTHS)
    others = count - old.count("\n") - 1
    if dice.below(2):
        return "\n".join([old, *["n"] * max(others, 1)])
    return "\n".join(["n"] * max(count if count > _SHOWN else others, 1))


def _nothing(_: Dice) -> str:
    return ""


def piece(dice: Dice, text: str) -> str:
    """A piece of a text, often whole lines."""
    if not text:
        return ""
    start = dice.below(len(text))
    length = 1 + dice.below(min(len(text) - start, dice.pick((3, 30, 4000))))
    found = text[start : start + length]
    if dice.below(2):
        return found
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start + length)
    return text[first : len(text) if last < 0 else last + dice.below(2)]


def changed(dice: Dice, text: str) -> str:
    """A text with some of its lines taken out, doubled, moved or changed: what a diff has to show."""
    lines = text.split("\n")
    for _ in dice.some(3, 10):
        at = dice.below(len(lines))
        sort = dice.below(5)
        if sort == 0:
            lines[at : at + 1] = []
        elif sort == 1:
            lines.insert(at, dice.pick(("a", "", "b\r", texts.word(dice))))
        elif sort == 2:
            lines[at] += dice.pick((" ", "\r", "x"))
        elif sort == 3:
            lines.insert(dice.below(len(lines)), lines.pop(at))
        else:
            lines.insert(dice.below(len(lines) + 1), lines[at])
        if not lines:
            lines = [""]
    return "\n".join(lines)


_CHANGES: Final[tuple[Callable[[Dice, str], str], ...]] = (
    _same, texts.bent, texts.bent, _other, _sized, changed, changed
)  # fmt: skip
"""What an edit makes of what it replaces."""
