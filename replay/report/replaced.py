"""What a report may be written over: nothing, an empty file, or an older report of the same form.

Whoever mistypes a name loses no file: what stands there and begins otherwise is left as it is.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Form(NamedTuple):
    """A form of report: what it is called, and how every file of it begins, in small letters."""

    name: str
    beginning: bytes


JSON_LINES: Final = Form("run as JSON lines", b'{"type":"')
HTML: Final = Form("HTML page", b"<!doctype html>")
XML: Final = Form("XML document", b"<?xml ")


def may_replace(file: Path, form: Form) -> bool:
    """Whether nothing is lost when a report is written over what stands there; what cannot be read is lost to nobody.

    Only a file is looked into: a device or a pipe is written to as it is.
    """
    found = b""
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(file):  # noqa: PTH113 - Path.is_file raises for a name that is too long
            with file.open("rb") as stream:
                found = stream.read(len(form.beginning))
    return not found or found.lower() == form.beginning


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, through links too; also to one that is not there yet."""
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - two paths alike
    except (OSError, ValueError):  # one of them is not there, or cannot be
        return os.path.realpath(one) == os.path.realpath(other)
