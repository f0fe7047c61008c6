"""What can go wrong with the oracle, real Go beside the port: each error is one clear sentence and judges nobody."""

from __future__ import annotations


class OracleError(Exception):
    """The oracle cannot judge; the message is one sentence."""


class NoGoError(OracleError):
    """There is no Go of the wanted version here."""


class BuildError(OracleError):
    """The oracle's program could not be built."""


class OracleDiedError(OracleError):
    """The oracle ended, or could not be started, with questions unanswered."""


class OracleHungError(OracleError):
    """The oracle did not answer in time."""


class OracleLiedError(OracleError):
    """What the oracle wrote is no answer to what it was asked."""


class WrongOracleError(OracleError):
    """The oracle is another Go than the one that was asked for."""


class QuestionRefusedError(OracleError):
    """The oracle says that the question itself is bad: a fault of whoever asks."""
