"""The keys of a journal and their other names: the journals of Loki's own repository have French keys, or others.

A key is found whatever its case and its accents, and with or without ``_`` and ``-``: ``Étapes``, ``ETAPES`` and
``étapes`` are one name, as are ``date_only`` and ``dateOnly``. So the tables hold names without accents.

Where the contract demands other names (journal.md, Shape: the top level and the keys of a step) they are taken, and
also in the fixed objects below those: a block, a tracker, a line of a diff. They are never taken where keys are free
(names of files, keys of trackers, the configuration), inside ``args``, or in the messages, ``step`` and ``after`` of a
keepimg journal.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from replay.journal.drawing import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLAIN: Final = str.maketrans(
    "àâäáãåçéèêëîïíìñôöóòõùûüúÿ",
    "aaaaaaceeeeiiiinooooouuuuy",
    "_-\u0300\u0301\u0302\u0303\u0308\u0327",
)
"""Accents go, precomposed or combining; so do ``_`` and ``-``."""

_LONGEST_COMPARED: Final = 64
_ALIKE: Final = 0.6


class Names:
    """The keys that one sort of object can have: each by its own name and by its other names."""

    def __init__(self, of: str, table: Mapping[str, tuple[str, ...]]) -> None:
        """``of`` says what has these keys, such as ``a step``; ``table`` is name to other names, without accents."""
        self.of = of
        self.table = table
        self._by_form = {_form(name): key for key, others in table.items() for name in (key, *others)}

    def canonical(self, key: str) -> str | None:
        """The name that a key means; None if it means none."""
        return key if key in self.table else self._by_form.get(_form(key))

    def or_else(self, key: str) -> str:
        """What was expected where a key is missing: it, or one of its other names."""
        return ", or ".join(filter(None, ("it", " or ".join(map(quoted, self.table[key])))))

    def expected(self, key: str) -> str:
        """What was expected in the place of an unknown key: the nearest known name, or else all the keys."""
        others = [name for names in self.table.values() for name in names]
        near = nearest(key, list(self.table)) or nearest(key, others)
        return f"{quoted(near)}, the nearest known" if near else f"a key of {self.of} ({', '.join(self.table)})"


def nearest(name: str, known: list[str]) -> str | None:
    """The known name most like another one; None if no one is much like it."""
    if len(name) > _LONGEST_COMPARED:
        return None
    return next(iter(get_close_matches(_plain(name), known, 1, _ALIKE)), None)


def one_of(name: str, known: Iterable[str]) -> str:
    """What was expected in the place of an unknown name: the nearest known, or else any of them."""
    names = list(known)
    near = nearest(name, names)
    return f"one of {', '.join(names)}" if near is None else f"{quoted(near)}, the nearest known"


def _plain(key: str) -> str:
    return re.sub("[_-]+", "_", key).lower()


def _form(key: str) -> str:
    return key.lower().translate(_PLAIN)


_STATE: Final = {"files": ("fichiers",), "trackers": ("suivis",)}
_STEPS: Final = ("appels", "etapes", "calls")
_NAME: Final = ("nom",)
_TEXT: Final = ("texte",)
_LABEL: Final = ("libelle",)

TOP: Final = Names(
    "a journal",
    {
        "format": (),
        "kind": ("genre", "sorte", "type"),
        "about": ("a_propos", "description", "sujet"),
        "source": ("origine",),
        "reduced_from": (),
        "go": (),
        "signed": ("signe", "signature"),
        "redacted": ("caviarde",),
        "unstable": ("instable",),
        "blocks": ("blocs",),
        "project": ("projet",),
        "clock": ("horloge",),
        "config": ("configuration", "reglages"),
        "dek": ("cle", "key"),
        "locked": ("verrouille", "verrouillee"),
        "initial": ("depart", "debut", "etat_initial", "start"),
        "steps": _STEPS,
        "cases": ("cas",),
    },
)

REDUCED_FROM: Final = Names("what a journal was reduced from", {"journal": (), "sha256": (), "step": ()})

HEAD: Final = Names("the head of a journal of lines", {"follow": (), **TOP.table})
"""It has no steps and no cases, but knows their names, to say so."""

END: Final = Names("the end of a journal of lines", {"end": ()})

COUNT: Final = Names("the end of a journal of lines", {"steps": (), "cases": ()})

GO: Final = Names("a Go", {"version": (), "unicode": (), "goarch": ("arch",)})

SIGNED: Final = Names("a signature", {"go": (), "recorder": (), "count": (), "head": (), "steps": ()})

SIGNED_GO: Final = Names("a signed Go", {"version": (), "commit": ()})

REDACTED: Final = Names("a redaction", {"step": (), "field": (), "rule": (), "times": (), "characters": ()})

UNSTABLE: Final = Names("an unstable field", {"step": (), "field": ()})

PROJECT: Final = Names("a project", {"slug": (), "name": _NAME})

CLOCK: Final = Names("a clock", {"tz": ("fuseau", "timezone", "zone")})

INITIAL: Final = Names("an initial state", _STATE)

BLOCK: Final = Names(
    "a block",
    {"id": (), "seq": (), "label": _LABEL, "role": (), "content": ("contenu",), "created": ("cree", "creation")},
)

STEP: Final = Names(
    "a step",
    {
        "tool": ("outil", "name", "nom"),
        "note": ("remarque", "commentaire", "comment"),
        "now": ("heure", "maintenant"),
        "args": ("arguments",),
        "result": ("resultat",),
        "panic": ("panique",),
        "label": _LABEL,
        "diff": ("differences",),
        **_STATE,
    },
)

TRACKER: Final = Names("a tracker", {"name": _NAME, "events": ("evenements", "points")})

EVENT: Final = Names(
    "a point", {"id": (), "ts": ("horodatage",), "text": _TEXT, "date_only": ("date_seule", "jour_seul")}
)

DIFF_LINE: Final = Names("a line of a diff", {"op": (), "text": _TEXT})

CONTENT: Final = Names("a file's content", {"base64": ()})

CASE: Final = Names(
    "a case",
    {
        "name": _NAME,
        "ctx_window": ("fenetre",),
        "keep_turn_images": (),
        "thread": ("fil",),
        "conversation": ("discussion",),
        "vision": (),
        "messages": (),
        "steps": _STEPS,
    },
)

OPERATION: Final = Names("an operation", {"step": ("etape",), "after": ("apres",)})
