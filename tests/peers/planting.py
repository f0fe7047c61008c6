"""The classes of the two tables as journals: what is recorded, changed in one place or written in another way.

``divergences.toml`` and ``harmless.toml`` explain their keys at their top.
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from real_command import LOGS

from parity.stores import seal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Tree: TypeAlias = Any
"""JSON as Python's own reader gives it."""

HERE: Final = Path(__file__).parent
NONCE: Final = bytes(range(12))
"""The nonce of what is sealed here: one that no journal of logs/ holds."""


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A class: a divergence has a step and a field in which it must be found, a harmless change has neither."""

    name: str
    about: str
    journal: str
    step: str = ""
    field: str = ""
    plant: Sequence[Mapping[str, Tree]] = ()
    base: Sequence[Mapping[str, Tree]] = ()
    vice: str = ""
    word: str = ""
    chained_only: bool = False
    next_too: bool = False
    drifts: bool = False
    keep: Sequence[int] = ()
    written: Mapping[str, Tree] = dataclasses.field(default_factory=dict)
    served: str = ""
    format_only: bool = False

    @property
    def harmless(self) -> bool:
        """Whether nobody may raise an alarm."""
        return not self.step


def rows(table: str) -> list[Row]:
    """The rows of a table, ``divergences`` or ``harmless``."""
    read = tomllib.loads((HERE / f"{table}.toml").read_text(encoding="utf-8"))
    return [Row(**row) for row in read["row"]]


def recorded(row: Row) -> Tree:
    """The journal before anything is planted, with what a class needs in it and ``logs/`` does not hold."""
    tree = json.loads((LOGS / f"{row.journal}.json").read_bytes())
    if row.keep:
        first, last = row.keep
        if first > 1:
            tree["initial"] = copy.deepcopy({key: tree["steps"][first - 2][key] for key in ("files", "trackers")})
        tree["steps"] = tree["steps"][first - 1 : last]
    return edited(tree, row.base)


def planted(row: Row) -> Tree:
    """The journal that a class makes."""
    tree = recorded(row)
    return edited(tree, row.plant, None if row.harmless else place(row))


def place(row: Row) -> tuple[Any, ...]:
    """Where a row's step stands in its journal."""
    numbers = [int(part) - 1 for part in row.step.split(".")]
    if row.journal == "keepimg":
        return ("cases", numbers[0], "steps", numbers[1], "after")
    return ("steps", numbers[0] - (row.keep[0] - 1 if row.keep else 0))


def text(row: Row) -> bytes:
    """The file that a class makes."""
    return written(planted(row), row.written)


# ---- edits


def edited(tree: Tree, edits: Sequence[Mapping[str, Tree]], start: Sequence[Any] | None = None) -> Tree:
    """A journal with edits made to it, in place; paths begin at ``start``, or at the top. Each changes something."""
    for edit in edits:
        if "everywhere" in edit:
            old, new = (json.dumps(one)[1:-1] for one in edit["everywhere"])
            before = json.dumps(tree)
            assert old in before, f"{old!r} stands nowhere"
            tree = json.loads(before.replace(old, new))
            continue
        at = [*(start or ()), *edit["at"]]
        changed = False
        for holder, key in list(places(tree, at)):
            before = json.dumps(holder)
            OPERATIONS[edit["do"]](holder, key, edit, tree)
            changed = changed or json.dumps(holder) != before
        assert changed, f"nothing is changed by {edit}"
    return tree


def places(tree: Tree, at: Sequence[Any]) -> Iterator[tuple[Tree, Any]]:
    """What a path leads to, as holder and key; ``*`` stands for every one."""
    first, *rest = at
    keys = (list(tree) if isinstance(tree, dict) else range(len(tree))) if first == "*" else [first]
    for key in keys:
        if not rest:
            yield tree, key
        elif isinstance(tree, list) or key in tree:
            yield from places(tree[key], rest)


def _replace(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    assert edit["old"] in holder[key], f"{edit['old']!r} is not in {holder[key]!r}"
    holder[key] = holder[key].replace(edit["old"], edit["new"], 1)


def _set(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    holder[key] = copy.deepcopy(edit["value"])


def _null(holder: Tree, key: Any, _: Mapping[str, Tree], __: Tree) -> None:  # noqa: ANN401 - JSON
    holder[key] = None


def _remove(holder: Tree, key: Any, _: Mapping[str, Tree], __: Tree) -> None:  # noqa: ANN401 - JSON
    if isinstance(holder, list) or key in holder:
        del holder[key]


def _append(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    holder[key] += copy.deepcopy(edit["value"])


def _insert(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    holder.insert(key, copy.deepcopy(edit["value"]))


def _double(holder: Tree, key: Any, _: Mapping[str, Tree], __: Tree) -> None:  # noqa: ANN401 - JSON
    holder.insert(key, copy.deepcopy(holder[key]))


def _swap(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    other = edit["with"]
    holder[key], holder[other] = holder[other], holder[key]


def _exchange(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    """A member of two neighbours changes places."""
    member = edit["member"]
    holder[key][member], holder[key + 1][member] = holder[key + 1][member], holder[key][member]


def _reverse(holder: Tree, key: Any, _: Mapping[str, Tree], __: Tree) -> None:  # noqa: ANN401 - JSON
    holder[key] = dict(reversed(holder[key].items()))


def _rename(holder: Tree, key: Any, edit: Mapping[str, Tree], _: Tree) -> None:  # noqa: ANN401 - JSON
    if key in holder:
        members = [(edit["to"] if name == key else name, value) for name, value in holder.items()]
        holder.clear()
        holder.update(members)


def _flip(holder: Tree, key: Any, _: Mapping[str, Tree], __: Tree) -> None:  # noqa: ANN401 - JSON
    raw = octets(holder[key])
    holder[key] = content(raw[:-2] + bytes([raw[-2] ^ 1]) + raw[-1:])


def _base64(holder: Tree, key: Any, _: Mapping[str, Tree], __: Tree) -> None:  # noqa: ANN401 - JSON
    holder[key] = {"base64": base64.b64encode(octets(holder[key])).decode()}


def _unseal(holder: Tree, key: Any, _: Mapping[str, Tree], tree: Tree) -> None:  # noqa: ANN401 - JSON
    holder[key] = content(seal.unseal(octets(holder[key]), bytes.fromhex(tree["dek"])))


def _seal(holder: Tree, key: Any, edit: Mapping[str, Tree], tree: Tree) -> None:  # noqa: ANN401 - JSON
    """Seal a page with a nonce of our own: what it held, what is given, or what it held with ``old`` as ``new``."""
    dek = bytes.fromhex(tree["dek"])
    raw = octets(holder[key])
    held = seal.unseal(raw, dek) if seal.is_sealed(raw) else raw
    if "old" in edit:
        assert edit["old"].encode() in held
        held = held.replace(edit["old"].encode(), edit["new"].encode())
    holder[key] = content(seal.seal(held, dek, NONCE))


OPERATIONS: Final[Mapping[str, Callable[[Tree, Any, Mapping[str, Tree], Tree], None]]] = {
    "replace": _replace,
    "set": _set,
    "null": _null,
    "remove": _remove,
    "append": _append,
    "insert": _insert,
    "double": _double,
    "swap": _swap,
    "exchange": _exchange,
    "reverse": _reverse,
    "rename": _rename,
    "flip": _flip,
    "base64": _base64,
    "unseal": _unseal,
    "seal": _seal,
}


def octets(one: Tree) -> bytes:
    """A file's bytes, from either form that a journal has for them."""
    return base64.b64decode(one["base64"]) if isinstance(one, dict) else one.encode()


def content(raw: bytes) -> Tree:
    """A file's bytes as a journal writes them."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


# ---- ways of writing the same JSON


def written(tree: Tree, way: Mapping[str, Tree]) -> bytes:
    """JSON in a way of writing: the keys are explained at the top of harmless.toml."""
    if "order" in way:
        tree = ordered(tree, reverse=way["order"] == "backwards")
    separators = tuple(way.get("separators", (",", ":")))
    made: str = json.dumps(
        tree, ensure_ascii="raw" not in way, indent=way.get("indent"), separators=separators, sort_keys=False
    )
    made = re.sub(r'"(?:[^"\\]|\\.)*"', lambda literal: _literal(literal[0], way), made)
    for old, new in way.get("text", ()):
        assert made.count(old) >= 1, f"{old!r} stands nowhere"
        made = made.replace(old, new)
    made = way.get("before", "") + made.replace("\n", way.get("newline", "\n")) + way.get("after", "")
    return made.encode("utf-8", "surrogatepass")


def ordered(tree: Tree, *, reverse: bool) -> Tree:
    """Objects with their keys in another order, wherever order says nothing; what stands in ``args`` stays."""
    if isinstance(tree, list):
        return [ordered(one, reverse=reverse) for one in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: tree[key] if key == "args" else ordered(tree[key], reverse=reverse)
        for key in (reversed(list(tree)) if reverse else sorted(tree))
    }


_SHORT: Final = {'\\"': '"', "\\\\": "\\", "\\/": "/", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t"}


def _literal(literal: str, way: Mapping[str, Tree]) -> str:
    """A string literal in a way of writing."""
    if "upper" in way:
        literal = re.sub(r"\\u([0-9a-f]{4})", lambda found: "\\u" + found[1].upper(), literal)
    if "escape" in way:
        wanted = re.compile(way["escape"])
        pieces = re.findall(r"\\u[0-9a-fA-F]{4}|\\.|.", literal[1:-1], re.DOTALL)
        literal = '"' + "".join(_escaped(piece, wanted) for piece in pieces) + '"'
    return literal.replace("/", "\\/") if "slash" in way else literal


def _escaped(piece: str, wanted: re.Pattern[str]) -> str:
    character = _SHORT.get(piece, piece)
    return f"\\u{ord(character):04x}" if len(character) == 1 and wanted.fullmatch(character) else piece
