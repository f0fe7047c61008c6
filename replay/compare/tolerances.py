"""Tolerances: differences that the contract allows. Each is a named rule, and says how much it hid.

A tolerance is asked about one difference and accepts exactly what its sentence says; when in doubt it refuses, and the
difference is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from parity.gostd import utf8
from replay.compare.difference import ABSENT, Tolerated, field_of
from replay.compare.permutations import Line, read
from replay.compare.texts import common_prefix, common_suffix
from replay.fields import characters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parity.gostd.target import GoTarget
    from replay.compare.difference import Absent, Difference, Path
    from replay.compare.permutations import Found
    from replay.fields import Fields, Value

_ERROR: Final = "[erreur] "
_WRITING_TOOLS: Final = frozenset({"mem_add", "mem_edit", "tracker"})

_CONTRACT_ERRORS: Final = (
    "nom vide",
    "nom invalide (alphanum, ._-)",
    "la page existe déjà — utilise mem_edit pour la modifier",
    "page chiffrée, mémoire verrouillée",
    "page '{}' introuvable",
    "page '{}' chiffrée — mémoire verrouillée",
    "old vide",
    "old introuvable dans la page",
    "old apparaît {} fois — ajoute du contexte pour le rendre unique",
    "nom de tracker vide",
    "contenu vide",
    "date non comprise : {} (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)",
    "name et id sont requis pour modifier un point",
    "tracker introuvable",
    "événement introuvable",
    "name requis",
    "id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil",
    "action inconnue {} (view, add, edit, delete)",
    "valeur chiffrée, mémoire verrouillée",
)
"""Every error of the tools that write (memory.md, tracker.md); ``{}`` stands for what the user gave."""

_CONTRACT_ERROR: Final = re.compile(
    "|".join(re.escape(text).replace(r"\{\}", ".*") for text in _CONTRACT_ERRORS), re.DOTALL
)


def is_contract_error(text: str) -> bool:
    """Whether a text after ``[erreur] `` is one of the contract's own, not one of the operating system."""
    return _CONTRACT_ERROR.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a tolerance may know of a step beside the difference itself.

    ``expected`` and ``actual`` are the whole sides, ``system_error`` the candidate's word that its result holds a text
    of the operating system, ``project`` the slug under which the project's trackers are kept.
    """

    tool: str
    raw_args: bytes = b""
    expected: Fields = field(default_factory=dict)
    actual: Fields = field(default_factory=dict)
    system_error: bool = False
    target: GoTarget | None = None
    project: str = "generale"
    contract_error: Callable[[str], bool] = is_contract_error
    redacted: frozenset[str] = frozenset()
    """The fields of this step from which the recorder left text out, such as ``result`` or ``files['a.md']``."""
    unstable: frozenset[str] = frozenset()
    """The fields that Go itself did not answer the same way twice."""


class Tolerance(Protocol):
    """A named rule of comparison; ``says`` is the rule in one sentence, for the report."""

    @property
    def name(self) -> str:
        """The name, such as ``tracker-order``."""
        ...

    @property
    def says(self) -> str:
        """The rule in one sentence."""
        ...

    def apply(self, context: StepContext, difference: Difference) -> Tolerated | None:
        """The difference as accepted by this rule, or None when the rule does not accept it."""
        ...


@dataclass(frozen=True, slots=True)
class SystemErrorText:
    """memory.md, Writing a page: an error of the system on a write gives ``[erreur] `` and a text of the port's own."""

    name: str = "system-error-text"
    says: str = (
        "after `[erreur] `, a tool that writes may word an error of the operating system in its own way; "
        "no error of the contract's own is meant"
    )

    def apply(self, context: StepContext, difference: Difference) -> Tolerated | None:
        """Accept when both are errors, the recorded one is not the contract's, and the candidate says whose it is."""
        sides = _result_texts(difference)
        if sides is None or context.tool not in _WRITING_TOOLS or not context.system_error:
            return None
        recorded, given = (text.removeprefix(_ERROR) for text in sides)
        if not all(text.startswith(_ERROR) for text in sides) or not recorded or not given:
            return None
        if context.contract_error(recorded):
            return None
        return Tolerated(self.name, difference.field, len(recorded))


_HEADER: Final = "Trackers du projet ({}) :\n"
_FOOTER: Final = 'Zoom : tracker(name:"<nom>") pour le détail d\'un tracker.'
_POINTS: Final = " — {} points, du "
_UNTIL: Final = " au "


@dataclass(frozen=True, slots=True)
class TrackerOrder:
    """tracker.md, The view: Go walks a map, so trackers with the same last point come in any order."""

    name: str = "tracker-order"
    says: str = "in the overview, the lines of trackers with the same last point may come in any order among themselves"

    def apply(self, context: StepContext, difference: Difference) -> Tolerated | None:
        """Accept when the candidate's lines are the recorded ones, and only equals have changed places.

        The recorded text is read with the help of the trackers themselves, since a name may hold anything, a whole
        line included; what cannot be read so, or not with bounded effort, is not accepted.
        """
        sides = _result_texts(difference)
        trackers = context.expected.get("trackers", context.actual.get("trackers"))
        if sides is None or context.tool != "tracker" or not isinstance(trackers, Mapping):
            return None
        groups = _groups(trackers, f"{context.project}/")
        count = sum(map(len, groups))
        bodies = [_body(text, count) for text in sides]
        recorded, given = bodies
        if recorded is None or given is None or len(recorded) != len(given):
            return None
        lines = read(recorded, groups)
        if lines is None or not all(map(_end_on_one_day, lines)):
            return None
        if read(given, [[Line(found.text) for found in group] for group in lines]) is None:
            return None
        return Tolerated(self.name, difference.field, _span(*sides))


@dataclass(frozen=True, slots=True)
class Redacted:
    """A recording may leave out what must not be kept; the journal's head lists where (README, Recording)."""

    name: str = "redacted"
    says: str = (
        "where the recorder put a marker such as [redacted:token] in the place of a text, any text but an empty one "
        "may stand; everything around it is compared"
    )

    def apply(self, context: StepContext, difference: Difference) -> Tolerated | None:
        """Accept when the candidate's text is the recorded one with something in the place of every marker."""
        if field_of(_whole(difference.path)) not in context.redacted:
            return None
        one, other = (_text(side) for side in (difference.expected, difference.actual))
        if one is None or other is None:
            return None
        hidden = _in_place_of_markers(MARKER.split(one), other)
        return None if hidden is None else Tolerated(self.name, difference.field, hidden)


UNSTABLE: Final = "unstable-in-go"


@dataclass(frozen=True, slots=True)
class UnstableInGo:
    """What Go itself does not repeat cannot be asked of anybody; the journal's head lists it (README, Recording)."""

    name: str = UNSTABLE
    says: str = "a field that Go itself did not answer the same way twice, as the journal's head lists, may differ"

    def apply(self, context: StepContext, difference: Difference) -> Tolerated | None:
        """Accept whatever stands in such a field."""
        if field_of(_whole(difference.path)) not in context.unstable:
            return None
        side = difference.actual if difference.expected is ABSENT else difference.expected
        assert side is not ABSENT  # noqa: S101 - a difference has a side
        return Tolerated(self.name, difference.field, characters(side))


MARKER: Final = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]", re.ASCII)
"""What stands in the place of a text that a recorder left out: the name of the rule."""


def _whole(path: Path) -> Path:
    """The part of a path that a journal's head names: one file, one tracker, or else the whole field."""
    return path[:2] if path[:1] in (("files",), ("trackers",)) else path[:1]


def _text(side: Value | Absent) -> str | None:
    if isinstance(side, bytes):
        return utf8.text(side)
    return side if isinstance(side, str) else None


def _in_place_of_markers(pieces: Sequence[str], given: str) -> int | None:
    """How many characters of a text stand between these pieces; None if it is not made of them, in this order.

    One piece, which is no marker at all, is None too. Each piece is taken where it comes first.
    """
    first, *rest = pieces
    if not rest or not given.startswith(first) or not given.endswith(rest[-1]):
        return None
    at = len(first)
    for piece in rest[:-1]:
        found = given.find(piece, at + 1)
        if found < 0:
            return None
        at = found + len(piece)
    if at + 1 > len(given) - len(rest[-1]):
        return None
    return len(given) - sum(map(len, pieces))


ALL: Final[tuple[Tolerance, ...]] = (TrackerOrder(), SystemErrorText(), Redacted(), UnstableInGo())
"""Every tolerance there is."""


def _result_texts(difference: Difference) -> tuple[str, str] | None:
    one, other = difference.expected, difference.actual
    if difference.field == "result" and isinstance(one, str) and isinstance(other, str):
        return one, other
    return None


def _span(recorded: str, given: str) -> int:
    """How many recorded characters stand between the first and the last that differ."""
    start = common_prefix(recorded, given)
    return len(recorded) - start - common_suffix(recorded, given, min(len(recorded), len(given)) - start)


def _body(text: str, count: int) -> str | None:
    header = _HEADER.format(count)
    if not text.startswith(header) or not text.endswith(_FOOTER) or len(text) < len(header) + len(_FOOTER):
        return None
    return text[len(header) : -len(_FOOTER)]


def _groups(trackers: Mapping[str, Value], prefix: str) -> list[list[Line]]:
    """What each line of the overview must look like, equals together, the most recent last point first."""
    by_last: dict[int, list[Line]] = {}
    for key, tracker in trackers.items():
        if key.startswith(prefix) and isinstance(tracker, Mapping):
            events = tracker.get("events")
            points: Sequence[Value] = events if isinstance(events, tuple) else ()
            by_last.setdefault(_last(points), []).append(_line(tracker.get("name"), len(points)))
    return [by_last[last] for last in sorted(by_last, reverse=True)]


def _last(points: Sequence[Value]) -> int:
    """The last point's ``ts``; no point counts as 0."""
    last = points[-1] if points else None
    ts = last.get("ts") if isinstance(last, Mapping) else None
    return ts if isinstance(ts, int) else 0


def _line(name: Value, points: int) -> Line:
    start = f"- {name if isinstance(name, str) else ''}"
    return Line(start + _POINTS.format(points), dated=True) if points else Line(start + "\n")


def _end_on_one_day(lines: Sequence[Found]) -> bool:
    """Whether the lines of trackers with one last point name one last day; those without a point name none."""
    return len({found.text.rpartition(_UNTIL)[2] for found in lines if found.line.dated}) <= 1
