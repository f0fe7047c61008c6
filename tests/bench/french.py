"""French prose that nobody wrote: the same on every machine, with accents, capitals and typography.

Words come by Zipf's law, as in every language: a few dozen make half of a text, most of the thousands are rare.
"""

from __future__ import annotations

import itertools
import random
from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace("\n", " ").strip(" ").split(" "))


COMMON: Final = _words("""
de la le et les des en un du une que est pour qui dans à par plus pas au sur ne se ce il sont avec ou son aux
mais comme été être cette fait ont même où après très déjà fenêtre élève année façon français garçon première
numéro réponse problème système modèle mémoire requête résumé données fichier méthode côté voilà sûr août naïf
cœur œuvre sœur bœuf vœu manœuvre rapport inventaire gare horaire train quai météo plage serveur réseau clé
chiffré dépôt
""")

_ROOTS: Final = _words("""
habit mang parl chant cherch trouv travers préfér répét créol démarr déplac élev étud écout évalu éclair épur
compil calcul archiv rappel recherch mesur indic compar génér vérifi imprim distribu résolu construi condui
traduc produc réduc séduc plac forc commenc gliss pouss tourn voyag march dans saut plong navigu pilot bord
chauff frott gratt grimp hésit jou laiss lanc lav lev lou marqu mont montr nag nettoy not oubli pass pêch pens
""")
_PREFIXES: Final = ("", "re", "dé", "sur", "contre", "entre", "pré", "auto", "inter", "sous", "télé", "co")
_ENDINGS: Final = _words("""
er é ée és ées ait aient ions eront erait ant ante ement ation ations able ables eur euse eurs euses ure age
ages ité ités iste isme if ive ifs ives
""")

VOCABULARY: Final = tuple(dict.fromkeys((*COMMON, *map("".join, itertools.product(_PREFIXES, _ROOTS, _ENDINGS)))))
"""Every word, the commonest first."""

_ENDS: Final = (". ", ". ", ".\n", " ! ", "\u00a0? ", " : ", "…\n\n", " ; ", ", ", ", ", " — ", ".\n\n## ")
_SENTENCE: Final = 9
"""Words between two marks, about."""


class Prose:
    """A stream of prose. Every number it takes comes from ``random.Random.random``, which is the same everywhere."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a bench, not a secret

    def below(self, end: int) -> int:
        """A number from 0 up to ``end``, excluded."""
        return int(self._random.random() * end)

    def word(self) -> str:
        """A word: the n-th of the vocabulary comes with a frequency of about 1/n."""
        return VOCABULARY[int(len(VOCABULARY) ** self._random.random()) - 1]

    def text(self, size: int) -> str:
        """At least ``size`` bytes of UTF-8, cut at the end of a word."""
        pieces: list[str] = []
        length = 0
        capital = True
        while length < size:
            word = self.word()
            dice = self.below(40)
            if dice == 0:
                word = f"« {word} »"
            elif dice == 1:
                word = f"l’{word}"
            elif dice == 2:
                word = str(self.below(10_000))
            elif dice == 3:
                word = _upper(word)
            elif capital:
                word = _upper(word[0]) + word[1:]
            end = _ENDS[self.below(len(_ENDS))] if self.below(_SENTENCE) == 0 else " "
            capital = end[0] in ".!?…"
            pieces += (word, end)
            length += len(word.encode()) + len(end.encode())
        return "".join(pieces)


def _upper(text: str) -> str:
    """Capitals as French writes them, one for one: no text here holds a letter without one."""
    return text.upper()
