"""``tracker(action, name, when, text, id)``: dated points under a name (contract: tracker.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from parity.gostd import strconv, strings
from parity.rules import rule
from parity.tools import tracker_view, tracker_when
from parity.tools.arguments import as_text
from parity.tools.interface import ToolAnswer, Tracker, TrackerEvent, WriteRefused
from parity.tools.labels import label
from parity.tools.tracker_when import TrackerRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args, Env

REFUSED: Final = "[erreur] {text}"
NAME_EMPTY: Final = "nom de tracker vide"
TEXT_EMPTY: Final = "contenu vide"
EDIT_NEEDS: Final = "name et id sont requis pour modifier un point"
DELETE_NEEDS_NAME: Final = "name requis"
DELETE_NEEDS_ID: Final = "id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil"
TRACKER_NOT_FOUND: Final = "tracker introuvable"
EVENT_NOT_FOUND: Final = "événement introuvable"
ACTION_UNKNOWN: Final = "action inconnue {action} (view, add, edit, delete)"

ADDED: Final = "[ok] point ajouté à « {name} » (id {id})."
EDITED: Final = "[ok] point {id} de « {name} » modifié."
DELETED: Final = "[ok] point {id} de « {name} » supprimé."

LONGEST_SLUG: Final = 40
UNNAMED_SLUG: Final = "tracker"

_PLAIN: Final = {
    ord(accented): plain
    for plain, group in {
        "a": "àâäáã",
        "e": "éèêë",
        "i": "îïí",
        "o": "ôöóõ",
        "u": "ùûüú",
        "c": "ç",
        "n": "ñ",
    }.items()
    for accented in group
}
_OTHERS: Final = re.compile("[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The five arguments as text, trimmed; ``action`` in lower case."""

    action: str
    name: str
    when: str
    text: str
    id: str


@rule("tracker/arguments/trimmed")
def arguments(args: Args, target: GoTarget) -> Arguments:
    """What a call says: every argument made text, then TrimSpace; the action also ToLower."""
    action, name, when, text, event_id = (
        strings.trim_space(as_text(args.get(key))) for key in ("action", "name", "when", "text", "id")
    )
    return Arguments(strings.to_lower(action, target), name, when, text, event_id)


@rule("tracker/slug")
def slug(name: str, target: GoTarget) -> str:
    """What a tracker is stored under: lower case, accents of French off, the rest one ``-`` a run, none outside.

    At most forty bytes, with no ``-`` left at the cut. Empty when the name holds no letter or digit of these.
    """
    plain = strings.to_lower(strings.trim_space(name), target).translate(_PLAIN)
    return _OTHERS.sub("-", plain).strip("-")[:LONGEST_SLUG].strip("-")


def tracker(args: Args, env: Env) -> ToolAnswer:
    """The tool. Raises LookupError, a fault of the caller, when the environment holds no memory."""
    system = False
    try:
        result = _result(arguments(args, env.target), env)
    except TrackerRefusedError as refused:
        result = REFUSED.format(text=refused.text)
    except WriteRefused as refused:
        result = REFUSED.format(text=refused.text)
        system = refused.system
    return ToolAnswer(result, label("tracker", args, env.target), system_error=system)


def _result(given: Arguments, env: Env) -> str:
    action = ACTIONS.get(given.action)
    if action is None:
        raise unknown_action(given.action, env.target)
    return action(given, env)


@rule("tracker/action/unknown")
def unknown_action(action: str, target: GoTarget) -> TrackerRefusedError:
    """The refusal of any other action: it quotes it in lower case."""
    return TrackerRefusedError(ACTION_UNKNOWN.format(action=strconv.quote(action, target)))


@rule("tracker/action/view")
def view(given: Arguments, env: Env) -> str:
    """Without a name every tracker, whatever the ``when``; with one, that tracker."""
    if not given.name:
        return tracker_view.overview(env.need_memory().trackers.all(), env)
    found = find(given.name, env)
    return tracker_view.unknown(given.name) if found is None else tracker_view.detail(found, given.when, env)


@rule("tracker/action/find")
def find(name: str, env: Env) -> Tracker | None:
    """The tracker stored under a name's slug, or None; a name without slug finds nothing."""
    found = slug(name, env.target)
    return env.need_memory().trackers.get(found) if found else None


@rule("tracker/add/result")
def add(given: Arguments, env: Env) -> str:
    """A new point. Raises :class:`TrackerRefusedError` or WriteRefused; nothing is stored then."""
    event = new_event(given, env)
    memory = env.need_memory()
    key = slug_to_add(given.name, env.target)
    with memory.exclusive():
        save(key, with_event(memory.trackers.get(key), given.name, event), env)
    return ADDED.format(name=given.name, id=event.id)


@rule("tracker/add/checks")
def new_event(given: Arguments, env: Env) -> TrackerEvent:
    """The point to add; a name, a text and a date are wanted, in this order. Raises :class:`TrackerRefusedError`."""
    if not given.name:
        raise TrackerRefusedError(NAME_EMPTY)
    if not given.text:
        raise TrackerRefusedError(TEXT_EMPTY)
    when = tracker_when.parse(given.when, env)
    return TrackerEvent(new_id(env), when.ts, given.text, when.date_only)


@rule("tracker/add/id")
def new_id(env: Env) -> str:
    """The clock's nanoseconds in decimal; they are 64 bits, so outside the years 1678 to 2262 they wrap around."""
    return str(tracker_when.clock(env).unix_nano())


@rule("tracker/add/slug")
def slug_to_add(name: str, target: GoTarget) -> str:
    """The slug to store under: ``tracker`` for a name without one."""
    return slug(name, target) or UNNAMED_SLUG


@rule("tracker/add/created")
def with_event(stored: Tracker | None, name: str, event: TrackerEvent) -> Tracker:
    """The stored tracker with one more point, or a new one; a blank stored name gives way to ``name``."""
    if stored is None:
        return Tracker(name, (event,))
    kept = stored.name if strings.trim_space(stored.name) else name
    return Tracker(kept, (*stored.events, event))


@rule("tracker/edit")
def edit(given: Arguments, env: Env) -> str:
    """Another text or date for the first point of an id. Raises :class:`TrackerRefusedError` or WriteRefused."""
    if not (given.name and given.id):
        raise TrackerRefusedError(EDIT_NEEDS)
    with env.need_memory().exclusive():
        stored = _present(given.name, env)
        events = list(stored.events)
        at = next((index for index, event in enumerate(events) if event.id == given.id), None)
        if at is None:
            raise TrackerRefusedError(EVENT_NOT_FOUND)
        events[at] = edited(events[at], given, env)
        save(slug(given.name, env.target), replace(stored, events=tuple(events)), env)
    return EDITED.format(id=given.id, name=given.name)


@rule("tracker/edit/fields")
def edited(event: TrackerEvent, given: Arguments, env: Env) -> TrackerEvent:
    """The point with what was given: neither text nor date is a success too. Raises :class:`TrackerRefusedError`."""
    if given.text:
        event = replace(event, text=given.text)
    if given.when:
        when = tracker_when.parse(given.when, env)
        event = replace(event, ts=when.ts, date_only=when.date_only)
    return event


@rule("tracker/delete")
def delete(given: Arguments, env: Env) -> str:
    """Every point of an id goes, the tracker stays. Raises :class:`TrackerRefusedError` or WriteRefused."""
    if not given.name:
        raise TrackerRefusedError(DELETE_NEEDS_NAME)
    if not given.id:
        raise TrackerRefusedError(DELETE_NEEDS_ID)
    with env.need_memory().exclusive():
        stored = _present(given.name, env)
        left = tuple(event for event in stored.events if event.id != given.id)
        if len(left) == len(stored.events):
            raise TrackerRefusedError(EVENT_NOT_FOUND)
        save(slug(given.name, env.target), replace(stored, events=left), env)
    return DELETED.format(id=given.id, name=given.name)


def _present(name: str, env: Env) -> Tracker:
    found = find(name, env)
    if found is None:
        raise TrackerRefusedError(TRACKER_NOT_FOUND)
    return found


@rule("tracker/save/sorted")
def by_time(events: Iterable[TrackerEvent]) -> tuple[TrackerEvent, ...]:
    """Events in the order they happened; those of one moment stay as they stood."""
    return tuple(sorted(events, key=lambda event: event.ts))


def save(key: str, changed: Tracker, env: Env) -> None:
    """Store a tracker under a slug, its events sorted. Raises WriteRefused."""
    env.need_memory().trackers.put(key, replace(changed, events=by_time(changed.events)))


ACTIONS: Final[Mapping[str, Callable[[Arguments, Env], str]]] = {
    "": view,
    "view": view,
    "read": view,
    "list": view,
    "add": add,
    "edit": edit,
    "delete": delete,
}
