"""An explanation as text: every character of it drawn, bounded in every direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from replay.compare import locate_text
from replay.counted import counted
from replay.report.value_text import brief, cut
from replay.rules.listing import shown_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.compare import Location
    from replay.explain.explanation import Explanation, Part, Verdict
    from replay.fields import Value
    from replay.outcome import StepRef
    from replay.rules.book import Book

_TEXT: Final = 400
_TEXT_BESIDE: Final = 160
_LINES: Final = 60


def explained(explanation: Explanation, known: Book) -> Iterator[str]:
    """The title, each step with its rule and its value, the result."""
    target = explanation.target
    yield f"{explanation.title} as {target.version} has it (Unicode {target.unicode})"
    for number, part in enumerate(explanation.parts, start=1):
        yield f"{number:>3}. {part.says}"
        yield from (f"     {line}" for line in _places(part, known))
        yield from (f"     → {line}" for line in _value(part))
    yield "result"
    yield from (f"     {line}" for line in bounded(explanation.result.split("\n")))
    yield from (f"     ({note})" for note in explanation.notes)


def _places(part: Part, known: Book) -> Iterator[str]:
    if part.section:
        yield part.section
    for name in part.rules:
        yield f"{name} · {known.section(name)}"


def _value(part: Part) -> Iterator[str]:
    value = part.value
    texts = [one for one in value if isinstance(one, str)] if isinstance(value, tuple) else []
    if part.lines is not None:
        yield from part.lines or ("nothing",)
    elif isinstance(value, tuple) and value and len(texts) == len(value):
        yield from bounded([f'"{one}"' for one in texts])
    else:
        yield _answer(value)


def bounded(lines: Sequence[str]) -> Iterator[str]:
    """The first lines, each drawn and cut."""
    yield from (cut(line, _TEXT) for line in lines[:_LINES])
    if len(lines) > _LINES:
        yield f"… {counted(len(lines) - _LINES, 'more line')}"


def shown_by(rules: Sequence[str], steps: Mapping[str, Sequence[StepRef]]) -> Iterator[str]:
    """Which steps of the journals show each rule."""
    yield "shown by"
    for name in rules:
        found = list(shown_steps(steps.get(name, ())))
        yield f"     {name}  {' · '.join(found) or 'no step'}"


def verdicts(version: str, found: Sequence[Verdict]) -> Iterator[str]:
    """Real Go's answers beside the port's, and a clear line where they part."""
    yield f"real Go, {version}"
    for one in found:
        yield f"   {'=' if one.same else '≠'} {one.about} ({one.by}): {_answer(one.go, _TEXT_BESIDE)}"
        if not one.same:
            yield from (f"     {line}" for line in _parted(one))
    different = sum(not one.same for one in found)
    if different:
        yield f"the port DIFFERS from real Go in {different} of {counted(len(found), 'answer')}"


def _parted(one: Verdict) -> Iterator[str]:
    yield f"the port: {_answer(one.port, _TEXT_BESIDE)}"
    if isinstance(one.go, str) and isinstance(one.port, str):
        place = cast("Location", locate_text(one.go, one.port))  # they do part
        yield f"they part at line {place.line}, column {place.column}: Go {place.recorded}, port {place.candidate}"


def _answer(value: Value, most: int = _TEXT) -> str:
    return f'"{cut(value, most)}"' if isinstance(value, str | bytes) else brief(value)
