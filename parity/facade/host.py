"""Who runs a tool: the façade itself, or Go (facade.md, The host).

A call is never an exception and never a hang: it ends with a text for the model, whatever Go does. It is bounded by the
timeouts of the two ways to Go, one for the archive's reads and one for tool/exec, which are arguments.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.facade import tool_exec
from parity.facade.go_client import GoClient
from parity.facade.timeouts import READS, RUNS
from parity.facade.transport import HttpTransport
from parity.gostd.target import GO_1_25
from parity.gostd.time import UTC
from parity.rules import rule
from parity.tools import registry
from parity.tools.interface import Env, GoPanic, GoUnavailable
from parity.tools.labels import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from parity.facade.timeouts import Timeouts
    from parity.facade.transport import Transport
    from parity.gostd.target import GoTarget
    from parity.gostd.time import Zone
    from parity.tools.interface import Archive, Args, DiffLine, Memory, Tool, ToolAnswer

NATIVE: Final = "native"
THROUGH_GO: Final = "go"

ARCHIVE_TOOLS: Final = frozenset({"recall", "recall_search"})
MEMORY_TOOLS: Final = frozenset({"mem_search", "mem_read", "mem_add", "mem_edit", "tracker"})

SETTING: Final = "LOKI_MEM"
HELD: Final = "rust"
"""The value of LOKI_MEM under which the façade holds the memory."""

NOT_RUN: Final = "[erreur] le serveur Go est injoignable : l'outil n'a PAS été exécuté. Réessaie plus tard."
MAY_HAVE_RUN: Final = (
    "[erreur] le serveur Go n'a pas donné de réponse utilisable : on ne sait pas si l'outil a été exécuté. "
    "Vérifie avant de recommencer."
)
PANICKED: Final = "[erreur] l'outil s'est arrêté sur une erreur interne : {text}"
"""The three texts are the port's own: the contract asks for a clear one and gives none."""

_SHOWN: Final = 80
"""How much of a text that came from outside a log line shows."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: what the model reads, what the turn announces and shows, which way it went and why.

    ``why`` is one clause, empty for a native call. ``system_error`` says that the result holds a text of the operating
    system; ``panic`` is Go's text where Go would have crashed in this tool; ``answered`` is False where neither the
    façade nor Go gave an answer, so that the result is a text of the host's own.
    """

    result: str
    label: str
    diff: tuple[DiffLine, ...]
    route: str
    why: str = ""
    system_error: bool = False
    panic: str | None = None
    answered: bool = True


@rule("facade/host/memory-held")
def holds_memory(environment: Mapping[str, str]) -> bool:
    """Whether the façade holds the memory: the environment's LOKI_MEM is ``rust``, to the letter."""
    return environment.get(SETTING) == HELD


class Host:
    """Runs tools. Threads may share one."""

    def __init__(  # noqa: PLR0913 - a host stands on all of these, and none is a global
        self,
        go: Transport,
        archive: Archive,
        *,
        memory: Memory | None = None,
        target: GoTarget = GO_1_25,
        zone: Zone = UTC,
        clock: Callable[[], int] = time.time_ns,
        tools: Mapping[str, Tool] = registry.TOOLS,
    ) -> None:
        """``go`` leads to tool/exec; ``memory`` is None where the façade does not hold it.

        ``clock`` gives the nanoseconds since 1970; ``tools`` are those that can run natively.
        """
        self.memory = memory
        self._go = go
        self._archive = archive
        self._target = target
        self._zone = zone
        self._clock = clock
        self._tools = tools

    def exec_tool(self, name: str, args: Args) -> Outcome:
        """Run a tool on decoded arguments. Raises nothing but what is a fault of a tool's own code."""
        outcome = self._executed(name, args)
        _log.log(logging.INFO if outcome.answered else logging.WARNING, "%s", log_line(name, outcome))
        return outcome

    def _executed(self, name: str, args: Args) -> Outcome:
        why = self._why_not_native(name)
        if not why:
            try:
                return self._native(name, args)
            except GoUnavailable as unavailable:
                why = unavailable.reason
        return self._through_go(name, args, why)

    @rule("facade/host/ways")
    def _why_not_native(self, name: str) -> str:
        """Why a tool is Go's to run, as a clause; empty if it is the façade's."""
        if name in ARCHIVE_TOOLS or (name in MEMORY_TOOLS and self.memory is not None):
            return ""
        return "the memory is Go's" if name in MEMORY_TOOLS else "the tool is Go's"

    @rule("facade/host/native")
    def _native(self, name: str, args: Args) -> Outcome:
        """The façade's own answer. Raises GoUnavailable when Go does not answer a read of the archive."""
        env = Env(self._target, self._clock(), self._zone, self._archive, self.memory)
        try:
            answer = self._tools[name](args, env)
        except GoPanic as panic:
            text = PANICKED.format(text=panic.text)
            return Outcome(text, label(name, args, self._target), (), NATIVE, panic=panic.text)
        return _outcome(answer, NATIVE)

    @rule("facade/host/through-go")
    def _through_go(self, name: str, args: Args, why: str) -> Outcome:
        """Go's answer; a clear text where it gives none."""
        try:
            return _outcome(tool_exec.execute(self._go, name, args, self._target), THROUGH_GO, why)
        except GoUnavailable as unavailable:
            text = MAY_HAVE_RUN if tool_exec.was_sent(unavailable) else NOT_RUN
            why = f"{why}; then tool/exec: {unavailable.reason}"
            return Outcome(text, label(name, args, self._target), (), THROUGH_GO, why, answered=False)


def _outcome(answer: ToolAnswer, route: str, why: str = "") -> Outcome:
    return Outcome(answer.result, answer.label, answer.diff, route, why, answer.system_error)


@rule("facade/host/log-line")
def log_line(name: str, outcome: Outcome) -> str:
    """One line of ASCII, whatever the name or the reason hold.

    Neither label nor result stand in it: what a memory keeps sealed must not lie open in a log.
    """
    end = f"panicked: {_drawn(outcome.panic)}" if outcome.panic is not None else f"{len(outcome.result)} characters"
    why = f" ({ascii(outcome.why)[1:-1]})" if outcome.why else ""
    return f"tool {_drawn(name)} {outcome.route}{why}: {end}"


def _drawn(text: str) -> str:
    """A text from outside, quoted and cut, every character but printable ASCII escaped."""
    return ascii(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")


@contextmanager
def connected(  # noqa: PLR0913 - as for a Host
    url: str,
    *,
    reads: Timeouts = READS,
    runs: Timeouts = RUNS,
    memory: Memory | None = None,
    target: GoTarget = GO_1_25,
    zone: Zone = UTC,
    clock: Callable[[], int] = time.time_ns,
) -> Iterator[Host]:
    """A host over the Go at ``url``, with connections of its own. Raises ValueError for what is no server's URL.

    ``reads`` bound each read of the archive, ``runs`` each call of tool/exec: no call takes longer than both together.
    """
    with _transport(url, reads) as reading, _transport(url, runs) as running:
        yield Host(running, GoClient(reading), memory=memory, target=target, zone=zone, clock=clock)


def _transport(url: str, timeouts: Timeouts) -> HttpTransport:
    return HttpTransport(url, connect=timeouts.connect, read=timeouts.read, total=timeouts.total)
