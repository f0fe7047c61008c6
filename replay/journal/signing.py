"""The hash chain of a signed journal: over its head and its steps, so that whatever was changed is found, and where.

    h0 = SHA-256(what the signature says of itself, and every other member of the top level but the steps)
    hi = SHA-256(h(i-1), step i)

Hashed are the bytes as they stand in the file, in its order, without the white space between tokens: a file that was
only indented anew still holds. Whoever can write a file can write a chain: this finds accidents and casual edits, and
is no proof of who wrote it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.journal import octets, shapes
from replay.journal.aliases import REDACTED, SIGNED, SIGNED_GO, UNSTABLE
from replay.journal.defects import Defect, Kind
from replay.journal.model import LooseField, Signature
from replay.journal.shapes import Fields, described, wrong_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from replay.journal.walk import Tree

FIELDS: Final = ("result", "panic", "label", "diff")
"""The fields of a step that can be loose as a whole; of files and trackers each one alone can."""

_DOMAIN: Final = b"loki-parity-journal/1 signed\n"
_STRING_OR_SPACE: Final = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\n\r]++', re.DOTALL)
_HASH: Final = re.compile("[0-9a-f]{64}")
_LOOSE: Final = re.compile(rf"(?:{'|'.join(FIELDS)}|(?:files|trackers)\[.+\])", re.DOTALL)
_STEPS: Final = "steps"
_COUNT: Final = (1, 2**31 - 1)


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the top level: its key as written, its value as it stands in the file, in octets."""

    key: str
    value: str


def chain(signature: Signature, members: Iterable[Member], steps: Iterable[str]) -> list[str]:
    """The hashes, that of the head first. ``members`` are those of the top level but ``signed`` and the steps."""
    head = hashlib.sha256(_DOMAIN)
    own = {
        "go": {"version": signature.go_version, "commit": signature.go_commit},
        "recorder": signature.recorder,
        "count": signature.count,
    }
    head.update(json.dumps(own).encode())
    for member in members:
        head.update(b"\n" + json.dumps(member.key).encode() + b":" + _plain(member.value))
    link = head.digest()
    hashes = [link.hex()]
    for step in steps:
        link = hashlib.sha256(link + _plain(step)).digest()
        hashes.append(link.hex())
    return hashes


def check(signature: Signature, hashes: Sequence[str], steps: Sequence[int], key: str) -> None:
    """Hold a journal's own chain against the one that was signed.

    ``steps`` are the offsets of its steps, ``key`` what it calls them. Raises Defect for the first that breaks it.
    """
    if hashes[0] != signature.head:
        expected = 'the one that was signed (its hash stands in "signed")'
        raise Defect(Kind.BROKEN_CHAIN, "a head that was changed after it was signed", expected)
    for index, (ours, signed, offset) in enumerate(zip(hashes[1:], signature.steps, steps, strict=False)):
        if ours != signed:
            found = f"a step {index + 1} that was changed, moved, added or taken away after it was signed"
            defect = Defect(Kind.BROKEN_CHAIN, found, f"the one that was signed as step {index + 1}", offset=offset)
            raise defect.inside(key, index)
    if len(steps) < signature.count:
        found = f"the end after step {len(steps)}"
        expected = f"a step {len(steps) + 1}, which was signed"
        defect = Defect(Kind.BROKEN_CHAIN, found, expected, offset=steps[-1])
        raise defect.inside(key, len(steps) - 1)
    if len(steps) > signature.count:
        found = f"a step {signature.count + 1}, which was not signed"
        expected = f"the end after step {signature.count}"
        defect = Defect(Kind.BROKEN_CHAIN, found, expected, offset=steps[signature.count])
        raise defect.inside(key, signature.count)


def _plain(written: str) -> bytes:
    """What stands in a file, without the white space between tokens."""
    return octets.raw(_STRING_OR_SPACE.sub(r"\1", written))


# ---- reading


def signature(tree: Tree) -> Signature:
    """The member ``signed``."""
    fields = Fields(tree, SIGNED)
    version, commit = fields.need("go", _go)
    found = Signature(
        version,
        commit,
        fields.need("recorder", shapes.text),
        fields.need("count", lambda one: shapes.integer(one, _COUNT)),
        fields.need("head", _hash),
        fields.need("steps", lambda one: shapes.each(one, _hash)),
    )
    if len(found.steps) != found.count:
        numbers = f"hashes up to step {len(found.steps)}"
        raise Defect(Kind.BROKEN_CHAIN, numbers, f"one for each up to step {found.count}").inside(_STEPS)
    return found


def redacted(tree: Tree) -> tuple[LooseField, ...]:
    """The member ``redacted``: where something was left out, by which rule, how often and how much."""
    return shapes.each(tree, _redacted)


def unstable(tree: Tree) -> tuple[LooseField, ...]:
    """The member ``unstable``: what Go itself did not answer the same way twice."""
    return shapes.each(tree, _unstable)


def _go(tree: Tree) -> tuple[str, str]:
    fields = Fields(tree, SIGNED_GO)
    return fields.need("version", shapes.text), fields.need("commit", shapes.text)


def _hash(tree: Tree) -> str:
    written = shapes.text(tree)
    if _HASH.fullmatch(written) is None:
        raise wrong_value(tree, "a SHA-256 in hex: 64 characters 0-9a-f")
    return written


def _redacted(tree: Tree) -> LooseField:
    fields = Fields(tree, REDACTED)
    count: Callable[[Tree], int] = lambda one: shapes.integer(one, _COUNT)  # noqa: E731 - used twice, here only
    return LooseField(
        fields.need("step", count),
        fields.need("field", _field),
        fields.need("rule", shapes.text),
        fields.need("times", count),
        fields.need("characters", count),
    )


def _unstable(tree: Tree) -> LooseField:
    fields = Fields(tree, UNSTABLE)
    return LooseField(fields.need("step", lambda one: shapes.integer(one, _COUNT)), fields.need("field", _field))


def _field(tree: Tree) -> str:
    written = shapes.text(tree)
    if _LOOSE.fullmatch(written) is None:
        raise Defect(Kind.WRONG_VALUE, described(tree), f"{', '.join(FIELDS)}, or one of files[…] and trackers[…]")
    return written
