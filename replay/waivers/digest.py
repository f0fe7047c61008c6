"""The fingerprint of what differs, field by field: by it a waiver knows the one wrong output that it accepts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from replay.compare import ABSENT, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.compare import Absent, Difference
    from replay.fields import Value


def digests(found: Iterable[Difference]) -> dict[str, str]:
    """To each field that differs the sha256 of what was recorded there and of what was given instead, both in one."""
    by_field: dict[str, list[Difference]] = {}
    for one in found:
        by_field.setdefault(field(one), []).append(one)
    return {name: _digest(several) for name, several in by_field.items()}


def field(difference: Difference) -> str:
    """The field of a step that a difference lies in: ``files`` of ``files['a.md'].content``."""
    return str(difference.path[0]) if difference.path else difference.field


def side_digest(value: Value | Absent) -> str:
    """The sha256 of one side: of a text's or a page's own bytes, of any other value as JSON."""
    if isinstance(value, Mapping) and isinstance(value.get("content"), bytes):
        value = value["content"]
    if isinstance(value, str):
        return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return hashlib.sha256(value if isinstance(value, bytes) else json.dumps(plain(value)).encode()).hexdigest()


def plain(value: Value | Absent) -> object:
    """A value as JSON can hold it."""
    if value is ABSENT:
        return {"absent": True}
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: plain(value[name]) for name in sorted(value)}
    return value


def _digest(several: Sequence[Difference]) -> str:
    told = [[one.field, one.kind, *_told(one.expected), *_told(one.actual)] for one in several]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _told(value: Value | Absent) -> tuple[str, str]:
    return ("nothing" if value is ABSENT else shape(value)), side_digest(value)
