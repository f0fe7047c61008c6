"""What a journal says of itself, value by value: its Go, its project, its clock, its key (journal.md, Shape)."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from parity import zones
from parity.gostd import target
from parity.stores.errors import FileNameError
from parity.stores.file_names import file_name
from parity.stores.state import Settings
from replay.counted import counted
from replay.journal.aliases import CLOCK, GO, PROJECT, REDUCED_FROM, nearest, one_of
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.kinds import FORMAT, KINDS
from replay.journal.model import REDUCED, ReducedFrom
from replay.journal.shapes import Fields, described, text, wrong_value

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from replay.journal.walk import Tree

RECORDED: Final = "recorded"
SOURCES: Final = (RECORDED, "model", REDUCED)
FOLLOWING: Final = ("steps", "cases")
DEFAULT_GO: Final = target.GO_1_25
DEFAULT_ZONE: Final = "UTC"
DEFAULT_PROJECT: Final = (Settings().project_slug, Settings().project_name)

_LIKE_A_VERSION: Final = re.compile(r"(?:go|devel )?[ -]?(?:go)?[0-9].*", re.DOTALL)
_KEY: Final = re.compile("[0-9a-fA-F]{64}")
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def format_(tree: Tree) -> str:
    """The name of the format: there is one.  Of a newer one :mod:`.newer` says more."""
    if text(tree) != FORMAT:
        raise Defect(Kind.UNKNOWN_FORMAT, described(tree), quoted(FORMAT))
    return FORMAT


def kind(tree: Tree) -> str:
    """The kind of the journal."""
    name = text(tree)
    if name not in KINDS:
        raise Defect(Kind.UNKNOWN_KIND, f"the kind {quoted(name)}", one_of(name, KINDS))
    return name


def source(tree: Tree) -> str:
    """Who wrote the journal."""
    name = text(tree)
    if name not in SOURCES:
        raise wrong_value(tree, one_of(name, SOURCES))
    return name


def reduced_from(tree: Tree) -> ReducedFrom:
    """What a reduced journal was made from."""
    fields = Fields(tree, REDUCED_FROM)
    return ReducedFrom(
        fields.need("journal", text),
        fields.need("sha256", partial(_written_as, _DIGEST, "64 characters 0-9a-f")),
        fields.need("step", partial(_written_as, _NUMBER, "the number of a step, such as 12 or 3.2")),
    )


def _written_as(pattern: re.Pattern[str], expected: str, tree: Tree) -> str:
    written = text(tree)
    if pattern.fullmatch(written) is None:
        raise wrong_value(tree, expected)
    return written


def go(tree: Tree) -> GoTarget:
    """The Go that was recorded; what is not named is Go 1.25 on amd64."""
    fields = Fields(tree, GO)
    version = fields.get("version", _version, DEFAULT_GO)
    found = fields.get("goarch", partial(_processor, version), version)
    fields.get("unicode", partial(_unicode, found), "")
    return found


def project(tree: Tree) -> tuple[str, str]:
    """The project's slug and its name."""
    fields = Fields(tree, PROJECT)
    return fields.need("slug", _slug), fields.need("name", text)


def zone(tree: Tree) -> str:
    """The time zone of the clock."""
    return Fields(tree, CLOCK).get("tz", _zone, DEFAULT_ZONE)


def dek(tree: Tree) -> bytes | None:
    """The key of 32 bytes, in hex; an empty text is none."""
    written = text(tree)
    if not written:
        return None
    if _KEY.fullmatch(written) is None:
        raise Defect(
            Kind.BAD_DEK, f"a text of {counted(len(written), 'character')}", "32 bytes in hex: 64 characters 0-9a-f"
        )
    return bytes.fromhex(written)


def follow(tree: Tree) -> str:
    """What the lines after the head are."""
    name = text(tree)
    if name not in FOLLOWING:
        raise wrong_value(tree, one_of(name, FOLLOWING))
    return name


def _version(tree: Tree) -> GoTarget:
    version = text(tree)
    try:
        return target.parse(version)
    except target.TargetNotOfferedError:
        if _LIKE_A_VERSION.fullmatch(version) is None:
            raise wrong_value(tree, "a Go version such as go1.25.5") from None
        raise Defect(Kind.GO_NOT_OFFERED, f"Go {quoted(version)}", "Go 1.21 to 1.27") from None


def _processor(version: GoTarget, tree: Tree) -> GoTarget:
    name = text(tree)
    try:
        return target.parse(version.version, name)
    except target.TargetNotOfferedError:
        raise Defect(Kind.GO_NOT_OFFERED, f"the processor {quoted(name)}", "amd64, the one offered") from None


def _unicode(go: GoTarget, tree: Tree) -> str:
    if text(tree) != go.unicode:
        raise Defect(Kind.GO_UNICODE, described(tree), f"{quoted(go.unicode)}, the Unicode of {go.version}")
    return go.unicode


def _slug(tree: Tree) -> str:
    slug = text(tree)
    try:
        file_name(slug)
    except FileNameError:
        raise Defect(Kind.FILE_NAME, described(tree), "a slug that is the name of one folder") from None
    return slug


def _zone(tree: Tree) -> str:
    name = text(tree) or DEFAULT_ZONE
    if name not in zones.names():
        near = nearest(name, sorted(zones.names()))
        expected = "a name of the IANA database" if near is None else f"{quoted(near)}, the nearest known"
        raise Defect(Kind.UNKNOWN_ZONE, f"the time zone {quoted(name)}", expected)
    return name
