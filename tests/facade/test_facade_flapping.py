"""A host beside a Go that comes and goes: every call is answered, none is lost or run twice, nothing is left behind.

2,000 calls, or as many as LOKI_PARITY_CALLS says.
"""

from __future__ import annotations

import gc
import json
import os
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wire_clients import descriptors, wait_for

from fake_go import faults
from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.facade.host import MAY_HAVE_RUN, NATIVE, NOT_RUN, connected
from parity.facade.timeouts import Timeouts
from parity.facade.tool_exec import EXEC_ROUTE
from parity.stores.ram import RamMemory
from parity.stores.state import Settings
from parity.tools.interface import Block, ToolAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake_go.faults import Fault
    from fake_go.reply import Reply
    from parity.facade.host import Host, Outcome

CALLS: Final = int(os.environ.get("LOKI_PARITY_CALLS", "2000"))
SEED: Final = 46
WAITS: Final = Timeouts(connect=0.5, read=0.03, total=0.06)
LONGEST: Final = 3.0
"""Seconds that one call may take: both timeouts, and a machine that has other things to do."""

GROWTH: Final = 8 * 1024 * 1024
"""Bytes by which the process may grow over the second half of the calls."""

BROKEN: Final[tuple[Fault, ...]] = (
    faults.server_error(),
    faults.server_error(503),
    faults.html(),
    faults.html(404),
    faults.redirect("http://127.0.0.1:9/"),
    faults.wrong_shape(),
    faults.truncated(),
    faults.close_half_way(),
    faults.close_half_way(reset=True),
    faults.close_at_once(),
    faults.close_at_once(reset=True),
    faults.hang(),
    faults.drip(0.01, headers=True),
)
ROUTES: Final = ("block", "blocks", "exec", None)


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class CountingGo(FakeGo):
    """A Go that runs any tool, and counts how often it ran which call, however late the request comes."""

    def __init__(self) -> None:
        super().__init__(
            [Block("r1", 1, "x", "tool", "y", 1790000000), Block("r2", 2, "gare", "tool", "horaires", 1790000000)]
        )
        self.ran: Counter[int] = Counter()
        self._counting = threading.Lock()

    def respond(self, method: str, target: bytes, body: bytes) -> Reply:
        if target == EXEC_ROUTE.encode():
            call = json.loads(body)
            number = call["args"]["n"]
            with self._counting:
                self.ran[number] += 1
            self.expect_exec(call["name"], json.dumps(call["args"]).encode(), ToolAnswer(f"Go {number}"))
        return super().respond(method, target, body)


class Caller:
    """Makes one call after the other, with a number in its arguments that tells it from all others."""

    def __init__(self, host: Host, dice: random.Random) -> None:
        self.host = host
        self.dice = dice
        self.outcomes: list[tuple[str, Outcome]] = []
        self.longest = 0.0

    def call(self) -> None:
        number = len(self.outcomes)
        name = self.dice.choice(("recall", "recall_search", "bash", "mem_add"))
        args = {"id": "r2", "query": "horaires", "n": float(number), "file": f"p{number}"}
        began = time.monotonic()
        self.outcomes.append((name, self.host.exec_tool(name, args)))
        self.longest = max(self.longest, time.monotonic() - began)


def kind(number: int, name: str, outcome: Outcome, ran: int) -> str:
    """What came of a call that Go ran so often; it fails for anything that must not come of one."""
    if outcome.route == NATIVE:
        assert (outcome.result, ran) == (NATIVE_TEXTS[name].format(number=number), 0)
        return "native"
    assert name != "mem_add", "the façade holds the memory"
    if outcome.answered:
        assert (outcome.result, ran) == (f"Go {number}", 1)
        return "through Go"
    if outcome.result == NOT_RUN:
        assert ran == 0
        return "said not to be run"
    assert outcome.result == MAY_HAVE_RUN
    assert ran <= 1
    return "said to be unknown"


NATIVE_TEXTS: Final = {
    "recall": "[r2 — gare, rappelé verbatim]\nhoraires",
    "recall_search": "Blocs trouvés (rappelle le bon avec recall(id)) :\n- r2 — gare\n  horaires",
    "mem_add": "[ok] page 'p{number}' créée",
}


def flap(fake: FakeGo, dice: random.Random) -> None:
    """Go changes its mind: fine more often than not, gone, or wrong on one route or on all, for a while or for good."""
    fake.faults.clear()
    mood = dice.random()
    if mood < 0.1:
        fake.fault(faults.REFUSE)
    elif mood < 0.5:
        for _ in range(dice.randint(1, 3)):
            fake.fault(dice.choice(BROKEN), route=dice.choice(ROUTES), times=dice.choice((1, 2)))


def test_every_call_is_answered_once_whatever_go_does(record_testsuite_property: Callable[[str, object], None]) -> None:
    dice = random.Random(SEED)  # noqa: S311 - the same calls on every run
    fake = CountingGo()
    memory = RamMemory(Settings(), nonces=lambda: bytes(12))
    middle = 0
    files = descriptors()
    with FakeGoServer(fake) as server:
        with connected(server.url, reads=WAITS, runs=WAITS, memory=memory) as host:
            caller = Caller(host, dice)
            for number in range(CALLS):
                if dice.random() < 0.2:
                    flap(fake, dice)
                caller.call()
                fake.take_requests()
                if number == CALLS // 2:
                    middle = resident()
            fake.faults.clear()
        wait_for(lambda: server.connections() == 0)
    growth, left = resident() - middle, descriptors() - files
    kinds = Counter(
        kind(number, name, outcome, fake.ran[number]) for number, (name, outcome) in enumerate(caller.outcomes)
    )
    measured = {"calls": dict(kinds), "longest": caller.longest, "growth": growth, "descriptors": left}
    for name, value in measured.items():
        record_testsuite_property(name, value)
    assert sum(kinds.values()) == CALLS
    assert set(kinds) == {"native", "through Go", "said not to be run", "said to be unknown"}
    assert kinds["native"] > CALLS / 2
    pages = sum(name == "mem_add" for name, _ in caller.outcomes)
    assert sum(name.startswith("p") for name in memory.snapshot().files) == pages
    assert caller.longest < LONGEST
    assert (left, growth < GROWTH) == (0, True), measured
