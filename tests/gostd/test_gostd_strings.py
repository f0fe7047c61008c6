from __future__ import annotations

import sys
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_reader import TARGETS, Entry, every_vector, tables

from parity.gostd import strings, unicode, utf8
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)

# One text that each way of lowering takes: by a one-byte encoding, by replacements, and by the whole table.
WESTERN: Final = "É"
REPLACED: Final = "É→"
MANY: Final = "".join(map(chr, range(0x391, 0x3A2))) + "".join(map(chr, range(0x400, 0x430)))

any_text = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("AÉŒŸΣİK’\ufffd" + unicode.SPACES),
        st.integers(0xDC80, 0xDCFF).map(chr),
    ).filter(lambda c: not "\ud800" <= c < "\udc80" and not "\udcff" < c <= "\udfff"),
)


@every_vector("to_lower")
def test_text_lowers_as_go_lowers_it(target: GoTarget, entry: Entry) -> None:
    assert strings.to_lower(entry["in"], target) == entry["out"]


@every_target
@pytest.mark.parametrize("around", ["", WESTERN, REPLACED, MANY], ids=["alone", "western", "replaced", "many"])
def test_every_code_point_lowers_inside_text_as_go_says(target: GoTarget, around: str) -> None:
    lower = dict(tables(target)["to_lower"])
    points = [point for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]
    before = "".join(chr(lower.get(ord(c), ord(c))) for c in around)

    assert tables(target)["strings_tolower_differs_from_unicode_tolower"] == []
    # Blocks of 16, so that each way is really taken: a text of all code points would always take the last.
    for start in range(0, len(points), 16):
        block = points[start : start + 16]
        given_text = around + "".join(map(chr, block))
        assert strings.to_lower(given_text, target) == before + "".join(chr(lower.get(p, p)) for p in block)


@given(any_text, st.sampled_from(TARGETS))
@settings(deadline=None, max_examples=500)
def test_every_way_of_lowering_gives_each_character_its_lower_case(text: str, target: GoTarget) -> None:
    expected = "".join(unicode.to_lower(character, target) for character in utf8.clean(text))

    assert strings.to_lower(text, target) == expected


def test_lowering_writes_one_replacement_for_each_bad_byte() -> None:
    assert strings.to_lower(utf8.text(b"A\xff\xe2\x82"), GO_1_25) == "a\ufffd\ufffd\ufffd"


@pytest.mark.parametrize(
    ("text", "lower"),
    [("AΣ", "aσ"), ("A.Σ", "a.σ"), ("ΣΣ", "σσ"), ("AΣ B", "aσ b"), ("AΣ'", "aσ'"), ("Σ", "σ")],
)
def test_a_capital_sigma_has_one_lower_case_wherever_it_stands(text: str, lower: str) -> None:
    assert strings.to_lower(text, GO_1_25) == lower


@pytest.mark.parametrize("upper", ["\u1c89", "\ua7cb", "\U00010d50", "\U00016ea0"])
def test_letters_new_in_unicode_17_lower_from_go_1_27_on(upper: str) -> None:
    assert strings.to_lower(upper, GO_1_25) == upper
    assert strings.to_lower(upper, GO_1_27) == chr(dict(tables(GO_1_27)["to_lower"])[ord(upper)])


@every_vector("trim_space")
def test_text_is_trimmed_as_go_trims_it(target: GoTarget, entry: Entry) -> None:
    del target  # the same in every Go
    assert strings.trim_space(entry["in"]) == entry["out"]


@every_vector("fields")
def test_text_is_cut_into_fields_as_go_cuts_it(target: GoTarget, entry: Entry) -> None:
    del target  # the same in every Go
    assert strings.fields(entry["in"]) == entry["out"]


@given(any_text)
@settings(deadline=None)
def test_fields_are_the_runs_between_spaces_and_trimming_removes_what_no_field_holds(text: str) -> None:
    runs: list[str] = [""]
    for character in text:
        if unicode.is_space(character):
            runs.append("")
        else:
            runs[-1] += character

    assert strings.fields(text) == [run for run in runs if run]
    trimmed = strings.trim_space(text)
    assert trimmed in text
    assert strings.fields(trimmed) == strings.fields(text)
    assert not trimmed or not (unicode.is_space(trimmed[0]) or unicode.is_space(trimmed[-1]))


@pytest.mark.parametrize("kept", ["\x1c", "\x1f", "\x00", "\u180e", "\u200b", "\ufeff", "\u2060", "\xad"])
def test_what_only_looks_like_a_space_is_kept(kept: str) -> None:
    assert strings.trim_space(f"{kept}a{kept}") == f"{kept}a{kept}"
    assert strings.fields(f"a{kept}b") == [f"a{kept}b"]


@pytest.mark.parametrize("raw", [b"\x85a\xa0", b"\xa0a\x85", b"\xffa\xc2"])
def test_a_bad_byte_is_no_space(raw: bytes) -> None:
    assert utf8.encode(strings.trim_space(utf8.text(raw))) == raw
    assert list(map(utf8.encode, strings.fields(utf8.text(raw)))) == [raw]


@every_vector("equal_fold")
def test_texts_are_equal_but_for_case_as_go_says(target: GoTarget, entry: Entry) -> None:
    assert strings.equal_fold(entry["a"], entry["b"], target) == entry["out"]
    assert strings.equal_fold(entry["b"], entry["a"], target) == entry["out"]


@every_vector("equal_fold")
def test_lower_cases_are_equal_as_go_says(target: GoTarget, entry: Entry) -> None:
    lowered = strings.to_lower(entry["a"], target), strings.to_lower(entry["b"], target)

    assert (lowered[0] == lowered[1]) == entry["lower_equal"]


@every_target
def test_every_ring_of_go_is_equal_but_for_case(target: GoTarget) -> None:
    assert all(strings.equal_fold(chr(point), chr(other), target) for point, other in tables(target)["simple_fold"])


def test_a_bad_byte_equals_any_bad_byte_and_the_replacement_character() -> None:
    assert strings.equal_fold("\udcff", "\udc80", GO_1_25)
    assert strings.equal_fold("\udcff", "\ufffd", GO_1_25)
    assert not strings.equal_fold("\udcff", "y", GO_1_25)


@every_vector("search")
def test_python_finds_counts_and_cuts_bytes_as_go_does(target: GoTarget, entry: Entry) -> None:
    del target  # the same in every Go
    text, sub = utf8.encode(entry["s"]), utf8.encode(entry["sub"])

    assert (sub in text, text.find(sub), text.rfind(sub)) == (entry["contains"], entry["index"], entry["last_index"])
    assert text.startswith(sub) == entry["has_prefix"]
    assert text.removeprefix(sub) == utf8.encode(entry["trim_prefix"])
    assert text.removesuffix(sub) == utf8.encode(entry["trim_suffix"])
    if sub:  # an empty one is found between runes in Go, between bytes in Python
        assert text.count(sub) == entry["count"]
        assert text.split(sub) == list(map(utf8.encode, entry["split"]))
        assert text.replace(sub, b"|") == utf8.encode(entry["replace_all"])
