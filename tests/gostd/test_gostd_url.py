from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from vectors_reader import TARGETS, Entry, every_vector, tree

from parity.gostd import target as go
from parity.gostd import url, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)


@every_vector("query")
def test_a_query_string_reads_as_go_reads_it(target: GoTarget, entry: Entry) -> None:
    values = url.parse_query(entry["in"], target)
    assert values == {
        utf8.encode(tree(key)): [utf8.encode(tree(value)) for value in held] for key, held in entry["out"]
    }
    assert values.error == entry.get("err")
    assert values.first(b"seq") == utf8.encode(entry["get_seq"])
    assert values.has(b"seq") == entry["has_seq"]
    assert url.parse_query(utf8.encode(entry["in"]), target) == values


@every_target
@pytest.mark.parametrize(
    ("query", "error"),
    [
        # Answers of Go 1.25.5 and 1.27.3.
        (b"a=%zz&b;c&d=%yy", "invalid semicolon separator in query"),
        (b"%zz&%yy", 'invalid URL escape "%zz"'),
        (b"a=%\xff\xfe", r'invalid URL escape "%\xff\xfe"'),
        (b'a=%"b', r'invalid URL escape "%\"b"'),
        (b"a=%\x00\n", r'invalid URL escape "%\x00\n"'),
        (b"a=%\xc2\x85b", r'invalid URL escape "%\u0085"'),
    ],
)
def test_a_semicolon_outranks_a_bad_escape_and_the_first_bad_escape_the_rest(
    target: GoTarget, query: bytes, error: str
) -> None:
    values = url.parse_query(query, target)
    assert (values, values.error) == ({}, error)


@pytest.mark.parametrize("query", ["a=b&" * 9999 + "a=b", "&" * 9999])
@pytest.mark.parametrize("version", ["1.25.5", "1.26.6", "1.27.3"])
def test_ten_thousand_parameters_are_read(version: str, query: str) -> None:
    values = url.parse_query(query, go.parse(version))
    assert len(values.get(b"a", ())) == query.count("=")
    assert values.error is None


@pytest.mark.parametrize("query", ["a=b&" * 10000 + "a=b", "&" * 10000, "&" * 10000 + "%zz"])
def test_more_than_ten_thousand_are_refused_since_go_1_26(query: str) -> None:
    # Answers of Go 1.25.5 (no limit) and 1.27.3; 1.26.6 has the limit in its source.
    assert len(url.parse_query(query, go.parse("1.25.5")).get(b"a", ())) == query.count("=")
    for version in ("1.26.6", "1.27.3"):
        values = url.parse_query(query, go.parse(version))
        assert (values, values.error) == ({}, "number of URL query parameters exceeded limit")
