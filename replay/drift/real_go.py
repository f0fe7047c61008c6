"""Real Go of two versions beside the port: does each answer as the port's tables say, do the same steps change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import strconv, strings, unicode
from replay import fields as named
from replay.candidates.go import GoCandidate
from replay.compare.code_points import describe
from replay.drift.tables import FOLD, characters
from replay.drift.versions import changed_steps
from replay.explain.explanation import plain
from replay.oracle import wire
from replay.oracle.errors import NoGoError
from replay.oracle.start import oracle
from replay.oracle.toolchain import find
from replay.report.value_text import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from parity.gostd.target import GoTarget
    from replay.drift.versions import StepChange, VersionDrift
    from replay.fields import Value
    from replay.journal.model import Journal
    from replay.oracle.client import Oracle, Question

MOST_SHOWN: Final = 10
"""How many disagreements of one Go are shown."""

_CHUNK: Final = 4096


@dataclass(frozen=True, slots=True)
class Sweep:
    """One Go asked about every code point: its version, how many, and where the port answers otherwise.

    ``missing``: why it could not be asked.
    """

    version: str
    asked: int = 0
    disagreements: tuple[str, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """What real Go says to a drift. ``steps_agree`` is None where it could not run the steps."""

    sweeps: tuple[Sweep, ...]
    steps_agree: bool | None

    @property
    def agrees(self) -> bool:
        """Whether nothing that could be asked says otherwise."""
        return self.steps_agree is not False and not any(one.disagreements for one in self.sweeps)


def beside(drift: VersionDrift, journals: Sequence[Journal], gos: Sequence[Path], cache: Path | None) -> Beside:
    """Ask the Go of both versions; ``gos`` are go commands that a person named, none: those that are found.

    Raises an OracleError for one that is there and broken.
    """
    folds = [point for one in drift.tables if one.name == FOLD for point in one.points]
    sweeps = tuple(_sweep(target, folds, _named(target, gos), cache) for target in (drift.old, drift.new))
    if any(one.missing for one in sweeps):
        return Beside(sweeps, None)
    old, new = (
        GoCandidate(target.version.removeprefix("go"), go=_named(target, gos), cache=cache)
        for target in (drift.old, drift.new)
    )
    with old, new:
        found = [one for journal in journals for one in changed_steps(journal, (old, drift.old), (new, drift.new))]
    return Beside(sweeps, _essence(found) == _essence(drift.changes))


def _named(target: GoTarget, gos: Sequence[Path]) -> Path | None:
    """The go command that is of a version, of those that were named; where none is, the first says why not."""
    for go in gos:
        try:
            find(target.version, go)
        except NoGoError:
            continue
        return go
    return gos[0] if gos else None


def _sweep(target: GoTarget, folds: Sequence[int], go: Path | None, cache: Path | None) -> Sweep:
    try:
        with oracle(target.version.removeprefix("go"), go=go, cache=cache) as asked:
            points = [chr(point) for point in characters()]
            found = [*_texts(asked, points, target), *_pairs(asked, folds, target)]
            return Sweep(asked.hello().version, len(points), tuple(found))
    except NoGoError as error:
        return Sweep(target.version, missing=str(error))


def _texts(asked: Oracle, points: Sequence[str], target: GoTarget) -> Iterator[str]:
    """Every code point through ToLower, Quote and Fields, thousands in one text; where a text differs, one by one."""
    chunks = ["".join(points[at : at + _CHUNK]) for at in range(0, len(points), _CHUNK)]
    for name, answer in _ASKED.items():
        for chunk in _differing(asked, name, answer, chunks, target):
            for character in _differing(asked, name, answer, chunk, target):
                go, port = plain(asked.ask_one(_question(name, character))), answer(character, target)
                yield f"{name} of {describe(character, 0)}: Go {brief(go)}, the port {brief(port)}"


def _differing(
    asked: Oracle, name: str, answer: Callable[[str, GoTarget], Value], texts: Sequence[str], target: GoTarget
) -> list[str]:
    said = asked.ask(_question(name, text) for text in texts)
    return [text for text, one in zip(texts, said, strict=True) if plain(one) != answer(text, target)]


_ASKED: Final[dict[str, Callable[[str, GoTarget], Value]]] = {
    "to_lower": strings.to_lower,
    "quote": strconv.quote,
    "fields": lambda text, _: tuple(strings.fields(text)),
}
"""The oracle's question to the port's answer."""


def _question(name: str, text: str) -> Question:
    return {"q": name, "s": wire.text(text)}


def _pairs(asked: Oracle, folds: Iterable[int], target: GoTarget) -> Iterator[str]:
    """EqualFold of each code point whose ring moved, with the next of its ring."""
    pairs = [(chr(point), unicode.simple_fold(chr(point), target)) for point in folds]
    said = asked.ask({"q": "equal_fold", "a": one, "b": other} for one, other in pairs)
    for (one, other), answer in zip(pairs, said, strict=True):
        if answer.out != strings.equal_fold(one, other, target):
            yield f"equal_fold of {describe(one, 0)} and {describe(other, 0)}: Go {answer.out}"


def _essence(changes: Iterable[StepChange]) -> list[object]:
    """What is to be alike: which steps change and how; the port's reads of the archive the model does not show."""
    return [
        (one.journal, one.change.new, [each for each in one.change.differences if each.path[0] != named.REQUESTS])
        for one in changes
    ]
