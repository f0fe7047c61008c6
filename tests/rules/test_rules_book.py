"""PORT.toml read as values, and held against the code."""

from __future__ import annotations

from pathlib import Path

import pytest

import parity
from replay.rules.book import BookError, book, disagreements, marked

RULE = """
[[rule]]
id = "a/b"
section = "recall.md, 1"
function = "parity.x.y"
tests = ["tests/test_a.py::test_b"]
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "PORT.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_installed_book_lists_every_rule_with_its_section_function_and_tests() -> None:
    prefix = book().rules["recall/id/prefix"]
    assert prefix.section == "recall.md, recall(id), 2"
    assert prefix.function == "parity.tools.recall.without_prefix"
    assert prefix.tests == ("tests/tools/test_recall.py::test_one_r_then_one_R_is_dropped_between_two_trims",)


def test_the_installed_book_lists_the_deviations_with_their_reasons() -> None:
    assert book().deviations["time/layouts"].section == "go-semantics.md, 2.14"
    assert all(one.reason for one in book().deviations.values())


def test_the_book_lies_in_the_package_so_that_it_is_installed_with_it() -> None:
    assert (Path(parity.__path__[0]) / "PORT.toml").is_file()


def test_the_book_and_the_code_agree() -> None:
    assert disagreements(book()) == []


def test_a_rule_is_found_by_its_section(tmp_path: Path) -> None:
    found = book(written(tmp_path, RULE))
    assert found.section("a/b") == "recall.md, 1"
    assert found.section("c") == "not in PORT.toml"


def test_what_the_code_and_the_book_say_otherwise_is_told_rule_by_rule(tmp_path: Path) -> None:
    prefix = RULE.replace("a/b", "recall/id/prefix")
    found = disagreements(book(written(tmp_path, RULE + prefix)))
    assert "a/b is in PORT.toml and no function carries it" in found
    assert "recall/id/prefix is parity.tools.recall.without_prefix, and PORT.toml says parity.x.y" in found
    assert "recall/id/digits is marked in the code and not in PORT.toml" in found
    assert len(found) == len(marked()) + 1


def test_a_book_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"^PORT.toml cannot be read: No such file or directory$"):
        book(tmp_path / "PORT.toml")


@pytest.mark.parametrize("raw", [b"[[rule", b"\xff"])
def test_a_book_that_is_no_toml_is_one_sentence(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "PORT.toml").write_bytes(raw)
    with pytest.raises(BookError, match=r"^PORT.toml is no TOML: "):
        book(tmp_path / "PORT.toml")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('id = "a/b"\n', "", r"each \[\[rule\]\] has id, section, function, tests and nothing else"),
        ('id = "a/b"', 'id = "a/b"\nmore = 1', r"each \[\[rule\]\] has id, section, function, tests and nothing else"),
        ("[[rule]]", "[rule]", r"each \[\[rule\]\] has id, section, function, tests and nothing else"),
        ('"recall.md, 1"', "1", "the section of 'a/b' is not a text"),
        ('"recall.md, 1"', '""', "the section of 'a/b' is not a text"),
        ('["tests/test_a.py::test_b"]', '"t"', "the tests of 'a/b' are not a list of texts"),
        ('["tests/test_a.py::test_b"]', "[1]", "the tests of 'a/b' are not a list of texts"),
    ],
)
def test_a_book_of_another_shape_is_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(BookError, match=f"^PORT.toml: {sentence}$"):
        book(written(tmp_path, RULE.replace(old, new)))
