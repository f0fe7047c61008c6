"""Who can be named after ``--candidate``: one line for each sort of candidate."""

from __future__ import annotations

import contextlib
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from parity.gostd.target import TargetNotOfferedError, parse
from replay.candidates.interface import CandidateNotReadyError
from replay.discretion import discreet
from replay.whereabouts import DEADLINE, HERE, LOADING, At

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from replay.candidates.interface import Candidate


_URL: Final = re.compile(r"http://[!-~]+", re.ASCII)


FIELDS_OF_A_CALL: Final = ("name", "args", "result", "label", "diff", "panic")
"""The keys of a call and of its answer, which a façade may call otherwise."""


class UnknownCandidateError(ValueError):
    """A name that no candidate has; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a candidate may need: how to reach the fake Go, which go command to use, where built programs are kept.

    Of those outside this process: the path of an HTTP façade's tool/exec and the names of its fields (None: Go's own),
    the port of the fake Go that they are told to read from (None: any). The seconds that an answer may take (None: as
    many as that sort of candidate is given).
    """

    transport: str = "http"
    go: Path | None = None
    cache: Path | None = None
    http_path: str | None = None
    http_fields: Mapping[str, str] | None = None
    go_port: int | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of candidate: how its name is written, and how one is made from what stands after the colon."""

    written: str
    make: Callable[[str, Means], Candidate]


def _port(_: str, means: Means) -> Candidate:
    with _loading():
        from replay.candidates.port import PortCandidate  # noqa: PLC0415 - it loads the HTTP stack: --help must not

    return PortCandidate(means.transport, deadline=means.deadline or DEADLINE)


def _facade(_: str, means: Means) -> Candidate:
    with _loading():
        from replay.candidates.facade import FacadeCandidate  # noqa: PLC0415 - as above

    return FacadeCandidate(means.deadline or DEADLINE)


@contextlib.contextmanager
def _loading() -> Iterator[None]:
    """A port that cannot be loaded cannot be judged: one sentence, whatever its modules raise."""
    HERE.set_deadline(DEADLINE)
    try:
        with At(LOADING):
            yield
    except Exception as error:
        message = f"the port cannot be loaded: {type(error).__name__}: {error}"
        raise CandidateNotReadyError(message) from error


def _go(version: str, means: Means) -> Candidate:
    from replay.candidates.go import GoCandidate  # noqa: PLC0415 - as above

    return GoCandidate(version, go=means.go, cache=means.cache)


def _http(rest: str, means: Means) -> Candidate:
    from replay.candidates.answers import NAMES  # noqa: PLC0415 - as above
    from replay.candidates.http import EXEC_PATH, Form, HttpCandidate  # noqa: PLC0415 - as above
    from replay.candidates.outside import Patience  # noqa: PLC0415 - as above

    form = Form(means.http_path or EXEC_PATH, {**NAMES, **(means.http_fields or {})})
    return HttpCandidate(f"http:{rest}", form=form, go_port=means.go_port, patience=Patience(*_seconds(means)))


def _seconds(means: Means) -> tuple[float, ...]:
    return () if means.deadline is None else (means.deadline,)


def _cmd(command: str, means: Means) -> Candidate:
    from replay.candidates.command import CommandCandidate  # noqa: PLC0415 - as above
    from replay.candidates.outside import Patience  # noqa: PLC0415 - as above

    return CommandCandidate(command, go_port=means.go_port, patience=Patience(*_seconds(means)))


SORTS: Final[Mapping[str, Sort]] = {
    "port": Sort("port", _port),
    "facade": Sort("facade", _facade),
    "go": Sort("go:VERSION", _go),
    "http": Sort("http://HOST:PORT/BASE", _http),
    "cmd": Sort("'cmd:PROGRAM ARGS'", _cmd),
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
        message = f"{discreet(name)!a} is no candidate (expected {offered})"
        raise UnknownCandidateError(message)
    if sort == "go":
        _check_version(rest)
    elif sort == "http":
        _check(_http_base, name)
    elif sort == "cmd":
        _check(shlex.split, rest)
    return name


def _http_base(url: str) -> None:
    parts = urlsplit(url)
    others = parts.username or parts.password or parts.query or parts.fragment
    if not parts.hostname or parts.port == 0 or others or not _URL.fullmatch(url):
        message = f"{discreet(url)!a} is not the URL of a façade (expected such as http://127.0.0.1:8080/base)"
        raise ValueError(message)


def _check(reading: Callable[[str], object], text: str) -> None:
    try:
        found = reading(text)
    except ValueError as error:
        raise UnknownCandidateError(str(error)) from None
    if found == []:
        message = f"{text!a} names no program"
        raise UnknownCandidateError(message)


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
