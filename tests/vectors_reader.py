"""Reads the answers of real Go in tests/vectors: what every test of a rule of Go is parametrized over.

Text in an entry is always ``str``. Where Go's bytes are not UTF-8 the file holds base64 under a name ending in
``_b64``; the reader gives it the plain name, and each bad byte is one of U+DC80 to U+DCFF (``utf8.encode`` gives the
bytes back).
"""

from __future__ import annotations

import base64
import inspect
import json
import struct
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from parity.gostd.target import GO_1_25, GO_1_27, GoTarget

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER: Final = Path(__file__).parent / "vectors"
FILES: Final = {GO_1_25: "go1.25.json", GO_1_27: "go1.27.json"}
TABLES: Final = {GO_1_25: "tables-go1.25.json", GO_1_27: "tables-go1.27.json"}
TARGETS: Final = (GO_1_25, GO_1_27)

Test: TypeAlias = "Callable[..., None]"

Entry: TypeAlias = dict[str, Any]
"""One vector: its fields as the file's ``_about`` describes them, texts resolved."""


def vectors(section: str) -> list[tuple[GoTarget, Entry]]:
    """Every entry of a section, in file order, for go1.25 and then for go1.27. Raises KeyError for an unknown section.

    An entry is shared by all its readers: do not change it.
    """
    return [(target, entry) for target in TARGETS for entry in sections(target)[section]]


def every_vector(section: str, wanted: Callable[[Entry], bool] = lambda _: True) -> Callable[[Test], Test]:
    """Hold a test of ``(target, entry, …)`` against every wanted entry of a section: one item for each Go.

    An item for each entry would take a hundred times longer. The first entry that fails is named in a note.
    """
    found = {
        target: [(at, one) for at, one in enumerate(sections(target)[section]) if wanted(one)] for target in TARGETS
    }
    assert all(found.values()), section

    def decorated(test: Test) -> Test:
        signature = inspect.signature(test)

        def held_against_all(target: GoTarget, **others: object) -> None:
            for at, entry in found[target]:
                try:
                    test(target=target, entry=entry, **others)
                except BaseException as error:
                    error.add_note(f"{FILES[target]}, {section}[{at}]: {entry!r:.2000}")
                    raise

        held_against_all.__name__, held_against_all.__doc__ = test.__name__, test.__doc__
        held_against_all.__module__ = test.__module__
        asked = [one for name, one in signature.parameters.items() if name != "entry"]
        held_against_all.__signature__ = signature.replace(parameters=asked)  # type: ignore[attr-defined]
        held_against_all.pytestmark = list(getattr(test, "pytestmark", []))  # type: ignore[attr-defined]
        return pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)(held_against_all)

    return decorated


def sections(target: GoTarget) -> dict[str, list[Entry]]:
    """Every section of a target's file, by name."""
    return {name: held for name, held in _file(FILES[target]).items() if isinstance(held, list)}


def header(target: GoTarget) -> Entry:
    """What stands beside the sections of a target's file: which Go wrote it, and what the fields mean."""
    return {name: held for name, held in _file(FILES[target]).items() if not isinstance(held, list)}


@lru_cache(maxsize=len(TARGETS))
def tables(target: GoTarget) -> Entry:
    """The Unicode tables that real Go wrote for a target: ``to_lower``, ``simple_fold``, ``is_print``, ``is_space``."""
    found: Entry = json.loads((FOLDER / TABLES[target]).read_bytes())
    return found


def tree(value: Any) -> Any:  # noqa: ANN401 - any typed tree in, any decoded value out
    """The Python value of a typed tree.

    ``{"f": bits}`` is a float, ``{"i"}`` and ``{"u"}`` an int, ``{"s"}`` and ``{"sb"}`` a text, ``{"m": pairs}`` a
    dict in the file's order; null, booleans and lists are themselves. Raises KeyError for any other object.
    """
    if isinstance(value, list):
        return [tree(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((form, held),) = value.items()
    return _FORMS[form](held)


def float_of(bits: str) -> float:
    """The float64 whose bits are these sixteen hexadecimal digits."""
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    return float(value)


def bits_of(value: float) -> str:
    """The sixteen hexadecimal digits of a float64's bits."""
    return struct.pack(">d", value).hex()


@lru_cache(maxsize=len(TARGETS))
def _file(name: str) -> dict[str, Any]:
    raw = json.loads((FOLDER / name).read_bytes())
    return {section: _resolved(held) for section, held in raw.items()}


def _resolved(value: Any) -> Any:  # noqa: ANN401 - any JSON value in, the same with its texts resolved
    if isinstance(value, list):
        return [_resolved(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for name, one in value.items():
        if name.endswith("_b64"):
            found[name.removesuffix("_b64")] = [_text(item) for item in one] if isinstance(one, list) else _text(one)
        else:
            found[name] = _resolved(one)
    return found


def _text(encoded: str) -> str:
    return base64.b64decode(encoded, validate=True).decode("utf-8", "surrogateescape")


_FORMS: Final[dict[str, Callable[[Any], Any]]] = {
    "f": float_of,
    "i": int,
    "u": int,
    "s": str,
    "sb": _text,
    "m": lambda pairs: {tree(key): tree(value) for key, value in pairs},
}
