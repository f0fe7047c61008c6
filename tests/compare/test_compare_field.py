"""Field paths as text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.compare import field_of
from replay.compare.code_points import is_plain


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("result",), "result"),
        (("diff", 3, "text"), "diff[3].text"),
        (("files", "a.md", "content"), "files['a.md'].content"),
        (("files", "content", "content"), "files['content'].content"),
        (("trackers", "generale/poids", "events", 2, "ts"), "trackers['generale/poids'].events[2].ts"),
        (("messages", 0, "content"), "messages[0].content"),
        (("after", "a-b"), "after['a-b']"),
        (("after", ""), "after['']"),
        (("a b",), "['a b']"),
        (("files", "l'été.md"), 'files["l\'été.md"]'),
        (("files", "'\""), "files['\\'\"']"),
        (("files", "a\\b"), "files['a\\\\b']"),
        (("files", "\n\r\t\x1b"), "files['\\n\\r\\t\\x1b']"),
        (("files", "\u202e\U000e0001\udcff"), "files['\\u202e\\U000e0001\\udcff']"),
    ],
)
def test_a_path_is_written_as_a_person_would(path: tuple[str | int, ...], field: str) -> None:
    assert field_of(path) == field


PATHS = st.lists(st.one_of(st.integers(0, 20), st.text(max_size=5)), min_size=1, max_size=4).map(tuple)


@settings(derandomize=True, deadline=None)
@given(PATHS)
def test_no_character_of_a_path_is_obeyed(path: tuple[str | int, ...]) -> None:
    assert all(map(is_plain, field_of(path)))


@settings(derandomize=True, deadline=None)
@given(PATHS, PATHS)
def test_two_paths_have_two_texts(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
    assert (field_of(one) == field_of(other)) == (one == other)
