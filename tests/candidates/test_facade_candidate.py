"""The façade as a candidate: journals through real turns, and every way in which it can fail (facade.md, To show)."""

from __future__ import annotations

import base64
import json
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from fake_go import engine as scripts
from fake_go import faults
from parity.facade.deltas import Completion
from parity.facade.host import Host
from parity.gostd.target import GO_1_25, GO_1_27
from parity.images.state import Turn
from parity.stores.state import Settings, State
from parity.tools import registry
from parity.tools.interface import Block, GoPanic, ToolAnswer
from replay import fields as named
from replay.candidates import facade
from replay.candidates.facade import FacadeCandidate, FacadeSession, received
from replay.candidates.interface import NATIVE, THROUGH_GO, Actual, CandidateCrashed
from replay.engine import Judging, replay
from replay.journal import load
from replay.journal.model import KEEPIMG, MEMORY, RECALL, Expected, Journal, KeepimgCase, Place, Step
from replay.outcome import Crashed, Diverged, Match, Mode, WentThroughGo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Tool
    from replay.outcome import Outcome

LOGS: Final = Path(__file__).parent.parent.parent / "logs"
STEPS: Final = {"recall": 41, "outils": 57, "scelles": 9, "verrouille": 9}
AT: Final = Place("a.json", "", 1)
EXEC: Final = "POST /internal/v1/tool/exec"


@pytest.fixture(scope="module")
def candidate() -> Iterator[FacadeCandidate]:
    with FacadeCandidate() as started:
        yield started


def step(tool: str, raw_args: bytes, expected: Expected | None = None) -> Step:
    return Step(1, tool, "", raw_args, 0, expected or Expected(), AT)


def recall_journal(*steps: Step, target: GoTarget = GO_1_25) -> Journal:
    blocks = (Block("r7", 7, "libellé", "tool", "contenu", 0),)
    return Journal("a.json", "", RECALL, "", target, blocks=blocks, steps=steps)


def memory_journal(*steps: Step, files: dict[str, bytes] | None = None) -> Journal:
    initial = State(files=files or {})
    return Journal("a.json", "", MEMORY, "", GO_1_25, settings=Settings(), initial=initial, steps=steps)


def call(candidate: FacadeCandidate, tool: str, raw_args: bytes, journal: Journal | None = None) -> Actual:
    return candidate.session(journal or recall_journal()).call(step(tool, raw_args))


def outcomes(candidate: FacadeCandidate, journal: Journal, mode: Mode = Mode.ISOLATED) -> list[Outcome]:
    return list(replay(journal, candidate, Judging(mode)))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("name", STEPS)
def test_a_golden_journal_matches_step_by_step_without_one_call_to_exec(
    candidate: FacadeCandidate, name: str, mode: Mode
) -> None:
    seen: list[str] = []
    candidate.fake.on_request = seen.append
    found = outcomes(candidate, load(LOGS / f"{name}.json", file_name=name), mode)
    candidate.fake.on_request = None
    assert len(found) == STEPS[name]
    assert [outcome for outcome in found if not isinstance(outcome, Match)] == []
    assert seen.count(EXEC) == 0
    assert len(seen) == (25 if name == "recall" else 0)


def test_what_is_compared_is_what_the_model_received(candidate: FacadeCandidate) -> None:
    actual = call(candidate, "recall", b'{"id":"r7"}')
    assert actual == Actual(
        {
            named.RESULT: "[r7 — libellé, rappelé verbatim]\ncontenu",
            named.LABEL: "r7",
            named.DIFF: (),
            named.REQUESTS: ("GET /internal/v1/recall/block?seq=7",),
        },
        route=NATIVE,
    )


def test_the_raw_arguments_reach_the_tool_with_all_their_traps(candidate: FacadeCandidate) -> None:
    raw = rb'{"limit":1e400,"query":"a","query":"libell' + "é".encode() + rb" \ud83d " + b'\xff\xe2\x82"}'
    actual = call(candidate, "recall_search", raw)
    assert actual.fields[named.LABEL] == "libellé \ufffd \ufffd\ufffd\ufffd"
    assert actual.fields[named.RESULT] == "Blocs trouvés (rappelle le bon avec recall(id)) :\n- r7 — libellé\n  contenu"


@pytest.mark.parametrize(("target", "shown"), [(GO_1_25, ""), (GO_1_27, "0")])
def test_a_number_beyond_float64_is_what_the_journals_go_leaves(
    candidate: FacadeCandidate, target: GoTarget, shown: str
) -> None:
    journal = replace(memory_journal(), target=target)
    assert call(candidate, "tracker", b'{"action":1e400}', journal).fields[named.LABEL] == shown


@pytest.mark.parametrize("raw", [b"null", b"[]", b'"x"', b"7", b"{}"])
def test_arguments_that_are_no_object_are_an_empty_map_as_for_gos_decoder(
    candidate: FacadeCandidate, raw: bytes
) -> None:
    assert call(candidate, "recall", raw).fields[named.RESULT] == "[erreur] id manquant"


def test_a_steps_time_is_the_hosts_and_stays_where_a_step_has_none(candidate: FacadeCandidate) -> None:
    session = candidate.session(memory_journal())
    add = step("tracker", b'{"action":"add","name":"a","text":"b"}')
    for now_ns, seen in ((5, 5), (None, 5), (6, 6)):
        result = session.call(replace(add, now_ns=now_ns)).fields[named.RESULT]
        assert result == f"[ok] point ajouté à « a » (id {seen})."


def test_the_memory_is_shown_as_it_lies_on_disk(candidate: FacadeCandidate) -> None:
    actual = call(candidate, "mem_add", b'{"file":"a","content":"# A"}', memory_journal())
    assert actual.fields[named.FILES]["a.md"] == {"sealed": False, "content": b"# A\n"}  # type: ignore[call-overload,index]
    assert actual.fields[named.TRACKERS] == {}
    assert named.REQUESTS not in actual.fields


def test_a_crash_of_go_is_shown_as_one_although_the_model_gets_a_text(candidate: FacadeCandidate) -> None:
    journal = memory_journal(files={"a.md": ("Ⱥ" * 300 + " fin").encode()})
    actual = call(candidate, "mem_search", b'{"query":"fin"}', journal)
    assert named.RESULT not in actual.fields
    assert str(actual.fields[named.PANIC]).startswith("runtime error: slice bounds out of range [")
    assert (actual.fields[named.LABEL], actual.fields[named.DIFF]) == ("fin", ())


# It can fail: each vice is reported as exactly what it is.


def with_tool(monkeypatch: pytest.MonkeyPatch, name: str, tool: Callable[..., ToolAnswer]) -> None:
    """Every host made from now on has this tool instead of its own."""
    tools: dict[str, Tool] = {**registry.TOOLS, name: tool}
    monkeypatch.setattr(facade, "Host", partial(Host, tools=tools))


def test_a_tool_that_is_off_by_one_character_diverges(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tool(monkeypatch, "recall", lambda *_: ToolAnswer("[erreur] id manquan", ""))
    one = step("recall", b"{}", Expected(result="[erreur] id manquant", label="", diff=()))
    (outcome,) = outcomes(candidate, recall_journal(one))
    assert isinstance(outcome, Diverged)
    assert [difference.field for difference in outcome.differences] == ["result"]


def test_a_tool_that_raises_crashed_there(candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> ToolAnswer:
        raise ZeroDivisionError

    with_tool(monkeypatch, "recall", broken)
    (outcome,) = outcomes(candidate, recall_journal(step("recall", b"{}", Expected(result="x"))))
    assert isinstance(outcome, Crashed)
    assert outcome.what.startswith("ZeroDivisionError")


def test_a_tool_that_panics_where_go_did_not_diverges(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panicking(*_: object) -> ToolAnswer:
        text = "boom"
        raise GoPanic(text)

    with_tool(monkeypatch, "recall", panicking)
    (outcome,) = outcomes(candidate, recall_journal(step("recall", b"{}", Expected(result="x"))))
    assert isinstance(outcome, Diverged)


def test_a_text_of_the_system_is_told(candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tool(monkeypatch, "recall", lambda *_: ToolAnswer("x", system_error=True))
    assert call(candidate, "recall", b"{}").system_error


def test_a_go_that_answers_no_read_is_a_call_that_went_through_go(candidate: FacadeCandidate) -> None:
    session = candidate.session(recall_journal())
    candidate.fake.fault(faults.server_error(), route="block")
    candidate.fake.expect_exec("recall", b'{"id":"r7"}', ToolAnswer("de Go"))
    actual = session.call(step("recall", b'{"id":"r7"}'))
    assert (actual.route, actual.reason) == (THROUGH_GO, "Go answered with status 500")
    assert actual.fields == {named.REQUESTS: ("GET /internal/v1/recall/block?seq=7", EXEC)}


@pytest.mark.parametrize("tool", ["bash", "Recall", "recall_search_"])
def test_a_tool_that_is_not_ported_went_through_go(candidate: FacadeCandidate, tool: str) -> None:
    (outcome,) = outcomes(candidate, recall_journal(step(tool, b"{}", Expected(result="x"))))
    assert isinstance(outcome, WentThroughGo)
    assert candidate.fake.take_unexpected() == []


def test_a_memory_tool_that_asks_go_anything_went_through_go(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asking(_: object, env: Any) -> ToolAnswer:  # noqa: ANN401 - an Env
        env.archive.blocks()
        return ToolAnswer("x")

    with_tool(monkeypatch, "mem_read", asking)
    actual = call(candidate, "mem_read", b"{}", memory_journal())
    assert (actual.route, actual.reason) == (THROUGH_GO, "Go was asked: GET /internal/v1/recall/blocks")


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([scripts.says("non")], "the turn ended after 0 calls: stop"),
        (
            [scripts.calls(scripts.Call("recall"), scripts.Call("recall", id="b")), scripts.says("x")],
            "the turn ended after 2 calls: stop",
        ),
        (
            [scripts.calls(scripts.Call("recall")), scripts.refuses(500, b"")],
            "the turn ended after 1 call: the engine answered with status 500: ''",
        ),
    ],
)
def test_a_turn_that_does_not_end_as_it_should_is_a_crash(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch, answers: list[scripts.Answer], said: str
) -> None:
    session = candidate.session(recall_journal())
    play = candidate.engine.play
    with monkeypatch.context() as other:
        other.setattr(candidate.engine, "play", lambda *_: play(*answers))
        with pytest.raises(CandidateCrashed) as caught:
            session.call(step("recall", b"{}"))
    assert caught.value.what == said
    assert session.call(step("recall", b"{}")).fields[named.RESULT] == "[erreur] id manquant"


@pytest.mark.parametrize(
    "bodies",
    [
        [],
        [b"{"],
        [b"[]"],
        [b"{}"],
        [b'{"messages":[]}'],
        [b'{"messages":["x"]}'],
        [b'{"messages":[{"role":"user","content":"x"}]}'],
        [b'{"messages":[{"role":"tool","content":[]}]}'],
        [b'{"messages":[{"content":"x"}]}'],
    ],
)
def test_a_request_without_the_tools_result_is_a_crash(bodies: list[bytes]) -> None:
    with pytest.raises(CandidateCrashed, match=r"^the façade (?:did not send|sent) the engine"):
        received(bodies)


def test_the_result_is_the_last_message_of_the_last_request() -> None:
    message = {"role": "tool", "content": "é\n"}
    bodies = [b"{}", json.dumps({"messages": [{"role": "user", "content": "x"}, message]}).encode()]
    assert received(bodies) == "é\n"


def test_it_offers_what_the_port_does() -> None:
    candidate = FacadeCandidate()
    assert [candidate.offers(kind) for kind in (RECALL, MEMORY, KEEPIMG)] == [True, True, True]
    assert (candidate.identity.name, candidate.identity.transport) == ("facade", "http")
    assert "parity.facade.turn" in candidate.identity.modules


def test_it_must_be_started() -> None:
    with pytest.raises(LookupError, match=r"^the candidate was not started$"):
        FacadeCandidate().session(recall_journal())


# --- kept images ---


KEPT: Final = load(LOGS / "keepimg.json", file_name="keepimg.json")


def offered_to_the_store(case: KeepimgCase) -> int:
    """How many images the contract has a case offer to the store: relay, with a state that is not stopped or full."""
    count = 0
    before: Any = {"stopped": False, "kept_tokens": sum(one.get("img_tokens", 0) for one in cast("Any", case.messages))}
    for operation in case.steps:
        if operation.op == "relay" and operation.after["active"] and not operation.step.get("store_fails"):
            count += not before["stopped"] and before["kept_tokens"] < operation.after["budget"]
        before = operation.after
    return count


@pytest.mark.parametrize("mode", Mode)
def test_every_case_of_kept_images_matches_with_its_images_stored_by_go_and_its_completions_real(
    candidate: FacadeCandidate, mode: Mode
) -> None:
    seen: list[str] = []
    candidate.fake.on_request = seen.append
    found = outcomes(candidate, KEPT, mode)
    candidate.fake.on_request = None
    assert [outcome for outcome in found if not isinstance(outcome, Match)] == []
    assert len(found) == 151
    assert Counter(seen) == {
        "GET /internal/v1/turn/keepimg": len(KEPT.cases),
        "POST /internal/v1/turn/keepimg/store": sum(map(offered_to_the_store, KEPT.cases)),
    }


def begun(candidate: FacadeCandidate, name: str) -> tuple[FacadeSession, KeepimgCase]:
    case = next(case for case in KEPT.cases if case.name == name)
    session = candidate.session(KEPT)
    session.begin(case)
    return session, case


def test_the_engine_is_shown_the_image_itself_where_the_turn_holds_a_reference(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, case = begun(candidate, "gardée au coût mesuré")
    bodies: list[bytes] = []
    complete = session.turns.engine.complete

    def seen(body: bytes) -> Completion:
        bodies.append(body)
        return complete(body)

    monkeypatch.setattr(session.turns.engine, "complete", seen)
    for operation in case.steps:
        session.operate(operation)
    shown = [body.count(b"data:image/") for body in bodies]
    assert (len(bodies), shown[0], shown[-1]) == (2, 0, 1)
    assert b"loki-img:" not in b"".join(bodies)


@pytest.mark.parametrize(
    "fault", [faults.server_error(), faults.html(), faults.close_at_once()], ids=lambda one: one.name
)
def test_a_go_that_does_not_say_whether_vision_is_active_is_a_crash_of_the_case(
    candidate: FacadeCandidate, fault: faults.Fault
) -> None:
    session = candidate.session(KEPT)
    candidate.fake.fault(fault, route="keepimg")
    with pytest.raises(CandidateCrashed, match=r"^the façade could not ask whether vision is active$"):
        session.begin(KEPT.cases[0])


def relayed(session: FacadeSession, case: KeepimgCase, url: str | None = None) -> Any:  # noqa: ANN401 - any JSON
    """The visible state after the case's first relay, of another image if one is given."""
    operation = next(one for one in case.steps if one.op == "relay")
    message: Any = operation.step["message"]
    if url is not None:
        message = {**message, "content": ({"type": "image_url", "image_url": {"url": url}},)}
    return session.operate(replace(operation, step={**operation.step, "message": message})).fields


def test_a_go_that_does_not_store_refuses_the_image(candidate: FacadeCandidate) -> None:
    session, case = begun(candidate, "clé 'on'")
    candidate.fake.fault(faults.server_error(), route="store")
    after = relayed(session, case)
    assert (after["stopped"], after["extra"], after["on_trial"]) == (True, (), 0)


def test_an_image_that_go_refuses_is_refused(candidate: FacadeCandidate) -> None:
    session, case = begun(candidate, "clé 'on'")
    after = relayed(session, case, "https://example.org/a.png")
    assert (after["stopped"], after["extra"], after["on_trial"]) == (True, (), 0)


def test_a_record_of_fewer_images_on_trial_weighs_those_that_go_keeps(candidate: FacadeCandidate) -> None:
    session, case = begun(candidate, "clé 'on'")
    after = relayed(session, case)
    session.visible({**after, "on_trial": 0})
    session.visible(after)
    assert session.case is not None
    assert session.case.turn.state is not None
    (trial,) = session.case.turn.state.trials
    url: Any = case.steps[0].step["message"]
    image = next(part["image_url"]["url"] for part in url["content"] if part["type"] == "image_url")
    assert trial.weight == len(base64.b64decode(image.partition(",")[2]))


def test_a_completion_that_does_not_say_what_it_used_leaves_the_context_unknown(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, case = begun(candidate, "gardée au coût mesuré")
    monkeypatch.setattr(session.turns.engine, "complete", lambda _: Completion("x", (), "stop"))
    session.operate(case.steps[0])
    session.operate(case.steps[1])
    assert session.case is not None
    assert session.case.turn.state is not None
    assert session.case.turn.state.context == 0


def test_a_call_of_go_within_an_operation_is_noticed(
    candidate: FacadeCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, case = begun(candidate, "gardée au coût mesuré")
    monkeypatch.setattr(Turn, "sending", lambda *_: session.env.need_archive().blocks())
    actual = session.operate(case.steps[0])
    assert (actual.route, actual.reason) == (THROUGH_GO, "Go was asked: GET /internal/v1/recall/blocks")


@pytest.mark.parametrize("said", [{"prompt_tokens": -5}, {"prompt_tokens": (1 << 53) + 1}])
def test_a_number_that_an_engine_cannot_say_is_taken_as_the_journal_has_it(
    candidate: FacadeCandidate, said: dict[str, int]
) -> None:
    session, case = begun(candidate, "gardée au coût mesuré")
    observe = replace(case.steps[1], step={"op": "observe", **said})
    session.operate(case.steps[0])
    session.operate(observe)
    assert session.case is not None
    assert session.case.turn.state is not None
    assert session.case.turn.state.context == said["prompt_tokens"]
    assert candidate.engine.take_bodies() == []
