"""Calls of the tools that work on a memory, each on what the calls before have left (memory.md, tracker.md)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity import zones
from parity.stores import seal
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import Env, Tracker, TrackerEvent
from replay import fields as named
from replay.candidates.written import head
from replay.fuzz import dates, page_buckets, pages, raw_json, texts, tracker_buckets
from replay.fuzz.session_trial import SessionTrial, run
from replay.fuzz.trial import MODEL, Bucket, Call
from replay.journal.model import MEMORY, Expected, Journal, Place, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from parity.gostd.target import GoTarget
    from parity.gostd.time import Zone
    from replay.fuzz.dice import Dice

TRACKER: Final = "tracker"
TOOLS: Final = ("mem_search", "mem_read", "mem_add", "mem_edit", TRACKER)

NAMES: Final = (
    "Poids", "poids", "POIDS ", "Sommeil", "Température Été", "temperature-ete", "2026", "vide", "z z", "Z--Z", "a",
    "ÀÂÄ ÉÈÊË ÎÏ ÔÖ ÙÛÜ Ç Ñ ãõíóúá", "Œuvre", "İstanbul",
    "un nom qui est vraiment bien trop long pour un slug, é compris", "quarante-caracteres-tout-juste-ici-voila-x-y",
    "!!!", "quarante-caracteres-tout-juste-ici-voila-x y", "漢字", "«»", "tracker", "\u212aelvin", "a\nb", "Ångström",
    "naïve ÿ", "--x--", "x\x1cy", "ẞß", "Ça coûte trop cher pour mon budget à moi, trop long",
    "vingt-caracteres-et-un-de-plus-x-voila-x y", "çñãõíóúá ÀÂÄ",
)  # fmt: skip
_ACTIONS: Final = (
    "view",
    "add",
    "edit",
    "delete",
    "",
    "read",
    "list",
    "ADD",
    " Edit ",
    "VIEW",
    "DELETE\n",
    "LİST",
    "lıst",
    "views",
    "add edit",
    "supprimer",
)
_MANY: Final = 59
"""Points of a tracker of which a view shows nearly as many as it may."""

_CONFIGS: Final = ("oui", "1", "on", " TRUE ", "Yes\n", "\u00a0ON", "non", "0", "enabled", "\x1con")
_SLUGS: Final = ("poids", "sommeil", "temperature-ete", "2026", "tracker", "a", "vide", "z-z")
_KEY: Final = bytes(range(32))
_OTHER_KEY: Final = bytes(32)


class Walk:
    """One memory, and the calls that were made on it so far."""

    def __init__(self, dice: Dice, target: GoTarget, *, tracked: bool = True) -> None:
        """A memory in a state that calls may not lead to; trackers, which take long to judge, only if ``tracked``."""
        self.dice = dice
        self.target = target
        self.zone_name = dates.zone_name(dice) if dice.below(2) else "UTC"
        self.zone: Zone = zones.zone(self.zone_name)
        self.now = dates.nanoseconds(dice, self.zone_name) if dice.below(2) else 1_792_143_000_000_007_123
        self.settings = _settings(dice)
        self._nonces = itertools.count(1)
        self.initial = State(self._files(), self._trackers() if tracked else {})
        self.memory = RamMemory(self.settings, nonces=self._nonce)
        self.memory.restore(self.initial)
        self.files: Mapping[str, bytes] = self.initial.files
        self.trackers: Mapping[str, Tracker] = self.initial.trackers
        self.steps: list[Step] = []
        self.calls: list[Call] = []

    def _nonce(self) -> bytes:
        return next(self._nonces).to_bytes(seal.NONCE_SIZE, "big")

    def _files(self) -> dict[str, bytes]:
        dice = self.dice
        made: dict[str, bytes] = {}
        for _ in dice.rarely(16):
            # About as many pages as a search shows at most.
            made |= {f"{n}.md": b"# ab\n" for n in range(dice.between(30, 32))}
        for _ in dice.rarely(16):
            # Snippets of some of these crash, whether they are shown or not.
            made |= {f"g{n}.md": pages.growing(dice).encode() for n in range(dice.between(3, 6))}
        for _ in dice.some(3, 10):
            name = dice.pick(pages.STORED)
            made[name] = self._kept(pages.stored(dice, name))
        return made

    def _kept(self, content: bytes) -> bytes:
        """A page as it lies there: plain, or sealed where there is a key; some seals are another's, or damaged."""
        dice = self.dice
        if self.settings.dek is None:
            return content
        sort = dice.below(8)
        if sort < 3:
            return content
        if sort == 3:
            return seal.seal(content, _OTHER_KEY, self._nonce())
        sealed = seal.seal(content, _KEY, self._nonce())
        if sort == 4:
            return sealed[: dice.between(len(pages.SEAL_MARK) - 1, len(sealed) - 1)]
        if sort == 5:
            at = dice.between(len(pages.SEAL_MARK), len(sealed) - 1)
            return sealed[:at] + bytes([sealed[at] ^ 1 << dice.below(8)]) + sealed[at + 1 :]
        return sealed

    def _trackers(self) -> dict[str, Tracker]:
        dice = self.dice
        made = {}
        for _ in dice.some(2, 6):
            slug = dice.pick(_SLUGS)
            project = (
                self.settings.project_slug
                if dice.below(8)
                else dice.pick(("autre", f"{self.settings.project_slug}-2", ""))
            )
            name = (
                slug if dice.below(2) else dice.pick(("", "  ", "Température Été", "a\nb", "«»", texts.any_text(dice)))
            )
            made[f"{project}/{slug}"] = Tracker(name, self._long() if dice.one_in(6) else self._events())
        return made

    def _events(self) -> tuple[TrackerEvent, ...]:
        return tuple([self._event(n) for n, _ in enumerate(self.dice.some(3, 12))])

    def _long(self) -> tuple[TrackerEvent, ...]:
        """About as many points as a view shows, within half an hour."""
        first = self.now // 1_000_000
        return tuple(TrackerEvent(str(n), first + 30_000 * n, "x") for n in range(self.dice.between(_MANY, 61)))

    def _event(self, number: int) -> TrackerEvent:
        dice = self.dice
        point = str(number) if dice.below(2) else dice.pick(("7", "a", "", "id é", "1792143000000007123"))
        return TrackerEvent(
            point, self._moment() * 1000 + dice.pick((0, 0, 1, 999)), texts.word(dice), not dice.below(3)
        )

    def _moment(self) -> int:
        dice = self.dice
        if dice.below(3):
            return self.now // 1_000_000_000 + dice.between(-40, 40) * 86_400 + dice.below(86_400)
        return dates.second(dice, self.zone_name)

    # --- calls ---

    def step(self, tool: str) -> None:
        """Make one call, and run it through the port."""
        dice = self.dice
        if dice.below(3):
            self.now = min(
                self.now + dice.pick((1, 1_000_000_000, 3_600_000_000_000, 86_400_000_000_000 * 40)), _LAST_NOW
            )
        self.given(tool, _MAKE[tool](self))

    def given(self, tool: str, raw: bytes) -> None:
        """Run a given call."""
        index = len(self.steps) + 1
        step = Step(index, tool, "", raw, self.now, Expected(), Place("", f"steps[{index - 1}]", 0))
        env = Env(self.target, self.now, self.zone, memory=self.memory)
        actual, seen = run(step, env, self.target)
        before = self.files, self.trackers
        state = self.memory.snapshot()
        self.files, self.trackers = state.files, state.trackers
        actual[named.FILES] = named.files_value(self.files, self.settings.dek)
        actual[named.TRACKERS] = named.trackers_value(self.trackers)
        seen |= {
            "files": before[0],
            "trackers": before[1],
            "settings": self.settings,
            "zone": self.zone_name,
            "now": self.now,
        }
        self.steps.append(step)
        self.calls.append(Call(index, tool, actual, seen))

    def trial(self) -> SessionTrial:
        """What was made so far."""
        journal = Journal(
            "",
            "",
            MEMORY,
            "",
            self.target,
            "model",
            settings=self.settings,
            zone=self.zone_name,
            initial=self.initial,
            steps=tuple(self.steps),
        )
        return SessionTrial(journal, {"q": "reset", "kind": MEMORY, **head(journal)}, self.calls)

    def page_names(self) -> list[str]:
        """The pages that are there, whatever their names."""
        return list(self.files)

    def search(self) -> bytes:
        """The arguments of ``mem_search``."""
        written = raw_json.Written(self.dice)
        written.text("query", pages.query(self.dice, self.files))
        written.number("limit", pages.SEARCH_LIMITS)
        return written.done()

    def read(self) -> bytes:
        """The arguments of ``mem_read``."""
        written = raw_json.Written(self.dice)
        written.text("file", pages.name(self.dice, self.page_names()))
        written.number("offset", pages.OFFSETS)
        written.number("limit", pages.READ_LIMITS)
        return written.done()

    def add(self) -> bytes:
        """The arguments of ``mem_add``."""
        dice = self.dice
        written = raw_json.Written(dice)
        written.text("file", pages.name(dice, self.page_names() if dice.one_in(4) else ()))
        written.text("content", pages.content(dice))
        return written.done()

    def edit(self) -> bytes:
        """The arguments of ``mem_edit``."""
        dice = self.dice
        written = raw_json.Written(dice)
        there = self.page_names()
        file = dice.pick(there) if there and dice.below(8) else pages.name(dice, there)
        old, new = pages.edit(dice, self.files.get(file, b""))
        written.text("file", file)
        written.text("old", old)
        written.text("new", new)
        return written.done()

    def track(self) -> bytes:
        """The arguments of ``tracker``."""
        dice = self.dice
        written = raw_json.Written(dice)
        action = dice.pick(_ACTIONS[:4]) if dice.below(4) else dice.pick(_ACTIONS)
        lowered = action.strip(" \n").casefold()
        name, tracker = self._tracker_name(often_new=lowered == "add")
        written.text("action", action if dice.below(16) else texts.any_text(dice))
        if dice.below(8):
            written.text("name", name)
        if lowered in {"edit", "delete"} or dice.one_in(8):
            written.text("id", self._point_id(tracker))
        # An edit needs neither a text nor a date.
        if (lowered == "add" or (lowered == "edit" and dice.below(3))) or dice.one_in(8):
            written.text("text", self._point_text())
        if dice.below(4):
            self._when(written, tracker, adding=lowered in {"add", "edit"})
        return written.done()

    def _tracker_name(self, *, often_new: bool) -> tuple[str, Tracker | None]:
        dice = self.dice
        own = [
            (key, tracker) for key, tracker in self.trackers.items() if key.startswith(f"{self.settings.project_slug}/")
        ]
        if own and dice.below(2 if often_new else 4):
            long = [one for one in own if len(one[1].events) >= _MANY]
            key, tracker = dice.pick(long) if long and dice.below(2) else dice.pick(own)
            slug = key.partition("/")[2]
            return texts.padded(dice, dice.pick((slug, slug.upper(), slug.replace("-", " "), tracker.name))), tracker
        if dice.one_in(6):
            return texts.any_text(dice), None
        return texts.padded(dice, dice.pick(NAMES)), None

    def _point_id(self, tracker: Tracker | None) -> str:
        dice = self.dice
        if tracker is not None and tracker.events and dice.below(6):
            return texts.padded(dice, dice.pick(tracker.events).id)
        return dice.pick(("7", "a", "", " ", "12", "introuvable", str(self.now)))

    def _point_text(self) -> str:
        dice = self.dice
        return texts.padded(dice, texts.sentence(dice)) if dice.below(3) else texts.any_text(dice)

    def _when(self, written: raw_json.Written, tracker: Tracker | None, *, adding: bool) -> None:
        dice = self.dice
        if dice.one_in(12):
            written.raw("when", raw_json.other(dice))
        elif adding:
            written.text("when", dates.when(dice, self.zone))
        else:
            moments = [] if tracker is None else [event.ts for event in tracker.events]
            written.text("when", dates.zoom(dice, self.zone, moments))


_LAST_NOW: Final = 9_223_372_036_000_000_000
_MAKE: Final[Mapping[str, Callable[[Walk], bytes]]] = {
    "mem_search": Walk.search,
    "mem_read": Walk.read,
    "mem_add": Walk.add,
    "mem_edit": Walk.edit,
    TRACKER: Walk.track,
}


def _settings(dice: Dice) -> Settings:
    sort = dice.below(8)
    slug, name = dice.pick((("generale", "Générale"), ("generale", "Générale"), ("a-b", 'É "b"\n'), ("x", "")))
    if sort < 5:
        return Settings(slug, name)
    config = {"MEM_ENCRYPTED": dice.pick(_CONFIGS)}
    if sort == 5:
        return Settings(slug, name, config, _KEY)
    if sort == 6:
        return Settings(slug, name, config, _KEY if dice.below(2) else None, locked=bool(dice.below(2)))
    return Settings(slug, name, {}, _KEY)


@dataclass(frozen=True, slots=True)
class MemoryCalls:
    """A tool, or all of them: what is called mostly, and how often on average before a new memory is made."""

    name: str
    tools: tuple[str, ...]
    mean: int
    buckets: tuple[Bucket, ...]
    judge: str = MODEL

    def trial(self, dice: Dice, target: GoTarget) -> SessionTrial:
        """A memory and some calls."""
        walk = Walk(dice, target, tracked=TRACKER in self.tools)
        for _ in dice.some(self.mean, 8 * self.mean):
            walk.step(dice.pick(TOOLS) if dice.one_in(5) else dice.pick(self.tools))
        if not walk.steps:
            walk.step(dice.pick(self.tools))
        return walk.trial()


_BUCKETS: Final = {
    "mem_search": page_buckets.SEARCH,
    "mem_read": page_buckets.READ,
    "mem_add": page_buckets.ADD,
    "mem_edit": page_buckets.EDIT,
    TRACKER: tracker_buckets.BUCKETS,
}

SUBJECTS: Final = (
    *(MemoryCalls(tool, (tool,), 4, _BUCKETS[tool]) for tool in TOOLS),
    MemoryCalls("memory", TOOLS, 24, page_buckets.WALK),
)
"""Each tool by itself, and ``memory``: long walks over all of them."""
