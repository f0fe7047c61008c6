"""The arguments of a tool call, as the model wrote them (facade.md, The turn)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import json
from parity.rules import rule

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

UNREADABLE: Final = (
    "[erreur] arguments de l'appel illisibles (JSON invalide ou tronqué) : l'outil n'a PAS été exécuté. "
    "Renvoie l'appel avec des arguments JSON complets et valides."
)
NONE: Final = "{}"

_SPACE: Final = " \t\n\r"
_BEYOND: Final = "json: cannot unmarshal number"
"""How Go's error begins for a number beyond float64: the document is JSON all the same."""


@dataclass(frozen=True, slots=True)
class Given:
    """``args`` is what the tool gets, None where it must not be run; ``history`` is what stays in the history."""

    args: dict[str, object] | None
    history: str


def read(text: str, target: GoTarget) -> Given:
    """What a call's arguments come to.

    JSON that is no object is an empty map, as for Go's decoder whose error is ignored (journal.md, Defaults), and stays
    in the history as it came.
    """
    if is_empty(text):
        return Given({}, NONE)
    decoded = json.unmarshal(text.encode(), target)
    if not is_json(decoded):
        return Given(None, NONE)
    return Given(decoded.value if isinstance(decoded.value, dict) else {}, text)


@rule("facade/turn/empty-arguments")
def is_empty(text: str) -> bool:
    """Whether there is nothing but JSON's own space: such arguments are ``{}``."""
    return not text.strip(_SPACE)


@rule("facade/turn/unreadable-arguments")
def is_json(decoded: json.Decoded) -> bool:
    """Whether the arguments are JSON: a number beyond float64 in them is an error of Go's, but none of syntax."""
    return decoded.error is None or decoded.error.startswith(_BEYOND)
