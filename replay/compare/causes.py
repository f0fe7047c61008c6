"""Why two texts differ, as far as it can be told honestly: each cause is tried, and says how much it explains.

A cause explains the whole difference, or the first difference only, or the first one of a text that is too long to be
tried to its end. It is never guessed from the first character alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.compare import rewritings
from replay.compare.texts import utf8_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONG_LINE: Final = 10_000
_KEPT: Final = 200

Rewriting: TypeAlias = "Callable[[str], str]"


class Extent(StrEnum):
    """How much of the difference a cause explains; the value is how a report says it."""

    WHOLE = "the whole difference"
    FIRST = "first difference only"
    TOGETHER = "the whole difference, but only together"
    UNEXAMINED = "first difference; the rest is too long to examine"


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause: its name, such as ``crlf``, a sentence about it, and how much it explains."""

    name: str
    says: str
    extent: Extent


@dataclass(frozen=True, slots=True)
class Parting:
    """Two texts that differ: how many characters they begin and end with alike. The two never overlap."""

    recorded: str
    candidate: str
    prefix: int
    suffix: int

    def lines(self) -> Parting:
        """The same two texts without what is alike at both ends, up to the first and the last line that differ.

        Of a very long line only the part near the difference stays; a bar stands for what is cut off.
        """
        start = self.recorded.rfind("\n", 0, self.prefix) + 1
        before = self.recorded[start : self.prefix]
        ending = len(self.recorded) - self.suffix
        newline = self.recorded.find("\n", ending)
        after = self.recorded[ending : len(self.recorded) if newline < 0 else newline + 1]
        if len(before) > _LONG_LINE:
            before = "|" + before[-_KEPT:]
        if len(after) > _LONG_LINE:
            after = after[:_KEPT] + "|"
        recorded = "".join((before, self.recorded[self.prefix : ending], after))
        candidate = "".join((before, self.candidate[self.prefix : len(self.candidate) - self.suffix], after))
        return Parting(recorded, candidate, len(before), len(after))

    def middles(self) -> Iterator[tuple[str, str]]:
        """Only what differs: as it is, and with the last character that is alike before it (``&`` and ``&amp;``)."""
        for before in range(min(1, self.prefix) + 1):
            start = self.prefix - before
            yield (
                self.recorded[start : len(self.recorded) - self.suffix],
                self.candidate[start : len(self.candidate) - self.suffix],
            )

    @property
    def longer(self) -> int:
        """The length of the longer of the two."""
        return max(len(self.recorded), len(self.candidate))


@dataclass(frozen=True, slots=True)
class _Form:
    """A cause that undoes itself: rewritten, the two texts are one.

    ``one_side``: only one of the two is rewritten, since an escape inside the text itself must stay what it is.
    """

    name: str
    says: str
    rewrite: Rewriting
    one_side: bool = False
    cheap: bool = False

    def explains(self, one: str, other: str) -> bool:
        """Whether the two texts are one when rewritten."""
        return any(ours == theirs for ours, theirs in self._rewritten(one, other))

    def explains_start(self, one: str, other: str, alike: str) -> bool:
        """Whether two texts that begin with ``alike`` and are cut off somewhere agree for long when rewritten."""
        least = max(len(alike), len(self.rewrite(alike))) + _AGREED
        for ours, theirs in self._rewritten(one, other):
            sure = min(len(ours), len(theirs)) - _BESIDE
            if sure >= least and ours[:sure] == theirs[:sure]:
                return True
        return False

    def _rewritten(self, one: str, other: str) -> Iterator[tuple[str, str]]:
        if self.one_side:
            yield self.rewrite(one), other
            yield one, self.rewrite(other)
        else:
            yield self.rewrite(one), self.rewrite(other)


_FORMS: Final = (
    _Form("crlf", "lines end in CR LF on one side, in LF on the other", rewritings.without_crlf, cheap=True),
    _Form("lone-cr", "a CR stands for a line end", rewritings.without_cr, cheap=True),
    _Form("cr", "a CR stands on one side only", rewritings.dropped_cr, cheap=True),
    _Form("trailing-space", "space or tab before the end of a line", rewritings.without_trailing_blanks),
    _Form("normal-form", "composed on one side, decomposed on the other (NFC, NFD)", rewritings.composed),
    _Form("space-look-alike", "another kind of space, such as U+00A0 for U+0020", rewritings.plain_spaces),
    _Form("white-space", "another amount of spaces and tabs", rewritings.one_blank),
    _Form("invisible", "zero-width, direction or byte order marks on one side", rewritings.visible),
    _Form("letter-case", "capitals against small letters", rewritings.small),
    _Form("look-alike", "characters that look alike", rewritings.plain_letters),
    _Form("replacements", "another number of U+FFFD in a run", rewritings.one_replacement),
    _Form("bad-bytes", "bytes that are not UTF-8 against U+FFFD", rewritings.one_bad),
    _Form("go-escape", "escaped as Go's JSON does, such as \\u003c", rewritings.without_go_escapes, one_side=True),
    _Form("html-entity", "escaped as in HTML, such as &lt;", rewritings.without_entities, one_side=True),
    _Form("json-escape", "escaped as in JSON, such as \\n", rewritings.without_json_escapes, one_side=True),
    _Form(
        "double-encoded",
        "UTF-8 read as Latin-1 or Windows-1252 and written as UTF-8 again, such as Ã© for é",
        rewritings.encoded_once,
        one_side=True,
    ),
    _Form(
        "bytes-lost",
        "U+FFFD for every byte beyond ASCII, such as two for é",
        rewritings.replaced_by_bytes,
        one_side=True,
    ),
    _Form(
        "letters-lost",
        "one U+FFFD for every letter beyond ASCII, as when Latin-1 is read as UTF-8",
        rewritings.replaced_by_letters,
        one_side=True,
    ),
    _Form("number-form", "the same numbers, written in another form", rewritings.same_numbers),
    _Form("line-numbers", "other line numbers before the same lines", rewritings.without_line_numbers),
    _Form("compatibility", "compatibility forms (NFKC)", rewritings.compatible),
    _Form("accents", "accents on one side only", rewritings.without_accents),
)

_LAST_NEWLINES: Final = _Form("last-newline", "newlines at the very end", rewritings.without_last_newlines)

_SMALL: Final = 4_000
"""Up to here every cause is tried on everything that differs, together with others too."""

_MOST: Final = 300_000
"""Beyond this many characters a cause that is not cheap is not tried on everything that differs."""

_HUNK: Final = 12
_BESIDE: Final = 8
_AGREED: Final = 16
_WINDOW: Final = 80


def causes(parting: Parting) -> tuple[Cause, ...]:
    """The one cause that explains everything; else several that do so together; else those of the first difference."""
    found = _last_newline(parting)
    if found is not None:
        return (found,)
    lines = parting.lines()
    first = _First(lines)
    partly: list[Cause] = []
    for form in _FORMS:
        extent = _extent(form, lines, first)
        if extent is Extent.WHOLE:
            return (Cause(form.name, form.says + _detail(form, lines), extent),)
        if extent is not None:
            partly.append(Cause(form.name, form.says, extent))
    whole = _piece(parting) or _order(parting, lines)
    if whole is not None:
        return (whole,)
    return _together(lines) or tuple(partly)


def _extent(form: _Form, lines: Parting, first: _First) -> Extent | None:
    if lines.longer > _SMALL:
        if not first.explained_by(form):
            return None
        if not form.cheap and lines.longer > _MOST:
            return Extent.UNEXAMINED
    if form.explains(lines.recorded, lines.candidate) or (
        form.one_side and any(form.explains(*middle) for middle in lines.middles())
    ):
        return Extent.WHOLE
    return Extent.FIRST if first.explained_by(form) else None


class _First:
    """The first difference on its own, in the ways in which it can be cut out of the rest."""

    def __init__(self, lines: Parting) -> None:
        sides = (lines.recorded, lines.candidate)
        at = lines.prefix
        self._start = max(0, at - 2 * _BESIDE)
        self._alike = lines.recorded[self._start : at]
        self._cut_off = (lines.recorded[self._start : at + _WINDOW], lines.candidate[self._start : at + _WINDOW])
        self._whole: list[tuple[str, str]] = []
        ends = [_line_end(text, at) for text in sides]
        if max(ends) <= _SMALL:
            self._whole.append((lines.recorded[: ends[0]], lines.candidate[: ends[1]]))
        for ours, theirs in _HUNKS:
            after = [text[at + step : at + step + _BESIDE] for text, step in zip(sides, (ours, theirs), strict=True)]
            if after[0] == after[1]:
                self._whole.append((self._window(sides[0], at + ours), self._window(sides[1], at + theirs)))

    def _window(self, text: str, end: int) -> str:
        """The text around the place. What is cut off is not the end of a line: a bar stands for it."""
        return text[self._start : end + _BESIDE] + ("|" if end + _BESIDE < len(text) else "")

    def explained_by(self, form: _Form) -> bool:
        """The first lines that differ are one when rewritten; or the texts up to the nearest place where they meet."""
        return form.explains_start(*self._cut_off, self._alike) or any(form.explains(*pair) for pair in self._whole)


_HUNKS: Final = sorted(
    ((ours, theirs) for ours in range(_HUNK + 1) for theirs in range(_HUNK + 1) if ours or theirs), key=sum
)


def _line_end(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def _last_newline(parting: Parting) -> Cause | None:
    """The longer text is the shorter one and newlines."""
    shorter, longer = sorted((parting.recorded, parting.candidate), key=len)
    if parting.prefix < len(shorter) or shorter.endswith("\r"):  # first: what follows copies the longer text
        return None
    more = longer[len(shorter) :]
    if more.strip("\r\n") or more.replace("\r\n", "\n").strip("\n"):
        return None
    count = more.count("\n")
    many = _newlines(count)
    if longer is parting.recorded:
        return Cause("lost-last-newline", f"{many} at the very end missing from the candidate", Extent.WHOLE)
    return Cause("extra-last-newline", f"{many} at the very end that the recording does not have", Extent.WHOLE)


def _piece(parting: Parting) -> Cause | None:
    """The longer text is the shorter one with one piece more: at the end, or somewhere inside."""
    shorter, longer = sorted((parting.recorded, parting.candidate), key=len)
    if parting.prefix + parting.suffix < len(shorter):
        return None
    missing = longer is parting.recorded
    more = len(longer) - len(shorter)
    many = "one character" if more == 1 else f"{more} characters"
    where = f"byte {utf8_length(longer, parting.prefix)}"
    if not parting.suffix:
        if missing:
            return Cause("truncated", f"the candidate ends at {where}; {many} more were recorded", Extent.WHOLE)
        return Cause("goes-on", f"the recording ends at {where}; the candidate goes on for {many}", Extent.WHOLE)
    lines = longer.count("\n", parting.prefix, parting.prefix + more)
    counted = f"{many} ({_newlines(lines)})" if lines else many
    if missing:
        return Cause("missing-piece", f"{counted} at {where} missing from the candidate, in one piece", Extent.WHOLE)
    return Cause("extra-piece", f"{counted} at {where} that were not recorded, in one piece", Extent.WHOLE)


def _newlines(count: int) -> str:
    return "one newline" if count == 1 else f"{count} newlines"


def _order(parting: Parting, lines: Parting) -> Cause | None:
    """The same lines, some in another place."""
    if lines.longer > _MOST:
        return None
    ours, theirs = (text.split("\n") for text in (lines.recorded, lines.candidate))
    if len(ours) < 2 or Counter(ours) != Counter(theirs):
        return None
    first = parting.recorded.count("\n", 0, parting.prefix) + 1
    moved = first + theirs.index(ours[0])
    says = f"the same lines in another order: line {first} of the recording is line {moved} of the candidate"
    return Cause("order", says, Extent.WHOLE)


def _together(lines: Parting) -> tuple[Cause, ...]:
    """Several causes that make the two texts one only together, and none of which can be left out."""
    needed = [form for form in (*_FORMS, _LAST_NEWLINES) if not form.one_side]
    if lines.longer > _SMALL or not _makes_one(needed, lines):
        return ()
    for form in reversed(list(needed)):
        others = [other for other in needed if other is not form]
        if _makes_one(others, lines):
            needed = others
    return tuple(Cause(form.name, form.says, Extent.TOGETHER) for form in needed)


def _makes_one(forms: list[_Form], lines: Parting) -> bool:
    one, other = lines.recorded, lines.candidate
    for form in forms:
        one, other = form.rewrite(one), form.rewrite(other)
    return one == other


def _detail(form: _Form, lines: Parting) -> str:
    """By how much line numbers are off, if all by the same."""
    if form.rewrite is not rewritings.without_line_numbers:
        return ""
    numbers = (rewritings.line_numbers(lines.recorded), rewritings.line_numbers(lines.candidate))
    if len(numbers[0]) != len(numbers[1]):
        return ""
    shifts = {theirs - ours for ours, theirs in zip(*numbers, strict=True) if ours != theirs}
    return f": {shifts.pop():+d} each" if len(shifts) == 1 else ""
