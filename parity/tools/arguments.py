"""A tool's argument as text, whatever JSON it came from: what Loki's Go calls ``str`` (contract: tracker.md)."""

from __future__ import annotations

from parity.gostd import fmt
from parity.rules import rule


@rule("tracker/arguments/text")
def as_text(value: object) -> str:
    """A string as is, a number without its fraction (``%.0f``), nothing for null or absent, else Go's ``%v``."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return fmt.percent_0f(value)
    return fmt.v(value)
