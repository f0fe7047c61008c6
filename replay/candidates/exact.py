"""What the port gave, taken exactly: a subclass of ``str`` can say of itself that it equals anything."""

from __future__ import annotations

from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Final, cast

from replay.candidates.interface import CandidateCrashed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.fields import Fields, Value

_LEAVES: Final = frozenset({str, bytes, bool, int, float, NoneType})
_NOTHING: Final = ()
_MAPPINGS: Final = frozenset({dict, MappingProxyType})


def exact_fields(fields: dict[str, object]) -> dict[str, Value]:
    """The same fields, of types that a comparison can trust. Raises :class:`CandidateCrashed`, which names the type."""
    for value in fields.values():
        if type(value) is not str and value is not _NOTHING:  # nearly every field of nearly every step is one of these
            return {name: _exact(name, one) for name, one in fields.items()}
    return cast("dict[str, Value]", fields)


def exact_mapping(name: str, value: object) -> Fields:
    """A mapping of such values. Raises :class:`CandidateCrashed`."""
    if type(value) not in _MAPPINGS:
        raise _refused(name, value)
    items = cast("Mapping[object, object]", value).items()
    return {exact_text(name, key): _exact(name, one) for key, one in items}


def exact_text(name: str, value: object) -> str:
    """A text. Raises :class:`CandidateCrashed`."""
    if type(value) is not str:
        raise _refused(name, value)
    return value


def _exact(name: str, value: object) -> Value:
    kind = type(value)
    if kind in _LEAVES:
        return cast("Value", value)
    if kind is tuple:
        return tuple([_exact(name, one) for one in cast("tuple[object, ...]", value)])
    return exact_mapping(name, value)


def _refused(name: str, value: object) -> CandidateCrashed:
    return CandidateCrashed(f"{name}: a {type.__repr__(type(value))}, and only plain values can be compared")
