"""What the tracker shows: every tracker, one by years, a year by months, points (contract: tracker.md, The view)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import time
from parity.rules import rule
from parity.tools.tracker_when import SKELETON, YEAR, clock, level, spaced, zone_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from parity.tools.interface import Env, Tracker, TrackerEvent

NO_TRACKER: Final = (
    "Aucun tracker dans ce projet. Crée-en un en ajoutant un point : "
    'action:"add", name:"…", text:"…" (when facultatif = maintenant).'
)
OVERVIEW: Final = 'Trackers du projet ({count}) :\n{lines}Zoom : tracker(name:"<nom>") pour le détail d\'un tracker.'
OVERVIEW_LINE: Final = "- {name}{points}\n"
OVERVIEW_POINTS: Final = " — {count} points, du {first} au {last}"

UNKNOWN: Final = (
    '[aucun tracker « {name} »] Appelle tracker() sans argument pour la liste, ou ajoute un point avec action:"add".'
)
EMPTY: Final = "Tracker « {name} » : vide pour l'instant."

YEARS: Final = "Tracker « {name} » — {count} points, du {first} au {last}\nAnnées : {years}\n"
THIS_YEAR: Final = "{year} (année en cours) : {months}\n"
YEARS_ZOOM: Final = 'Zoom : tracker(name:"{name}", when:"2025") pour une année · when:"{year}-07" pour un mois.'

NOTHING: Final = "Tracker « {name} » : rien en {when}."
MONTHS: Final = 'Tracker « {name} » en {when} — {count} points :\n{months}\nZoom : when:"{when}-07" pour un mois.'

POINTS: Final = "Tracker « {name} » en {when} — {count} points{cut} :\n{lines}{change}"
POINTS_CUT: Final = " (les 60 plus récents ; affine le when pour les plus anciens)"
POINT: Final = "- [{id}] {date} — {text}\n"
CHANGE: Final = 'Modifier/supprimer : action:"edit"|"delete", name, id (l\'identifiant entre crochets).'
MOST_POINTS: Final = 60

GROUP: Final = "{key} ({count})"
BETWEEN_GROUPS: Final = " · "

MINUTE_LAYOUT: Final = "2006-01-02 15:04"


@dataclass(frozen=True, slots=True)
class Point:
    """An event and the minute at which it happened, local time, as Go's ``2006-01-02 15:04`` prints it."""

    event: TrackerEvent
    minute: str

    # Cut from the end, each is what Go's layout of that name prints, for years of any length.

    @property
    def day(self) -> str:
        """As ``2006-01-02`` prints it."""
        return self.minute[: -len(" 15:04")]

    @property
    def month(self) -> str:
        """As ``2006-01`` prints it."""
        return self.minute[: -len("-02 15:04")]

    @property
    def year(self) -> str:
        """As ``2006`` prints it."""
        return self.minute[: -len("-01-02 15:04")]


def points_of(events: Iterable[TrackerEvent], env: Env) -> list[Point]:
    """Events as they are shown, in the order given."""
    zone = zone_of(env)
    return [Point(event, time.unix_milli(event.ts, zone).format(MINUTE_LAYOUT)) for event in events]


@rule("tracker/view/overview")
def overview(trackers: Mapping[str, Tracker], env: Env) -> str:
    """Every tracker of the project, one a line, with its number of points and its first and last day if it has any."""
    if not trackers:
        return NO_TRACKER
    lines = "".join(_overview_line(tracker, env) for tracker in by_last_point(trackers))
    return OVERVIEW.format(count=len(trackers), lines=lines)


@rule("tracker/view/overview-order")
def by_last_point(trackers: Mapping[str, Tracker]) -> list[Tracker]:
    """The latest last point first, an empty tracker as if at 1970; equals in key order, where Go leaves it to chance.

    The last point is the last as stored, not the latest.
    """
    return sorted(trackers.values(), key=lambda tracker: -tracker.events[-1].ts if tracker.events else 0)


def _overview_line(tracker: Tracker, env: Env) -> str:
    if not tracker.events:
        return OVERVIEW_LINE.format(name=tracker.name, points="")
    first, last = points_of((tracker.events[0], tracker.events[-1]), env)
    points = OVERVIEW_POINTS.format(count=len(tracker.events), first=first.day, last=last.day)
    return OVERVIEW_LINE.format(name=tracker.name, points=points)


@rule("tracker/view/unknown")
def unknown(name: str) -> str:
    """The answer about a tracker that is not there, by the name asked for."""
    return UNKNOWN.format(name=name)


@rule("tracker/view/names")
def detail(tracker: Tracker, when: str, env: Env) -> str:
    """One tracker, as closely as ``when``, trimmed, looks; always by its stored name."""
    if not tracker.events:
        return empty(tracker)
    points = matching(points_of(tracker.events, env), when)
    looked = level(when)
    if looked == SKELETON:
        return skeleton(tracker.name, points, clock(env).format("2006"))
    if looked == YEAR:
        return months(tracker.name, when, points)
    return listed(tracker.name, when, points)


@rule("tracker/view/empty")
def empty(tracker: Tracker) -> str:
    """The answer about a tracker without points, whatever the ``when``."""
    return EMPTY.format(name=tracker.name)


@rule("tracker/view/matching")
def matching(points: Sequence[Point], when: str) -> list[Point]:
    """The points whose minute starts with ``when``, its first ``T`` a space; nothing more is trimmed from it."""
    start = spaced(when)
    return [point for point in points if point.minute.startswith(start)]


@rule("tracker/view/groups")
def groups(keys: Iterable[str]) -> str:
    """How many points each year or month has, sorted as text."""
    return BETWEEN_GROUPS.join(GROUP.format(key=key, count=count) for key, count in sorted(Counter(keys).items()))


@rule("tracker/view/skeleton")
def skeleton(name: str, points: Sequence[Point], year: str) -> str:
    """A tracker by years; and by months the points whose date starts with ``year``, the clock's, if there are any."""
    head = YEARS.format(
        name=name,
        count=len(points),
        first=points[0].day,
        last=points[-1].day,
        years=groups(point.year for point in points),
    )
    this_year = [point.month for point in points if point.day.startswith(year)]
    middle = THIS_YEAR.format(year=year, months=groups(this_year)) if this_year else ""
    return head + middle + YEARS_ZOOM.format(name=name, year=year)


@rule("tracker/view/year")
def months(name: str, when: str, points: Sequence[Point]) -> str:
    """A year's points by months."""
    if not points:
        return NOTHING.format(name=name, when=when)
    return MONTHS.format(name=name, when=when, count=len(points), months=groups(point.month for point in points))


@rule("tracker/view/points")
def listed(name: str, when: str, points: Sequence[Point]) -> str:
    """Every point that matches, none as well; of more than sixty the last sixty, under the number of all."""
    return POINTS.format(
        name=name,
        when=when,
        count=len(points),
        cut=POINTS_CUT if len(points) > MOST_POINTS else "",
        lines="".join(map(point_line, points[-MOST_POINTS:])),
        change=CHANGE,
    )


@rule("tracker/view/point")
def point_line(point: Point) -> str:
    """A point: its id, its minute or, where no time of day was given, its day, its text."""
    date = point.day if point.event.date_only else point.minute
    return POINT.format(id=point.event.id, date=date, text=point.event.text)
