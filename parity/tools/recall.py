"""``recall(id)``: gives an archived block back verbatim (contract: recall.md, recall(id))."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strconv, strings
from parity.rules import rule
from parity.tools.interface import ToolAnswer
from parity.tools.labels import label

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Archive, Args, Block, Env

MISSING_ID: Final = "[erreur] id manquant"
NOT_FOUND: Final = (
    "[erreur] bloc {id} introuvable — vérifie l'id, ou utilise recall_search pour le retrouver par mots-clés"
)
FOUND: Final = "[{id} — {label}, rappelé verbatim]\n{content}"


@rule("recall/id/missing")
def id_argument(args: Args) -> str | None:
    """The ``id`` as received, or None when it is not text or is blank after Go's TrimSpace."""
    given = args.get("id")
    if isinstance(given, str) and strings.trim_space(given):
        return given
    return None


@rule("recall/id/prefix")
def without_prefix(text: str) -> str:
    """TrimSpace, one leading ``r``, then one leading ``R``, TrimSpace again: ``rR7`` is ``7``, ``Rr7`` is ``r7``."""
    return strings.trim_space(strings.trim_space(text).removeprefix("r").removeprefix("R"))


@rule("recall/id/digits")
def parse_id(text: str) -> int:
    """The ``seq`` that an id names: ASCII digits only, at least one, below 2^64; leading zeros are fine.

    Raises :class:`parity.gostd.strconv.NumError` for a malformed id, as Go's ``ParseUint(text, 10, 64)`` does.
    """
    return strconv.parse_uint(without_prefix(text))


@rule("recall/id/malformed")
def find(text: str, archive: Archive) -> Block | None:
    """The block that an id names; a malformed id finds nothing and does not read the archive.

    Raises :class:`parity.tools.interface.GoUnavailable` when Go does not answer the read.
    """
    try:
        seq = parse_id(text)
    except strconv.NumError:
        return None
    return archive.block(seq)


@rule("recall/result/absent")
def absent_text(text: str, target: GoTarget) -> str:
    """The one text for a malformed id and for an absent block: the id as received, untrimmed, as Go's ``%q``."""
    return NOT_FOUND.format(id=strconv.quote(text, target))


@rule("recall/result/found")
def found_text(block: Block) -> str:
    """The block's id and label on one line, then its content, untouched."""
    return FOUND.format(id=block.id, label=block.label, content=block.content)


def recall(args: Args, env: Env) -> ToolAnswer:
    """The tool. Raises :class:`parity.tools.interface.GoUnavailable` when Go does not answer the read."""
    return ToolAnswer(_result(args, env), label("recall", args, env.target))


def _result(args: Args, env: Env) -> str:
    text = id_argument(args)
    if text is None:
        return MISSING_ID
    block = find(text, env.need_archive())
    return absent_text(text, env.target) if block is None else found_text(block)
