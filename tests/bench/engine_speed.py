"""The engine: steps a second with everything in memory, and over HTTP beside a bare server that says the same.

Loading is apart; the tally, which every run keeps, is not. Every outcome must be a match, or nothing was measured.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from measure import Figure, Spent, Target, beside, seconds, spent
from pytest_httpserver import URI_DEFAULT, HTTPServer
from werkzeug.wrappers import Response

from fake_go.app import FakeGo
from fake_go.keepalive import TARGET, KeepAliveHTTPServer
from parity.facade.transport import HttpTransport
from parity.gostd import json
from replay.candidates.port import HTTP, IN_MEMORY, PortCandidate
from replay.compare import ALL as TOLERANCES
from replay.engine import Judging, replay
from replay.journal import load
from replay.outcome import Mode
from replay.requirements import requests_of
from replay.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from werkzeug.wrappers import Request

    from replay.journal.model import Journal

LENGTHS: Final = (300, 3_000, 30_000)
HTTP_LENGTH: Final = 3_000
HTTP_ROUNDS: Final = 15
_STEPS_A_ROUND: Final = 30_000
_ROUNDS: Final = 5


class NotAllMatchError(Exception):
    """A step of a journal that Go wrote did not match: the engine, the port or the journal is wrong."""


def replayed(journal: Journal, candidate: PortCandidate) -> int:
    """Judge a whole journal once, isolated; the number of requests that it took. Raises :class:`NotAllMatchError`."""
    tally = Tally(journal, Mode.ISOLATED)
    for outcome in replay(journal, candidate, Judging(Mode.ISOLATED, tolerances=TOLERANCES)):
        tally.add(outcome)
    if not tally.green:
        message = f"{journal.file}: {dict(tally.outcomes)}"
        raise NotAllMatchError(message)
    return tally.requests


def in_memory(journals: dict[int, Path]) -> Iterator[Figure]:
    """Steps a second, and what a step costs in the longest journal beside the shortest."""
    loaded = {length: load(journals[length]) for length in LENGTHS}
    with PortCandidate(IN_MEMORY) as candidate:
        rounds = [
            {length: _replays(loaded[length], candidate) for length in LENGTHS}  # one after the other
            for _ in range(_ROUNDS)
        ]
    fast = Target(20_000, at_least=True)
    for length in LENGTHS:
        rate = statistics.median(_STEPS_A_ROUND / costs[length].wall for costs in rounds)
        yield Figure(f"engine in memory, {length:,} steps", "steps/s", rate, target=fast)
    rate = statistics.median(_STEPS_A_ROUND / costs[LENGTHS[-1]].processor for costs in rounds)
    yield Figure("the same, by processor time", "steps/s", rate, target=fast)
    for length in LENGTHS[1:]:
        pairs = [(_microseconds(costs[length]), _microseconds(costs[LENGTHS[0]])) for costs in rounds]
        name = f"processor time a step, {length:,} beside {LENGTHS[0]:,} steps"
        yield beside(name, "µs", pairs, Target(1.1))


def _replays(journal: Journal, candidate: PortCandidate) -> Spent:
    """As many replays of a journal as come to the same number of steps for each."""

    def repeat() -> None:
        for _ in range(_STEPS_A_ROUND // len(journal.steps)):
            replayed(journal, candidate)

    return spent(repeat)


def _microseconds(costs: Spent) -> float:
    return 1e6 * costs.processor / _STEPS_A_ROUND


def over_http(journals: dict[int, Path]) -> Iterator[Figure]:
    """Requests a second: of the engine with all that it does in between, and of a client that only asks.

    The rival's server is pytest-httpserver as it is, but for kept connections, with one handler for everything, which
    has the answers in a dictionary; same client, same requests in the same order, same bytes.
    """
    journal = load(journals[HTTP_LENGTH])
    targets = _targets(journal)
    bare = _bare_server(journal, targets)
    with PortCandidate(HTTP) as candidate, bare, HttpTransport(bare.url_for("").removesuffix("/")) as client:

        def ask() -> None:
            bare.clear_log()  # it only grows
            for target in targets:
                client.request("GET", target)

        def judge() -> None:
            if replayed(journal, candidate) != len(targets):
                message = "the engine did not make the requests that the rival makes"
                raise NotAllMatchError(message)

        pairs = [(spent(judge), spent(ask)) for _ in range(HTTP_ROUNDS)]
    count = len(targets)
    most = Target(0.9, at_least=True)
    wall = [(count / ours.wall, count / rival.wall) for ours, rival in pairs]
    yield beside(f"engine over HTTP, {HTTP_LENGTH:,} steps, beside a bare server", "requests/s", wall, most)
    processor = [(count / ours.processor, count / rival.processor) for ours, rival in pairs]
    yield beside("the same, by processor time", "requests/s", processor, most)


def _targets(journal: Journal) -> list[str]:
    """What a replay asks for, in order."""
    lines = [
        line
        for step in journal.steps
        for line in requests_of(step.tool, json.unmarshal_args(step.raw_args, journal.target))
    ]
    return [line.removeprefix("GET ") for line in lines]


class _BareServer(KeepAliveHTTPServer):
    application = HTTPServer.application


def _bare_server(journal: Journal, targets: Sequence[str]) -> _BareServer:
    fake = FakeGo(journal.blocks, journal.target)
    answers = {target: fake.respond("GET", target.encode(), b"") for target in targets}

    def answer(request: Request) -> Response:
        reply = answers[request.environ[TARGET]]
        return Response(reply.body, reply.status, reply.headers)

    server = _BareServer()
    server.expect_request(URI_DEFAULT).respond_with_handler(answer)
    return server


def peak_memory(journals: dict[int, Path]) -> Iterator[Figure]:
    """The most memory that a whole run of the command takes, by the length of the journal."""
    for length, journal in journals.items():
        yield Figure(f"memory of a run, {length:,} steps", "MB", _peak(journal))


_RUN_AND_TELL: Final = """
import re, sys
from pathlib import Path
from replay.cli import main
status = main(["run", sys.argv[1], "--transport", "memory"])
sys.stderr.write(re.search("VmHWM:[ \\t]*([0-9]+) kB", Path("/proc/self/status").read_text())[1])
sys.exit(status)
"""
"""Linux counts the most memory of a child from before its start, when it was a copy of its parent: it tells itself."""


def _peak(journal: Path) -> float:
    command = [sys.executable, "-c", _RUN_AND_TELL, str(journal)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - this project's own command
    if done.returncode:
        message = f"{journal}: the command ended with {done.returncode}"
        raise NotAllMatchError(message)
    return int(done.stderr) / 1024


def gate() -> Iterator[Figure]:
    """Seconds of wall time of the command, from nothing: on ``logs/recall.json`` alone, and on all journals."""
    for name, paths, bound in (("recall.json", ("logs/recall.json",), 2.0), ("all journals", (), 3.0)):
        rounds = [seconds(lambda: _command(("run", *paths))) for _ in range(_ROUNDS)]  # noqa: B023 - run now
        yield Figure(f"gate, {name}", "s", statistics.median(rounds), target=Target(bound))
    yield Figure("of these, imports", "s", statistics.median(_import_seconds() for _ in range(_ROUNDS)))


def _command(arguments: tuple[str, ...], *options: str) -> str:
    """What the command writes to its standard error. Raises :class:`NotAllMatchError` when it does not end with 0."""
    command = [sys.executable, *options, "-m", "replay", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - this project's own command
    if done.returncode:
        message = f"{' '.join(arguments)} ended with {done.returncode}"
        raise NotAllMatchError(message)
    return done.stderr


def _import_seconds() -> float:
    """What ``-X importtime`` counts of a gate on one journal: microseconds of each module by itself, added up."""
    lines = _command(("run", "logs/recall.json"), "-X", "importtime").split("\n")
    own = [line.split(":", 1)[1].split("|")[0] for line in lines if line.startswith("import time:")]
    return sum(int(cell) for cell in own if cell.strip(" ").isdecimal()) / 1e6
