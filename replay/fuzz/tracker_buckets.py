"""The boundaries of the rules of tracker.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from parity.gostd import strings
from parity.stores.vault import encrypted
from replay.fuzz.reached import (
    all_of,
    answers,
    args,
    argument,
    holds,
    lacks,
    none_of,
    number,
    of_type,
    result,
    seen_is,
    shows,
)
from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from parity.stores.state import Settings
    from parity.tools.interface import Tracker
    from replay.fields import Fields, Value
    from replay.fuzz.reached import Reached, Seen

_ADDED: Final = holds("[ok] point ajouté")
_CHANGED: Final = result(lambda text: text.endswith("modifié."))
_GONE: Final = result(lambda text: text.endswith("supprimé."))
_POINTS: Final = holds("Modifier/supprimer :")
_OVERVIEW: Final = holds("Trackers du projet (")

_SHAPES: Final = {"year": 4, "month": 7, "day": 10, "hour": 13, "minute": 16, "second": 19}


def _trackers(seen: Seen) -> Mapping[str, Tracker]:
    """The trackers before the call."""
    return cast("Mapping[str, Tracker]", seen["trackers"])


def _before(test: Callable[[Mapping[str, Tracker]], object]) -> Reached:
    return lambda seen, _: test(_trackers(seen))


def _after(test: Callable[[Mapping[str, Value]], object]) -> Reached:
    return shows("trackers", lambda value: test(cast("Mapping[str, Value]", value)))


def _name(test: Callable[[str], object]) -> Reached:
    return argument("name", lambda text: test(strings.trim_space(text)))


def _when(test: Callable[[str], object]) -> Reached:
    return argument("when", test)


def _without(*names: str) -> Reached:
    return lambda seen, _: not any(args(seen).get(name) for name in names)


def _count(trackers: Mapping[str, Tracker]) -> int:
    return sum(len(tracker.events) for tracker in trackers.values())


def _new_tracker(seen: Seen, actual: Fields) -> bool:
    return len(cast("Mapping[str, Value]", actual["trackers"])) > len(_trackers(seen))


def _several_gone(seen: Seen, actual: Fields) -> bool:
    return _count(_trackers(seen)) - str(actual["trackers"]).count("'ts'") > 1


def _is_dated(length: int) -> Reached:
    return all_of(_ADDED, _when(lambda text: len(text) == length and text[:4].isdecimal()))


def _head(count: int) -> Reached:
    return all_of(_POINTS, result(lambda text: f" — {count} points" in text.partition("\n")[0]))


def _blank_name(trackers: Mapping[str, Tracker]) -> bool:
    return any(not strings.trim_space(tracker.name) for tracker in trackers.values())


def _no_points_left(value: Mapping[str, Value]) -> bool:
    return "'events': ()" in str(value)


def _stored_name(seen: Seen, actual: Fields) -> bool:
    """Whether the answer names no tracker by the name that was asked for."""
    return strings.trim_space(str(args(seen).get("name", ""))) not in str(actual["result"])


def _is_padded(text: str) -> bool:
    return text != strings.trim_space(text)


def _under_key(settings: object) -> bool:
    held = cast("Settings", settings)
    return held.dek is not None and not held.locked and encrypted(held.config)


_SEALED: Final = seen_is("settings", _under_key)

_ELSEWHERE: Final = _before(lambda trackers: any(key.startswith("autre/") for key in trackers))

BUCKETS: Final = (
    Bucket("tracker/arguments/text", "a number", number("name", lambda _: True)),
    Bucket("tracker/arguments/text", "a map", of_type("text", dict)),
    Bucket("tracker/arguments/trimmed", "no-break space", argument("name", lambda text: "\xa0" in text)),
    Bucket("tracker/slug", "over 40 bytes", all_of(_ADDED, _name(lambda text: "trop long" in text))),
    Bucket("tracker/slug", "a dash at the cut", all_of(_ADDED, _name(lambda text: "voila-x y" in text))),
    Bucket("tracker/slug", "every accent", all_of(_ADDED, _name(lambda text: "ÀÂÄ" in text))),
    Bucket("tracker/slug", "U+0130", _name(lambda text: "İ" in text)),
    Bucket("tracker/add/slug", "none left", all_of(_ADDED, _name(lambda text: text in {"!!!", "漢字", "«»"}))),
    Bucket("tracker/add/checks", "no name", answers("[erreur] nom de tracker vide")),
    Bucket("tracker/add/checks", "no text", answers("[erreur] contenu vide")),
    Bucket("tracker/add/created", "new", all_of(_ADDED, _new_tracker)),
    Bucket("tracker/add/created", "a blank stored name", all_of(_ADDED, _before(_blank_name))),
    Bucket("tracker/add/id", "before 1970", all_of(_ADDED, holds("(id -"))),
    Bucket(
        "tracker/save/sorted", "years before the clock", all_of(_ADDED, _when(lambda text: text.startswith("0000")))
    ),
    Bucket("tracker/when/now", "maintenant", all_of(_ADDED, _when(lambda text: "MAINTENANT" in text.upper()))),
    Bucket("tracker/when/first-t", "T", all_of(_ADDED, _when(lambda text: text[10:11] == "T"))),
    Bucket("tracker/when/first-t", "a second T", all_of(holds("comprise"), _when(lambda text: "TT" in text))),
    *(Bucket("tracker/when/layouts", shape, _is_dated(length)) for shape, length in _SHAPES.items()),
    Bucket("tracker/when/layouts", "a fraction", all_of(_ADDED, _when(lambda text: "," in text[19:]))),
    Bucket("tracker/when/misunderstood", "refused", holds("date non comprise")),
    Bucket("tracker/when/misunderstood", "quoted with an escape", holds("date non comprise", "\\u")),
    Bucket("tracker/edit", "no id", answers("[erreur] name et id sont requis pour modifier un point")),
    Bucket("tracker/edit", "no such id", answers("[erreur] événement introuvable")),
    Bucket("tracker/edit", "no tracker", answers("[erreur] tracker introuvable")),
    Bucket("tracker/edit/fields", "neither text nor date", all_of(_CHANGED, _without("text", "when"))),
    Bucket("tracker/edit/fields", "a date", all_of(_CHANGED, _when(bool))),
    Bucket(
        "tracker/edit/fields", "a bad date", all_of(holds("comprise"), argument("action", lambda text: "edit" in text))
    ),
    Bucket("tracker/delete", "no name", answers("[erreur] name requis")),
    Bucket("tracker/delete", "no id", holds("[erreur] id requis")),
    Bucket("tracker/delete", "several with one id", all_of(_GONE, _several_gone)),
    Bucket("tracker/delete", "the last one", all_of(_GONE, _after(_no_points_left))),
    Bucket("tracker/action/unknown", "quoted", holds("action inconnue")),
    Bucket(
        "tracker/action/view", "in capitals", all_of(holds("Tracker"), argument("action", lambda text: text == "VIEW"))
    ),
    Bucket("tracker/view/overview", "none", holds("Aucun tracker dans ce projet")),
    Bucket("tracker/view/overview", "another project's are left out", all_of(_OVERVIEW, _ELSEWHERE)),
    Bucket("tracker/view/overview-order", "three", all_of(_OVERVIEW, result(lambda text: text.count("\n- ") > 2))),
    Bucket("tracker/view/unknown", "not there", holds("[aucun tracker «")),
    Bucket("tracker/view/empty", "no points", holds("vide pour l'instant")),
    Bucket("tracker/view/skeleton", "this year", holds("(année en cours)")),
    Bucket("tracker/view/skeleton", "another year", all_of(holds("Années :"), lacks("année en cours"))),
    Bucket("tracker/view/year", "nothing", holds("rien en")),
    Bucket("tracker/view/year", "months", holds("points :\n", "pour un mois.")),
    Bucket("tracker/view/points", "60", _head(60)),
    Bucket("tracker/view/points", "over 60", holds("les 60 plus récents")),
    Bucket("tracker/view/points", "none", holds(" — 0 points :\nModifier")),
    Bucket("tracker/view/level", "a time of day", all_of(_POINTS, _when(lambda text: len(text) in {13, 16}))),
    Bucket("tracker/view/level", "more than four parts", all_of(_POINTS, _when(lambda text: text.count("-") > 2))),
    Bucket("tracker/view/point", "a day", all_of(_POINTS, holds("] 20"))),
    Bucket("tracker/view/matching", "part of a month", all_of(_POINTS, _when(lambda text: len(text) == 6))),
    Bucket("tracker/add/result", "a tracker of another name", all_of(_ADDED, none_of(_new_tracker))),
    Bucket("tracker/clock", "before 1970", all_of(_ADDED, seen_is("now", lambda now: cast("int", now) < 0))),
    Bucket("tracker/local-time", "another zone", all_of(_POINTS, seen_is("zone", lambda zone: zone != "UTC"))),
    Bucket("tracker/view/groups", "several", holds(" · ", "Années :")),
    Bucket("tracker/view/names", "asked for by another", all_of(_POINTS, _stored_name)),
    Bucket("tracker/when/trimmed", "spaces around", all_of(_ADDED, _when(_is_padded))),
    Bucket("memory/trackers/of-the-project", "another's stay", all_of(_ADDED, _ELSEWHERE)),
    Bucket("memory/trackers/opening", "sealed", all_of(_POINTS, _SEALED)),
    Bucket("memory/trackers/sealing", "sealed", all_of(_ADDED, _SEALED)),
    Bucket("memory/trackers/value", "a date alone", all_of(_ADDED, shows("trackers", lambda v: "True" in str(v)))),
    Bucket("labels/tracker", "neither", shows("label", lambda value: value == "")),
    Bucket(
        "tracker/action/find",
        "under a lock",
        all_of(holds("[aucun tracker «"), seen_is("settings", lambda v: "locked=True" in str(v))),
    ),
)
