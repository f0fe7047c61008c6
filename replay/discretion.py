"""What is never told although somebody typed it or it stands in the environment: tokens, passwords, keys.

They come in with the URL or the command line of a candidate, and with the environment that it inherits; they would go
out with its name in every report, with the words of a program that ends badly, with a sentence on a wrong argument.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN: Final = "***"

_WORDS: Final = r"token|secret|passw(?:or)?d|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|authorization"
_NAMES: Final = rf"(?<![\w-])[\w-]*(?:{_WORDS})[\w-]*"
_VALUE: Final = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"&,;)]+)"

_HEADER: Final = r"(?:authorization|(?<![\w-])[\w-]+-(?:token|key|secret))"

_USER: Final = re.compile(r"(?<=://)[^/?#\s'\"@]*@")
_NAMED: Final = re.compile(
    # --token X, token=X, a header whose name ends so, Bearer X; not "unexpected token X", which is what parsers say
    rf"(?P<before>(?:(?<![\w-])(?=-){_NAMES}(?:=|\s+)|{_NAMES}=|{_HEADER}\s*:\s*)(?:(?:basic|bearer)\s+)?|\bbearer\s+)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
_VARIABLE: Final = re.compile(_NAMES, re.IGNORECASE)

_LONGEST: Final = 10_000
"""No sentence is shown beyond this, and none is read beyond it."""

_LEAST: Final = 6
"""A shorter value of a variable is found in too much that is no secret."""


def discreet(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """A text without the user of a URL, what follows the name of a secret, and secrets of the environment."""
    for name, value in environment.items():
        if len(value) >= _LEAST and value in text and _VARIABLE.search(name):
            text = text.replace(value, HIDDEN)
    text = text[:_LONGEST]
    text = _USER.sub(f"{HIDDEN}@", text)
    return _NAMED.sub(rf"\g<before>{HIDDEN}", text)
