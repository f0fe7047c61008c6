"""Where built programs are kept between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME: Final = "loki-parity"


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The person's cache folder for this program: XDG's, or that of macOS or Windows. It may not exist yet."""
    home = Path(environment.get("HOME") or Path.home())
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local", NAME, "Cache")
    if platform == "darwin":
        return home / "Library" / "Caches" / NAME
    named = environment.get("XDG_CACHE_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    return Path(named if Path(named).is_absolute() else home / ".cache", NAME)
