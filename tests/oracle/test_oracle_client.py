"""The client of the oracle against programs named for their vice: each ends in one clear sentence."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest
from fakes_of_the_oracle import fake

from parity.gostd.target import GO_1_25, GO_1_27
from replay.oracle import client
from replay.oracle.client import Answer, Hello, Oracle
from replay.oracle.errors import (
    OracleDiedError,
    OracleError,
    OracleHungError,
    OracleLiedError,
    QuestionRefusedError,
    WrongOracleError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.oracle.client import Question


def echoes(count: int, text: str = "") -> Iterator[Question]:
    return ({"q": "echo", "s": f"{text}{number}"} for number in range(count))


def one_by_one(oracle: Oracle, count: int) -> None:
    for question in echoes(count):
        oracle.ask_one(question)


def sentence(error: pytest.ExceptionInfo[OracleError]) -> str:
    """What the error says: one sentence on one line, nothing in it that a terminal obeys."""
    text = str(error.value)
    assert "\n" not in text
    assert "\x1b" not in text
    assert text.startswith("the oracle ")
    return text


def test_answers_come_in_the_order_of_the_questions() -> None:
    with fake("honest") as oracle:
        answers = list(oracle.ask(echoes(5000)))
    assert answers == [Answer("stdlib", str(number)) for number in range(5000)]


def test_questions_are_taken_as_they_are_needed_and_no_more_than_a_bounded_number_ahead() -> None:
    taken = itertools.count()
    with fake("honest") as oracle:
        answers = oracle.ask({"q": "echo", "s": str(next(taken))} for _ in itertools.repeat(None))
        assert next(answers).out == "0"
    assert next(taken) <= client.AHEAD + client.CHUNK


def test_big_questions_are_sent_ahead_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "AHEAD_BYTES", 1000)
    taken = itertools.count()
    with fake("honest") as oracle:
        answers = oracle.ask({"q": "echo", "s": "é" * 500 + str(next(taken))} for _ in range(600))
        assert sum(1 for _ in answers) == 600
    assert next(taken) == 600


def test_nobody_waits_for_ever_when_answers_are_bigger_than_any_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WAITING_BYTES", 3_000_000)
    with fake("big") as oracle:
        assert [len(str(answer.out)) for answer in oracle.ask(echoes(40))] == [1_000_000] * 40


def test_what_was_asked_and_not_waited_for_is_passed_over() -> None:
    with fake("honest") as oracle:
        assert next(oracle.ask(echoes(300, "a"))).out == "a0"
        assert [answer.out for answer in oracle.ask(echoes(3, "b"))] == ["b0", "b1", "b2"]


def test_no_question_gets_no_answer() -> None:
    with fake("honest") as oracle:
        assert list(oracle.ask(())) == []


def test_a_crash_of_go_is_an_answer() -> None:
    with fake("honest") as oracle:
        assert oracle.ask_one({"q": "panic"}) == Answer("model", None, "runtime error")


def test_a_question_that_is_refused_is_the_askers_fault_and_the_oracle_goes_on() -> None:
    with fake("honest") as oracle:
        with pytest.raises(QuestionRefusedError) as error:
            oracle.ask_one({"q": "refused"})
        assert sentence(error) == "the oracle refused a question: no question is called \\x1b[31mrefused"
        assert oracle.ask_one({"q": "echo", "s": "still here"}).out == "still here"


def test_hello_says_who_judges_what() -> None:
    with fake("honest") as oracle:
        assert oracle.check("go1.25.5", GO_1_25) == Hello(
            "go1.25.5", "15.0.0", "amd64", "1", {"to_lower": "stdlib", "exec": "model"}
        )


@pytest.mark.parametrize("answers", [0, 3])
def test_an_oracle_that_dies_is_told_with_its_last_words(answers: int) -> None:
    with fake("dies", str(answers)) as oracle, pytest.raises(OracleDiedError) as error:
        list(oracle.ask(echoes(1000)))
    assert sentence(error) == (f"the oracle ended with status 3 after {answers} answers: panic: out of \\x1b[31mcheese")


def test_an_oracle_that_died_stays_dead() -> None:
    with fake("dies", "0") as oracle:
        for _ in range(2):
            with pytest.raises(OracleDiedError):
                oracle.ask_one({"q": "echo"})


def test_an_oracle_that_is_killed_is_told_by_its_signal() -> None:
    with fake("killed") as oracle, pytest.raises(OracleDiedError) as error:
        oracle.ask_one({"q": "echo"})
    assert sentence(error) == f"the oracle was ended by signal {signal.SIGKILL.value} after 0 answers"


def test_an_oracle_that_is_not_there_cannot_be_started() -> None:
    with pytest.raises(OracleDiedError) as error:
        Oracle(["/nonexistent/oracle"])
    assert sentence(error) == "the oracle cannot be started: No such file or directory"


@pytest.mark.parametrize(("answers", "asked"), [(0, 1), (2, 5), (0, 100_000)])
def test_an_oracle_that_hangs_is_told_in_time_even_when_it_reads_nothing(answers: int, asked: int) -> None:
    start = time.monotonic()
    with fake("hangs", str(answers), patience=1.5) as oracle, pytest.raises(OracleHungError) as error:
        list(oracle.ask(echoes(asked, "x" * 50)))
    assert sentence(error) == f"the oracle hangs: no answer to question {answers} within 1.5 seconds"
    assert time.monotonic() - start < 15


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("not json", "it answers not json, which is no JSON"),
        ("\x1b[31m", "it answers \\x1b[31m, which is no JSON"),
        ("[" * 100_000, "it answers [[[["),
        ("", "it answers , which is no JSON"),
        ('{"id":7,"by":"stdlib","out":1}', 'it answers {"id":7,"by":"stdlib","out":1} to question 0'),
        ('{"by":"stdlib","out":1}', 'it answers {"by":"stdlib","out":1} to question 0'),
        ('{"id":false,"by":"stdlib","out":1}', 'it answers {"id":false,"by":"stdlib","out":1} to question 0'),
        ("[1]", "it answers [1] to question 0"),
        ('{"id":ID,"out":1}', 'it answers {"id":0,"out":1}, which holds no verdict'),
        ('{"id":ID,"by":"god","out":1}', 'it answers {"id":0,"by":"god","out":1}, which holds no verdict'),
        ('{"id":ID,"by":"model"}', 'it answers {"id":0,"by":"model"}, which holds no verdict'),
        ('{"id":ID,"by":"model","panic":7}', 'it answers {"id":0,"by":"model","panic":7}, which holds no verdict'),
    ],
)
def test_an_oracle_that_lies_is_told_by_its_lie(line: str, what: str) -> None:
    with fake("lies", line) as oracle, pytest.raises(OracleLiedError) as error:
        oracle.ask_one({"q": "echo"})
    assert sentence(error).startswith(f"the oracle lies: {what}")


@pytest.mark.parametrize("said", ["null", "7", '{"questions":[]}', '{"questions":{"stdlib":7}}'])
def test_an_oracle_that_does_not_say_who_it_is_lies(said: str) -> None:
    with fake("other_version", said) as oracle, pytest.raises(OracleLiedError) as error:
        oracle.hello()
    assert "when asked who it is" in sentence(error)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"version": "go1.24.11"}, "the Go go1.24.11, and go1.25.5 was asked for"),
        ({"version": 7}, "the Go 7, and go1.25.5 was asked for"),
        ({"unicode": "17.0.0"}, "the Unicode 17.0.0, and 15.0.0 was asked for"),
        ({"goarch": "arm64"}, "the processor arm64, and amd64 was asked for"),
        ({"model": "2"}, "the protocol 2, and 1 was asked for"),
        ({"version": "\x1b[31m"}, "the Go \\x1b[31m, and go1.25.5 was asked for"),
    ],
)
def test_an_oracle_of_another_version_is_not_taken(said: dict[str, object], what: str) -> None:
    with fake("other_version", json.dumps(said)) as oracle, pytest.raises(WrongOracleError) as error:
        oracle.check("go1.25.5", GO_1_25)
    assert sentence(error) == f"the oracle is of {what}"


def test_the_version_is_held_against_the_target_too() -> None:
    with fake("honest") as oracle, pytest.raises(WrongOracleError, match=r"Unicode 15\.0\.0, and 17\.0\.0"):
        oracle.check("go1.25.5", GO_1_27)


def test_an_oracle_that_floods_answers_nobody_asked_for() -> None:
    with fake("floods", "lines") as oracle, pytest.raises(OracleLiedError) as error:
        one_by_one(oracle, 10_000)
    assert sentence(error) == "the oracle lies: it writes more lines than it was asked for"


def test_an_answer_without_end_is_a_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST", 5_000_000)
    with fake("floods", "line") as oracle, pytest.raises(OracleLiedError) as error:
        oracle.ask_one({"q": "echo"})
    assert sentence(error) == "the oracle lies: it writes a line of more than 5,000,000 bytes"


def test_complaints_without_end_hold_nobody_up() -> None:
    with fake("floods", "words") as oracle:
        assert sum(1 for _ in oracle.ask(echoes(30))) == 30


def test_closing_ends_it_whatever_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CLOSING", 0.5)
    for vice in (("honest",), ("hangs", "0"), ("big",), ("floods", "lines")):
        oracle = fake(*vice)
        answers = oracle.ask(echoes(10))
        if vice[0] == "big":
            next(answers)
        oracle.close()
        assert oracle.ended
        oracle.close()


def test_an_interrupt_at_the_terminal_is_for_us_and_not_for_the_oracle() -> None:
    with fake("honest") as oracle:
        assert os.getpgid(oracle.process_id) != os.getpgid(0)


def test_its_environment_is_the_one_that_is_given() -> None:
    shown = (
        "import json,os,sys;n=json.loads(input())['id'];print(json.dumps({'id':n,'by':'model','out':dict(os.environ)}))"
    )
    with Oracle([sys.executable, "-c", shown], environment={"ZONEINFO": "z", "LC_CTYPE": "C.UTF-8"}) as oracle:
        assert oracle.ask_one({"q": "echo"}).out == {"ZONEINFO": "z", "LC_CTYPE": "C.UTF-8"}
