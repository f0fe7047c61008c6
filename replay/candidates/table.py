"""Who can be named after ``--candidate``: one line for each sort of candidate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd.target import TargetNotOfferedError, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from replay.candidates.interface import Candidate


class UnknownCandidateError(ValueError):
    """A name that no candidate has; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a candidate may need: how to reach the fake Go, which go command to use, where built programs are kept."""

    transport: str = "http"
    go: Path | None = None
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of candidate: how its name is written, and how one is made from what stands after the colon."""

    written: str
    make: Callable[[str, Means], Candidate]


def _port(_: str, means: Means) -> Candidate:
    from replay.candidates.port import PortCandidate  # noqa: PLC0415 - it loads the HTTP stack: --help must not

    return PortCandidate(means.transport)


def _go(version: str, means: Means) -> Candidate:
    from replay.candidates.go import GoCandidate  # noqa: PLC0415 - as above

    return GoCandidate(version, go=means.go, cache=means.cache)


SORTS: Final[Mapping[str, Sort]] = {
    "port": Sort("port", _port),
    "go": Sort("go:VERSION", _go),
}
"""What stands before the colon to the sort of candidate."""


def known(name: str) -> str:
    """The name itself, if some candidate has it. Raises :class:`UnknownCandidateError`.

    A Go that is not offered is left to whoever makes the candidate: it is a judgement that cannot be made, not a typo.
    """
    sort, colon, rest = name.partition(":")
    wanted = SORTS.get(sort)
    if wanted is None or bool(colon and rest) != (":" in wanted.written):
        offered = ", ".join(one.written for one in SORTS.values())
        message = f"{name!a} is no candidate (expected {offered})"
        raise UnknownCandidateError(message)
    if sort == "go":
        _check_version(rest)
    return name


def _check_version(version: str) -> None:
    try:
        parse(version)
    except TargetNotOfferedError as error:
        if "not offered" not in str(error):
            raise UnknownCandidateError(str(error)) from None


def made(name: str, means: Means) -> Candidate:
    """The candidate of a name that :func:`known` accepts."""
    sort, _, rest = name.partition(":")
    return SORTS[sort].make(rest, means)
