"""``when``, the tracker's date: a moment where a point is written, a selection where points are read (tracker.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import strconv, strings, time
from parity.rules import rule

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Env

MISUNDERSTOOD: Final = "date non comprise : {when} (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)"

NOW: Final = ("now", "maintenant")

LAYOUTS: Final = (
    ("2006-01-02 15:04:05", False),
    ("2006-01-02 15:04", False),
    ("2006-01-02 15", False),
    ("2006-01-02", True),
    ("2006-01", True),
    ("2006", True),
)
"""Go's layouts in the order in which they are tried, and whether what fits is a date without a time."""

SKELETON: Final = 0
YEAR: Final = 1
MINUTE: Final = 4


class TrackerRefusedError(Exception):
    """The tracker refuses a call; ``text`` is what it prints after ``[erreur] ``."""

    def __init__(self, text: str) -> None:
        """A refusal in these words."""
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True)
class When:
    """When a point happened: ``ts`` in milliseconds since 1970; ``date_only`` when no time of day was given."""

    ts: int
    date_only: bool


@rule("tracker/local-time")
def zone_of(env: Env) -> time.Zone:
    """The zone that is local: the journal's, UTC where none is named."""
    return env.zone or time.UTC


@rule("tracker/clock")
def clock(env: Env) -> time.Time:
    """What the injected clock shows, in local time."""
    return time.unix_nano(env.now_ns, zone_of(env))


@rule("tracker/when/first-t")
def spaced(when: str) -> str:
    """The first ``T``, as ISO dates have it, made a space; a later one stays."""
    return when.replace("T", " ", 1)


@rule("tracker/when/now")
def is_now(when: str, target: GoTarget) -> bool:
    """Nothing, ``now`` or ``maintenant`` in any case: the clock is meant."""
    return not when or any(strings.equal_fold(when, word, target) for word in NOW)


@rule("tracker/when/layouts")
def fitted(when: str, zone: time.Zone) -> When | None:
    """The moment by the first layout that fits, or None."""
    text = spaced(when)
    for layout, date_only in LAYOUTS:
        try:
            return When(time.parse_in_location(layout, text, zone).unix_milli(), date_only)
        except time.ParseError:
            continue
    return None


@rule("tracker/when/misunderstood")
def misunderstood(when: str, target: GoTarget) -> TrackerRefusedError:
    """The refusal of a date that no layout fits: it quotes the date trimmed, its ``T`` kept."""
    return TrackerRefusedError(MISUNDERSTOOD.format(when=strconv.quote(when, target)))


@rule("tracker/when/trimmed")
def parse(when: str, env: Env) -> When:
    """The moment that ``when`` names. Raises :class:`TrackerRefusedError`."""
    trimmed = strings.trim_space(when)
    if is_now(trimmed, env.target):
        return When(clock(env).unix_milli(), date_only=False)
    found = fitted(trimmed, zone_of(env))
    if found is None:
        raise misunderstood(trimmed, env.target)
    return found


@rule("tracker/view/level")
def level(when: str) -> int:
    """How closely a trimmed ``when`` looks: 0 not at all, 1 a year, 2 a month, 3 a day, 4 with a time of day.

    What stands before the first space is counted in parts between ``-``, so there may be more than four.
    """
    if not when:
        return SKELETON
    day, _, rest = spaced(when).partition(" ")
    return MINUTE if strings.trim_space(rest) else len(day.split("-"))
