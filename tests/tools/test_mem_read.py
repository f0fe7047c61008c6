from __future__ import annotations

import pytest

from parity.gostd.target import GO_1_25
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import Env, ToolAnswer
from parity.tools.mem_read import limit_argument, mem_read, offset_argument


def env(**files: bytes) -> Env:
    memory = RamMemory(Settings(), nonces=bytes)
    memory.restore(State({f"{name}.md": raw for name, raw in files.items()}))
    return Env(GO_1_25, memory=memory)


def read(content: bytes, **args: object) -> str:
    return mem_read({"file": "a", **args}, env(a=content)).result


def test_each_line_is_its_number_a_tab_and_itself() -> None:
    assert read(b"one\n\nthree") == "1\tone\n2\t\n3\tthree"


def test_a_trailing_newline_gives_a_last_line_whose_tab_stays() -> None:
    assert read(b"one\n") == "1\tone\n2\t"
    assert read(b"") == "1\t"


def test_lines_are_cut_at_newlines_only() -> None:
    content = "a\rb\vc\fd\x1ce\u0085f\u2028g\r\nh".encode()
    assert read(content) == "1\ta\rb\vc\fd\x1ce\u0085f\u2028g\r\n2\th"


def test_bytes_that_are_not_utf_8_are_shown_one_by_one() -> None:
    assert read(b"\xe2\x82\n\x82") == "1\t\ufffd\ufffd\n2\t\ufffd"


def test_a_range_is_an_offset_from_one_and_a_number_of_lines() -> None:
    content = b"\n".join(b"%d" % number for number in range(1, 11))
    assert read(content, offset=3.0, limit=2.0) == "3\t3\n4\t4"
    assert read(content, offset=10.0, limit=2.0) == "10\t10"


@pytest.mark.parametrize("offset", [3.0, 1e10, 2.0**62, 9.2e18])
def test_past_the_end_there_is_nothing(offset: float) -> None:
    assert read(b"one\n", offset=offset) == ""


@pytest.mark.parametrize(
    ("given", "offset"),
    [(None, 1), (0.0, 1), (-3.0, 1), (0.9, 1), (1.9, 1), (2.0, 2), ("2", 1), (1e300, 1), (-1e19, 1), (2.0**62, 2**62)],
)
def test_an_offset_of_zero_and_below_is_one(given: object, offset: int) -> None:
    assert offset_argument({"offset": given}) == offset


@pytest.mark.parametrize(
    ("given", "limit"),
    [(None, 500), (0.0, 500), (-1.0, 500), (0.9, 500), (1.0, 1), (2.7, 2), (500.9, 500), (501.0, 500), (1e300, 500)],
)
def test_a_limit_of_zero_and_below_or_over_500_is_500(given: object, limit: int) -> None:
    assert limit_argument({"limit": given}) == limit


def test_a_page_of_a_hundred_thousand_lines_is_read_where_asked() -> None:
    assert read(b"x\n" * 100_000, offset=99_999.0) == "99999\tx\n100000\tx\n100001\t"


def test_trailing_newlines_of_the_whole_are_removed_and_only_newlines() -> None:
    assert read(b"a\r\n \n\t") == "1\ta\r\n2\t \n3\t\t"


def test_an_absent_page_is_named_as_received_and_the_label_is_the_argument() -> None:
    assert mem_read({"file": " rien "}, env()) == ToolAnswer("[erreur] page ' rien ' introuvable", " rien ")


def test_no_file_is_an_empty_name() -> None:
    assert mem_read({"file": 7.0}, env()) == ToolAnswer("[erreur] page '' introuvable")
