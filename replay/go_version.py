"""A Go version as a person types it after ``--go-version``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parity.gostd.target import TargetNotOfferedError, parse

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget


class NoVersionError(ValueError):
    """A text that is no Go version at all; one sentence."""


def target_of(text: str) -> GoTarget:
    """The target that a version names, such as ``1.25.5``.

    Raises :class:`NoVersionError`, and TargetNotOfferedError for a version whose answers the port does not know.
    """
    try:
        return parse(text)
    except TargetNotOfferedError as error:
        if "not offered" in str(error):
            raise
        raise NoVersionError(str(error)) from None
