from __future__ import annotations

import pytest
from vectors_reader import Entry, every_vector

from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from parity.stores.ram import RamMemory
from parity.stores.seal import seal
from parity.stores.state import Settings, State
from parity.tools import pages
from parity.tools.interface import Env
from parity.tools.pages import PageError

LOCKED_TITLE = "🔒 (chiffré — mémoire verrouillée)"


def memory(files: dict[str, bytes], settings: Settings | None = None) -> RamMemory:
    made = RamMemory(settings or Settings(), nonces=bytes)
    made.restore(State(files))
    return made


@pytest.mark.parametrize("target", [GO_1_25, GO_1_27], ids=lambda target: target.version)
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("notes", "notes.md"),
        ("notes.md", "notes.md"),
        ("X.MD", "X.MD"),
        ("x.Md", "x.Md"),
        (" \t\u00a0notes\u3000\u0085\n", "notes.md"),
        ("..", "...md"),
        (".", "..md"),
        (".md", ".md"),
        ("md", "md.md"),
        ("a.md.md", "a.md.md"),
        ("a.md.bak", "a.md.bak.md"),
        ("A-z_0.9", "A-z_0.9.md"),
        ("n" * 300, "n" * 300 + ".md"),
    ],
)
def test_a_name_is_trimmed_and_ends_in_md(file: str, name: str, target: GoTarget) -> None:
    assert pages.page_name(file, target) == name


@pytest.mark.parametrize("file", ["", " ", "\u2003\n\r\t\u0085"])
def test_nothing_left_after_trimming_is_an_empty_name(file: str) -> None:
    with pytest.raises(PageError) as error:
        pages.page_name(file, GO_1_25)
    assert error.value.reason == "nom vide"


@pytest.mark.parametrize(
    "file",
    [
        "mes plantes",
        "../etc/passwd",
        "a/b",
        "a\\b",
        "é",
        "a\n.md",
        "\u200bx",
        "\x1cx",
        "a\0",
        "x\ufffd",
        "\u212a",
        "x.\uff4d\uff44",
        "a:b",
        "~",
    ],
)
def test_a_name_of_anything_but_ascii_letters_digits_dot_underscore_hyphen_is_invalid(file: str) -> None:
    with pytest.raises(PageError) as error:
        pages.page_name(file, GO_1_25)
    assert error.value.reason == "nom invalide (alphanum, ._-)"


def test_the_listing_is_what_is_not_hidden_and_ends_in_md_in_any_case_in_the_order_of_bytes() -> None:
    names = ["a.md", "B.MD", "b.Md", "é.mD", ".hidden.md", ".md", "a.md.bak", "a.txt", "md", "\udcff.md", "\ue000.md"]
    found = pages.listing(memory(dict.fromkeys(names, b"# T")).pages, GO_1_25)
    assert [page.file for page in found] == ["B.MD", "a.md", "b.Md", "é.mD", "\ue000.md", "\udcff.md"]
    assert {page.title for page in found} == {"T"}


def test_a_page_that_cannot_be_read_is_listed_without_content_under_the_locked_title() -> None:
    key = bytes(32)
    sealed = seal(b"# Secret", key, bytes(12))
    files = {"a.md": sealed, "b.md": sealed[:-1], "c.md": b"plain"}
    locked = pages.listing(memory(files).pages, GO_1_25)
    assert [(page.content, page.title) for page in locked] == [
        (None, LOCKED_TITLE),
        (None, LOCKED_TITLE),
        (b"plain", "plain"),
    ]
    unlocked = pages.listing(memory(files, Settings(dek=key)).pages, GO_1_25)
    assert [page.title for page in unlocked] == ["Secret", LOCKED_TITLE, "plain"]


def test_without_a_folder_there_is_no_page() -> None:
    assert pages.listing(memory({}).pages, GO_1_25) == []


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b"", ""),
        (b"\n\n   \n", ""),
        (b"#", ""),
        (b"##\n# \n ### \n", ""),
        (b"##\nText", "Text"),
        (b"# Title\nmore", "Title"),
        (b"  ##  Title  ##\t\r\n", "Title  ##"),
        (b"#Title#", "Title#"),
        (b"# # Title", "# Title"),
        (b"plain\n# Title", "plain"),
        (b"\r\n\r\n# CR\rLF\r\n", "CR\rLF"),
        ("\u00a0#\u3000NBSP\u0085".encode(), "NBSP"),
        (b"\x1c# kept", "\x1c# kept"),
        ("\ufeff# BOM".encode(), "\ufeff# BOM"),
        ("\u2028# line\u2029".encode(), "# line".removeprefix("# ")),
        (b"# \xff\xc3", "\udcff\udcc3"),
        (b"\x85\xa0", "\udc85\udca0"),
        (b"\n" * 100_000 + b"# late", "late"),
    ],
)
def test_the_title_is_the_first_line_with_anything_but_spaces_and_leading_hashes(content: bytes, title: str) -> None:
    assert pages.title(content) == title


def test_an_argument_is_text_or_empty() -> None:
    args = {"text": " x ", "number": 1.0, "none": None, "list": ["x"], "true": True}
    assert pages.text_argument(args, "text") == " x "
    assert [pages.text_argument(args, name) for name in ("number", "none", "list", "true", "absent")] == [""] * 5


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3.0, 3),
        (2.7, 2),
        (-0.9, 0),
        (-2.7, -2),
        (1e300, -(2**63)),
        (-1e300, -(2**63)),
        (2.0**63, -(2**63)),
        (2.0**62, 2**62),
        ("3", 0),
        (True, 0),
        (None, 0),
        ([3.0], 0),
    ],
)
def test_a_number_is_truncated_as_go_does_and_anything_else_is_zero(value: object, number: int) -> None:
    assert pages.number_argument({"n": value}, "n") == number
    assert pages.number_argument({}, "n") == 0


@pytest.mark.parametrize("file", ["absent", "", "a b", "damaged", " damaged.md ", "n" * 300])
def test_a_page_that_is_absent_damaged_or_of_a_bad_name_is_not_found_by_the_name_received(file: str) -> None:
    held = memory({"damaged.md": b"LOKIMEMv1"}, Settings(dek=bytes(32)))
    with pytest.raises(PageError) as error:
        pages.read_page(file, Env(GO_1_25, memory=held))
    assert error.value.reason == f"page '{file}' introuvable"


def test_a_sealed_page_without_a_key_is_locked_and_named_as_received() -> None:
    with pytest.raises(PageError) as error:
        pages.read_page(" s", Env(GO_1_25, memory=memory({"s.md": b"LOKIMEMv1"})))
    assert error.value.reason == "page ' s' chiffrée — mémoire verrouillée"


def test_a_page_is_read_under_its_normalised_name() -> None:
    assert pages.read_page(" a ", Env(GO_1_25, memory=memory({"a.md": b"\xff"}))) == ("a.md", b"\xff")


@pytest.mark.parametrize(
    ("cut", "shown"),
    [
        (b"\xc3\xe2\x80\xa6", "\ufffd…"),
        (b"\xe2\x80\xa6\xa9x", "…\ufffdx"),
        (b"\xe2\x82", "\ufffd\ufffd"),
        (b"\xf0\x9f\x98", "\ufffd\ufffd\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"\xc3\xa9", "é"),
    ],
)
def test_a_result_shows_one_replacement_for_each_byte_that_is_not_utf_8(cut: bytes, shown: str) -> None:
    byte_by_byte = "".join(bytes([byte]).decode("utf-8", "surrogateescape") for byte in cut)
    assert pages.result_text(byte_by_byte) == shown


@every_vector("ident")
def test_a_name_is_of_the_alphabet_exactly_when_go_matches_it(target: GoTarget, entry: Entry) -> None:
    del target  # the pattern is ASCII alone, the same for every Go
    if entry["out"]:
        assert pages.checked_name(entry["in"]) == entry["in"]
    else:
        with pytest.raises(PageError):
            pages.checked_name(entry["in"])
