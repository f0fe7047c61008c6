"""Why nothing is recorded: one sentence, the exit status that it leads to."""

from __future__ import annotations

from replay.run import Exit


class RecordingRefusedError(Exception):
    """Nothing was written under the journal's name. The message is one sentence; it holds no credentials."""

    exit = Exit.BAD_INPUT


class GoRefusedError(RecordingRefusedError):
    """Go is not there, is not Go, or answers what cannot be recorded."""

    exit = Exit.NOT_JUDGED


class NoAnswerError(GoRefusedError):
    """No answer came: Go is down, hangs, or cuts its connections. What was recorded before is as good as ever."""
