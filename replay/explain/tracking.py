"""``slug`` and ``when``: what a tracker is stored under, and which moment a date names (contract: tracker.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strings, time
from parity.tools import tracker, tracker_when
from parity.tools.interface import Env
from replay.explain.explanation import Explanation, Part, library, part, question, text_of
from replay.oracle import wire
from replay.report.drawing import draw
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parity.gostd.target import GoTarget
    from replay.fields import Value

_MINUTE: Final = "2006-01-02 15:04:05"
_LEVELS: Final = {
    0: "every year",
    1: "a year by months",
    2: "the points of a month",
    3: "the points of a day",
    4: "the points of a time of day",
}
_MORE: Final = "the points that begin so: there is none"


def explain_slug(text: str, target: GoTarget) -> Explanation:
    """What a tracker of such a name is stored under."""
    given = text_of(text)
    slug = tracker.slug(given, target)
    parts = (
        library("strings.ToLower of strings.TrimSpace", "2.1", strings.to_lower(strings.trim_space(given), target)),
        part(tracker.slug, slug),
        part(tracker.slug_to_add, tracker.slug_to_add(given, target)),
    )
    result = slug or f"none: stored as {tracker.UNNAMED_SLUG}, and nothing is found by this name"
    ask = question("the slug", {"q": "slug", "s": wire.text(given)}, slug)
    return Explanation(f'slug of "{cut(given)}"', target, parts, result, (ask,))


def explain_when(text: str, target: GoTarget, zone: time.Zone, now_ns: int | None) -> Explanation:
    """Which moment a date names where a point is written, and what it selects where points are read."""
    given = text_of(text)
    trimmed = strings.trim_space(given)
    env = Env(target, now_ns=now_ns or 0, zone=zone)
    meant_now = tracker_when.is_now(trimmed, target)
    level = tracker_when.level(trimmed)
    parts = [
        library("strings.TrimSpace", "2.2", trimmed),
        part(tracker_when.is_now, meant_now),
    ]
    if not meant_now:
        parts += _by_layouts(trimmed, zone, target)
    parts.append(part(tracker_when.level, lines=(f"{level}: {_LEVELS.get(level, _MORE)}",)))
    asks = [question("the level of a view", {"q": "level", "s": wire.text(given)}, level)]
    if meant_now and now_ns is None:
        result = "the clock, which --now sets"
    else:
        result, port = _moment(given, env)
        asked = {"q": "when", "s": wire.text(given), "zone": zone.name, "now": wire.moment(env.now_ns)}
        asks.append(question("the moment", asked, port))
    title = f'when "{cut(given)}" in {zone.name}'
    return Explanation(title, target, tuple(parts), result, tuple(asks))


def _by_layouts(trimmed: str, zone: time.Zone, target: GoTarget) -> Iterator[Part]:
    spaced = tracker_when.spaced(trimmed)
    yield part(tracker_when.spaced, spaced)
    for layout, _ in tracker_when.LAYOUTS:
        try:
            said = time.parse_in_location(layout, spaced, zone).format(_MINUTE)
        except time.ParseError as error:
            yield library(f"time.ParseInLocation by {layout}", "2.14", lines=(draw(str(error)),))
        else:
            yield library(f"time.ParseInLocation by {layout}", "2.14", lines=(f"fits: {said}",))
            break
    found = tracker_when.fitted(trimmed, zone)
    yield part(tracker_when.fitted, None if found is None else {"ts": found.ts, "date_only": found.date_only})
    if found is None:
        yield part(tracker_when.misunderstood, tracker_when.misunderstood(trimmed, target).text)


def _moment(given: str, env: Env) -> tuple[str, Value]:
    """What the date is, in words and as real Go is asked for it."""
    try:
        when = tracker_when.parse(given, env)
    except tracker_when.TrackerRefusedError as refused:
        return tracker.REFUSED.format(text=refused.text), {"error": refused.text}
    local = time.unix_milli(when.ts, tracker_when.zone_of(env)).format(_MINUTE)
    utc = time.unix_milli(when.ts).format(_MINUTE)
    kind = "a date without a time" if when.date_only else "with a time"
    result = f"{when.ts} ms, {kind}: {local} in {tracker_when.zone_of(env).name}, {utc} in UTC"
    return result, {"ts": when.ts, "date_only": when.date_only, "error": None}
