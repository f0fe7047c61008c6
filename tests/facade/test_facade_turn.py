"""A turn over real HTTP, engine and Go both: what the model asks, what it receives (facade.md, The turn)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from turn_stage import EXEC, PLAIN, QUICK, Stage, results, stage, user

from fake_go import engine as scripts
from fake_go import faults
from fake_go.engine import Call
from parity.facade.arguments import UNREADABLE
from parity.facade.host import MAY_HAVE_RUN, NATIVE, NOT_RUN, THROUGH_GO
from parity.facade.turn import Ended, Turns
from parity.images.message import Message, ToolCall
from parity.tools.interface import ToolAnswer
from replay.journal import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fake_go.faults import Fault
    from replay.journal.model import Journal

LOGS = Path(__file__).parent.parent.parent / "logs"
ASKED = [user("Où en est le projet ?")]


@pytest.fixture(scope="module")
def journal() -> Journal:
    return load(LOGS / "recall.json", file_name="logs/recall.json")


@pytest.fixture
def on(tmp_path: Path, journal: Journal) -> Iterator[Stage]:
    with stage(tmp_path) as made:
        made.go.load(journal.blocks, journal.target)
        yield made


def run(on: Stage, *answers: scripts.Answer, turns: Turns | None = None) -> Ended:
    on.engine.play(*answers)
    return (turns or on.turns).run(ASKED, PLAIN)


def recorded(journal: Journal, tool: str, **args: object) -> str:
    """What Go recorded as the result of a call."""
    found = [one for one in journal.steps if one.tool == tool and json.loads(one.raw_args) == args]
    assert found
    assert found[0].expected.result is not None
    return found[0].expected.result


def test_a_text_ends_the_turn(on: Stage) -> None:
    ended = run(on, scripts.says("Voilà.", tokens=(10, 3)))
    assert (ended.text, ended.error, ended.finish_reason, ended.used, ended.rounds) == ("Voilà.", "", "stop", 13, 1)
    assert ended.history == (*ASKED, Message("assistant", "Voilà."))
    assert on.go.take_requests() == []


def test_a_request_is_what_an_engine_expects(on: Stage) -> None:
    tool: dict[str, object] = {"type": "function", "function": {"name": "recall", "parameters": {"type": "object"}}}
    turns = Turns(on.turns.engine, on.host, model="qwen", tools=[tool])
    run(on, scripts.says("a"), turns=turns)
    assert on.requests() == [
        {
            "model": "qwen",
            "messages": [{"role": "user", "content": "Où en est le projet ?"}],
            "stream": True,
            "stream_options": {"include_usage": True},
            "tools": [tool],
        }
    ]


def test_a_turn_recalls_and_searches_without_one_call_to_exec(on: Stage, journal: Journal) -> None:
    search = Call("recall_search", '{"query":"HORAIRES TRAIN"}', "s", pieces=4)
    recall = Call("recall", '{"id":"r2"}', "r", pieces=3)
    ended = run(on, scripts.calls(search), scripts.calls(recall), scripts.says("Le train part à 14h12."))
    assert ended.text == "Le train part à 14h12."
    texts = [recorded(journal, "recall_search", query="HORAIRES TRAIN"), recorded(journal, "recall", id="r2")]
    assert results(on.requests()[-1]) == texts
    assert [ran.outcome.route for ran in ended.ran] == [NATIVE, NATIVE]
    requests = on.go.take_requests()
    assert requests == ["GET /internal/v1/recall/blocks", "GET /internal/v1/recall/block?seq=2"]
    assert requests.count(EXEC) == 0


def test_a_turn_creates_a_page_and_nothing_goes_through_go(on: Stage, tmp_path: Path) -> None:
    args = json.dumps({"file": "lisbonne", "content": "# Lisbonne\n\nÀ voir : l'Alfama.\n"}, ensure_ascii=False)
    ended = run(on, scripts.calls(Call("mem_add", args, pieces=7)), scripts.says("C'est noté."))
    result = "[ok] page 'lisbonne' créée"
    assert (ended.ran[0].outcome.result, ended.ran[0].outcome.route) == (result, NATIVE)
    assert results(on.requests()[-1]) == [result]
    assert on.go.take_requests() == []
    folder = tmp_path / "memory" / "voyages"
    assert (folder / "lisbonne.md").read_text(encoding="utf-8") == "# Lisbonne\n\nÀ voir : l'Alfama.\n"
    index = (folder / "MEMORY.md").read_text(encoding="utf-8")
    assert index.startswith("# Index mémoire — Voyages\n\n")
    assert index.endswith("\n- [Lisbonne](lisbonne.md)\n")
    assert sorted(one.name for one in folder.iterdir()) == ["MEMORY.md", "MEMORY.md.bak", "lisbonne.md"]


@pytest.mark.parametrize(
    "fault", [faults.server_error(), faults.html(404), faults.close_at_once(), faults.hang()], ids=lambda one: one.name
)
def test_go_down_during_a_turn_sends_the_call_through_exec(tmp_path: Path, fault: Fault) -> None:
    with stage(tmp_path, reads=QUICK) as on:
        on.go.fault(fault, route="block")
        on.go.expect_exec("recall", b'{"id":"r2"}', ToolAnswer("de Go", "r2"))
        ended = run(on, scripts.calls(Call("recall", '{"id":"r2"}')), scripts.says("fin"))
        assert (ended.text, ended.ran[0].outcome.route) == ("fin", THROUGH_GO)
        assert results(on.requests()[-1]) == ["de Go"]
        assert on.go.take_requests()[-1] == EXEC


def test_go_gone_during_a_turn_leaves_a_clear_text_and_the_turn_goes_on(on: Stage) -> None:
    on.go.fault(faults.REFUSE)
    ended = run(on, scripts.calls(Call("recall", '{"id":"r2"}'), Call("bash", "{}", "b")), scripts.says("tant pis"))
    assert (ended.text, ended.error) == ("tant pis", "")
    assert results(on.requests()[-1]) == [NOT_RUN, NOT_RUN]


def test_go_silent_during_a_turn_never_hangs_it(tmp_path: Path) -> None:
    with stage(tmp_path, reads=QUICK, runs=QUICK) as on:
        on.go.fault(faults.hang())
        on.go.expect_exec("recall", b'{"id":"r2"}', ToolAnswer("trop tard"))
        began = time.monotonic()
        run(on, scripts.calls(Call("recall", '{"id":"r2"}')), scripts.says("fin"))
        assert time.monotonic() - began < 3
        assert results(on.requests()[-1]) == [MAY_HAVE_RUN]


def test_the_calls_of_a_message_are_run_in_order_and_each_gets_its_message(on: Stage) -> None:
    calls = scripts.calls(
        Call("mem_add", '{"file":"a","content":"un"}', "x"),
        Call("mem_edit", '{"file":"a","old":"un","new":"deux"}', "y"),
        Call("mem_read", '{"file":"a"}', "z"),
        text="Je note.",
    )
    ended = run(on, calls, scripts.says("fin"))
    texts = ["[ok] page 'a' créée", "[ok] page 'a' modifiée", "1\tdeux\n2\t"]
    assert [ran.outcome.result for ran in ended.ran] == texts
    assert on.requests()[-1]["messages"][1:] == [
        {
            "role": "assistant",
            "content": "Je note.",
            "tool_calls": [
                {"id": one, "type": "function", "function": {"name": name, "arguments": arguments}}
                for one, name, arguments in [
                    ("x", "mem_add", '{"file":"a","content":"un"}'),
                    ("y", "mem_edit", '{"file":"a","old":"un","new":"deux"}'),
                    ("z", "mem_read", '{"file":"a"}'),
                ]
            ],
        },
        *({"role": "tool", "content": text, "tool_call_id": one} for text, one in zip(texts, "xyz", strict=True)),
    ]


def test_arguments_that_are_not_json_are_answered_without_running_the_tool(on: Stage) -> None:
    calls = scripts.calls(Call("mem_add", '{"file":"a","content":"u', "x"), Call("mem_read", '{"file":"a"}', "y"))
    ended = run(on, calls, scripts.says("fin"))
    assert results(on.requests()[-1]) == [UNREADABLE, "[erreur] page 'a' introuvable"]
    history = [call.arguments for call in ended.history[1].tool_calls]
    assert history == ["{}", '{"file":"a"}']
    assert ended.ran[0].call == ToolCall("x", "function", "mem_add", '{"file":"a","content":"u')
    assert not ended.ran[0].outcome.answered
    assert on.memory.snapshot().files == {}


def test_empty_arguments_are_an_empty_object(on: Stage) -> None:
    ended = run(on, scripts.calls(Call("recall", "")), scripts.says("fin"))
    assert ended.ran[0].outcome.result == "[erreur] id manquant"
    assert ended.history[1].tool_calls[0].arguments == "{}"


@pytest.mark.parametrize("raw", ["null", "[1]", '"r2"', "7"])
def test_arguments_that_are_no_object_are_an_empty_map(on: Stage, raw: str) -> None:
    ended = run(on, scripts.calls(Call("recall", raw)), scripts.says("fin"))
    assert ended.ran[0].outcome.result == "[erreur] id manquant"
    assert ended.history[1].tool_calls[0].arguments == raw


def test_traps_in_arguments_reach_the_tool_as_gos_decoder_leaves_them(on: Stage) -> None:
    raw = rb'{"limit":1e400,"query":"x","query":"HORAIRES \ud83d TRAIN ' + b'\xff"}'
    ended = run(on, scripts.calls(Call("recall_search", raw, pieces=11)), scripts.says("fin"))
    assert ended.ran[0].outcome.label == "HORAIRES \ufffd TRAIN \ufffd"
    assert ended.ran[0].outcome.result.startswith("Blocs trouvés")


def test_a_stream_cut_before_its_finish_reason_ends_the_turn_and_runs_nothing(on: Stage) -> None:
    whole = scripts.calls(Call("mem_add", '{"file":"a","content":"un"}', pieces=3), tokens=(1, 1))
    end = whole.body.index(b"\n\n", whole.body.index(b'"tool_calls"}')) + 1
    for place in range(0, end + 1, 29):
        ended = run(on, whole.cut_after(place))
        assert ended.error == "the engine's answer was cut off or is not HTTP"
        assert (ended.text, ended.ran, ended.rounds) == ("", (), 0)
        assert ended.history == tuple(ASKED)
    assert on.memory.snapshot().files == {}


def test_what_was_done_before_the_engine_failed_stays_in_the_history(on: Stage) -> None:
    ended = run(on, scripts.calls(Call("recall", "{}")), scripts.refuses(500, b'{"error":"no"}'))
    assert ended.error == "the engine answered with status 500: 'no'"
    assert [message.role for message in ended.history] == ["user", "assistant", "tool"]
    assert len(ended.ran) == 1


def test_rounds_are_bounded(on: Stage) -> None:
    turns = Turns(on.turns.engine, on.host, most_rounds=3)
    ended = run(on, *[scripts.calls(Call("recall", "{}"))] * 4, turns=turns)
    assert ended.error == "the model did not answer within 3 rounds"
    assert (ended.rounds, len(ended.ran), on.engine.unused()) == (3, 3, 1)
    assert [message.role for message in ended.history[1:]] == ["assistant", "tool"] * 3
    on.engine.forget()


def test_calls_are_run_whatever_the_finish_reason_says(on: Stage) -> None:
    calls = scripts.calls(Call("recall", "{}"))
    stopped = scripts.Answer(tuple(piece.replace(b'"tool_calls"}', b'"stop"}') for piece in calls.pieces))
    assert len(run(on, stopped, scripts.says("fin")).ran) == 1


def test_an_engine_without_usage_leaves_the_context_unknown(on: Stage) -> None:
    assert run(on, scripts.says("a")).used == 0


def test_reasoning_counts_for_nothing_in_the_context(on: Stage) -> None:
    assert run(on, scripts.says("a", tokens=(100, 30, 20))).used == 110


def test_a_prompt_that_is_too_long_is_summarised_and_asked_again_once(on: Stage) -> None:
    on.summary = [user("résumé")]
    ended = run(on, scripts.too_long(), scripts.says("fin"))
    assert ended.text == "fin"
    assert ended.history == (user("résumé"), Message("assistant", "fin"))
    assert [request["messages"][0]["content"] for request in on.requests()] == [ASKED[0].content, "résumé"]
    assert on.summaries == [tuple(ASKED)]
    assert on.published == [(user("résumé"),)]


def test_a_prompt_that_stays_too_long_ends_the_turn(on: Stage) -> None:
    on.summary = [user("résumé")]
    ended = run(on, scripts.too_long(), scripts.too_long())
    assert ended.error.startswith("the engine answered with status 400")
    assert len(on.summaries) == 1


def test_without_a_summary_a_prompt_that_is_too_long_ends_the_turn(on: Stage) -> None:
    turns = Turns(on.turns.engine, on.host)
    assert run(on, scripts.too_long(), turns=turns).error.startswith("the engine answered with status 400")


def test_over_the_threshold_the_summary_is_asked_for_after_a_step(on: Stage) -> None:
    on.summary = [user("résumé")]
    step = scripts.calls(Call("recall", "{}"), tokens=(24_500, 100))
    ended = run(on, step, scripts.says("fin", tokens=(50, 5)))
    assert [message.role for message in on.summaries[0]] == ["user", "assistant", "tool"]
    assert [message["content"] for message in on.requests()[-1]["messages"]] == ["résumé"]
    assert ended.history == (user("résumé"), Message("assistant", "fin"))
    assert ended.used == 55


def test_under_the_threshold_no_summary_is_asked_for(on: Stage) -> None:
    run(on, scripts.calls(Call("recall", "{}"), tokens=(24_475, 100)), scripts.says("fin", tokens=(32_000, 5)))
    assert on.summaries == []


def test_an_answer_for_which_there_was_no_room_is_asked_for_again_once(on: Stage) -> None:
    on.summary = [user("résumé")]
    cut = scripts.says(" \n", "length", tokens=(30_000, 2_768))
    ended = run(on, cut, scripts.says("fin", tokens=(50, 5)))
    assert (ended.text, len(on.summaries)) == ("fin", 1)
    ended = run(on, cut, cut)
    assert (ended.text, ended.finish_reason, ended.error, len(on.summaries)) == (" \n", "length", "", 2)


@pytest.mark.parametrize(
    "answer",
    [
        scripts.says("un début", "length", tokens=(30_000, 2_768)),
        scripts.says("", "length", tokens=(100, 10)),
        scripts.says("", "length"),
        scripts.says("", "stop", tokens=(30_000, 2_768)),
    ],
)
def test_any_other_answer_stands_as_it_is(on: Stage, answer: scripts.Answer) -> None:
    on.summary = [user("résumé")]
    assert run(on, answer).rounds == 1
    assert on.summaries == []


def test_an_answer_without_room_stands_where_no_room_can_be_made(on: Stage) -> None:
    ended = run(on, scripts.says("", "length", tokens=(30_000, 2_768)))
    assert (ended.text, ended.rounds, len(on.summaries)) == ("", 1, 1)


def test_a_call_cut_by_a_full_window_is_not_taken_for_an_answer_without_room(on: Stage) -> None:
    calls = scripts.calls(Call("mem_add", '{"file":"a","con'), tokens=(30_000, 2_768))
    cut = scripts.Answer(tuple(piece.replace(b'"tool_calls"}', b'"length"}') for piece in calls.pieces))
    ended = run(on, cut, scripts.says("fin"))
    assert [ran.outcome.result for ran in ended.ran] == [UNREADABLE]


def test_a_call_without_a_name_is_gos_to_answer(on: Stage) -> None:
    on.go.expect_exec("", b"{}", ToolAnswer("[erreur] outil inconnu"))
    empty: dict[str, Any] = {"tool_calls": [{}]}
    nameless = scripts.streams(scripts.chunk(empty), scripts.chunk({}, "tool_calls"), scripts.DONE)
    ended = run(on, nameless, scripts.says("fin"))
    assert ended.ran[0].outcome.result == "[erreur] outil inconnu"
    assert on.requests()[-1]["messages"][2]["tool_call_id"] == "call_0"
