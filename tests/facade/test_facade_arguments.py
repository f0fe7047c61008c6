"""What a model wrote as arguments, and what comes of it (facade.md, The turn; go-semantics.md, 2.10)."""

from __future__ import annotations

import pytest

from parity.facade.arguments import Given, read
from parity.gostd.target import GO_1_25, GO_1_27


@pytest.mark.parametrize("text", ["", " ", "\n\t \r"])
def test_empty_arguments_are_an_empty_object(text: str) -> None:
    assert read(text, GO_1_25) == Given({}, "{}")


@pytest.mark.parametrize(
    "text",
    ["{", '{"id":"r2"', '{"id":}', "recall", "{} {}", "{}x", "{'id':'r2'}", "\ufeff{}", "NaN", '{"a":"\n"}', "\xa0"],
)
def test_what_is_not_json_is_not_run_and_leaves_an_empty_object_in_the_history(text: str) -> None:
    assert read(text, GO_1_25) == Given(None, "{}")


@pytest.mark.parametrize("text", ["null", "[1]", '"x"', "5", "true", "1e400", "[1e400]"])
def test_json_that_is_no_object_is_an_empty_map_and_stays_as_it_came(text: str) -> None:
    assert read(text, GO_1_25) == Given({}, text)
    assert read(text, GO_1_27) == Given({}, text)


def test_an_object_is_read_as_gos_decoder_leaves_it_and_stays_as_it_came() -> None:
    text = ' {"n":1e400,"id":"\\ud83d","id":"é","k":-0}\n'
    given = read(text, GO_1_25)
    assert given.history == text
    assert given.args == {"n": None, "id": "é", "k": 0.0}
    assert str(given.args["k"]) == "-0.0"
    assert read(text, GO_1_27).args == {"n": 0.0, "id": "é", "k": 0.0}
    assert read(r'{"a":"\ud83d"}', GO_1_25).args == {"a": "\ufffd"}


def test_arguments_deeper_than_gos_decoder_goes_are_not_json() -> None:
    assert read("[" * 10_001 + "]" * 10_001, GO_1_25) == Given(None, "{}")
    assert read('{"a":' * 9_999 + "1" + "}" * 9_999, GO_1_25).args is not None
