"""The journals that a verb works on: those that a person named, or those of the project's own configuration."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from replay.configuration import ConfigurationError, nearest
from replay.journal import JournalError, load
from replay.journal.drawing import visible
from replay.run import Exit
from replay.sources import NoJournalError, configured, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.journal.model import Journal


class NoUsableJournalError(Exception):
    """The journals cannot be used; one sentence, and the exit status that it leads to."""

    def __init__(self, sentence: str, exit_: Exit) -> None:
        super().__init__(sentence)
        self.exit = exit_


def journals(paths: Sequence[str]) -> list[Journal]:
    """The journals that paths name; no path: the configured ones. Raises :class:`NoUsableJournalError`."""
    try:
        sources = named(paths, _say) if paths else configured(nearest(), _say)
        return [load(source.path, file_name=source.name) for source in sources]
    except (ConfigurationError, NoJournalError) as error:
        raise NoUsableJournalError(str(error), Exit.NOT_JUDGED) from None
    except JournalError as error:
        exit_ = Exit.NOT_JUDGED if error.kind == "go-not-offered" else Exit.BAD_INPUT
        raise NoUsableJournalError(str(error), exit_) from None


def _say(sentence: str) -> None:
    sys.stderr.write(f"loki-parity: {visible(sentence)}\n")


def journal(path: str) -> Journal:
    """The one journal of a path. Raises :class:`NoUsableJournalError`, also for a folder that holds several."""
    found = journals([path])
    if len(found) > 1:
        message = f"{path}: this folder holds {len(found)} journals, and one is wanted"
        raise NoUsableJournalError(message, Exit.BAD_INPUT)
    return found[0]
