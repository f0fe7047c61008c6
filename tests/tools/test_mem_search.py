from __future__ import annotations

import random
import struct

import pytest

from parity.gostd import strings, unicode
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from parity.stores.ram import RamMemory
from parity.stores.seal import seal
from parity.stores.state import Settings, State
from parity.tools import mem_search as module
from parity.tools import page_snippet
from parity.tools.interface import Env, GoPanic, ToolAnswer
from parity.tools.mem_search import mem_search
from parity.tools.searched_page import SearchedPage, letters_of

LOCKED_TITLE = "🔒 (chiffré — mémoire verrouillée)"


def memory(files: dict[str, bytes], settings: Settings | None = None) -> RamMemory:
    made = RamMemory(settings or Settings(), nonces=bytes)
    made.restore(State(files))
    return made


def search(files: dict[str, bytes], query: object = "", target: GoTarget = GO_1_25, **args: object) -> str:
    return mem_search({"query": query, **args}, Env(target, memory=memory(files))).result


def found(files: dict[str, bytes], query: str, **args: object) -> list[str]:
    """The files found, in order."""
    lines = search(files, query, **args).split("\n")  # type: ignore[arg-type]
    return [line.removeprefix("- ").split(" — ")[0] for line in lines if line.startswith("- ")]


def test_a_hit_is_the_file_the_title_and_the_snippet() -> None:
    files = {"a.md": b"# One\n\ntext  of one\n", "b.md": b"other"}
    assert search(files, "ONE") == "- a.md — One\n  # One text of one"


def test_nothing_found_is_told() -> None:
    assert search({"a.md": b"x"}, "absent") == "[aucun résultat]"
    assert search({}, "") == "[aucun résultat]"


@pytest.mark.parametrize("query", ["", " \n\u00a0", None, 7.0, ["x"]])
def test_without_a_term_every_page_is_found_in_the_order_of_the_listing(query: object) -> None:
    assert search({"b.md": b"# B", "a.md": b""}, query) == "- a.md — \n  \n- b.md — B\n  # B"


def test_trailing_newlines_of_the_whole_are_removed_and_spaces_are_not() -> None:
    assert search({"a.md": b""}) == "- a.md — \n  "


def test_the_label_is_the_query_as_received() -> None:
    assert mem_search({"query": " X "}, Env(GO_1_25, memory=memory({}))) == ToolAnswer("[aucun résultat]", " X ")


@pytest.mark.parametrize(
    ("given", "limit"),
    [(None, 8), (0.0, 8), (-1.0, 8), (0.9, 8), (1.0, 1), (2.7, 2), (30.9, 30), (31.0, 8), (1e300, 8), ("3", 8)],
)
def test_a_limit_of_zero_and_below_or_over_30_is_8(given: object, limit: int) -> None:
    files = {f"{number:02}.md": b"x" for number in range(40)}
    assert len(found(files, "x", limit=given)) == limit


def test_terms_are_the_distinct_fields_of_the_lower_case_as_first_met() -> None:
    assert module.terms_of("b A a\u00a0B\u3000\x1cc \ufffd", GO_1_25) == ["b", "a", "\x1cc", "\ufffd"]
    assert module.terms_of("\u0130I \u212a \u03a3A\u03a3", GO_1_25) == ["ii", "k", "\u03c3a\u03c3"]


@pytest.mark.parametrize(("target", "files"), [(GO_1_25, []), (GO_1_27, ["a.md"])])
def test_letters_that_a_later_unicode_pairs_are_found_by_the_go_that_knows_them(
    target: GoTarget, files: list[str]
) -> None:
    assert found({"a.md": "\ua7cb".encode()}, "\u0264", target=target) == files


def test_more_terms_matched_come_first_whatever_the_score() -> None:
    files = {"a.md": b"one " * 50, "b.md": b"one two"}
    assert found(files, "one two") == ["b.md", "a.md"]


def test_equal_pages_stand_in_the_order_of_the_listing() -> None:
    assert found({"b.md": b"x", "a.md": b"x", "B.md": b"x"}, "x") == ["B.md", "a.md", "b.md"]


def test_a_term_in_the_name_counts_as_an_occurrence_and_weighs_five_in_the_title_three() -> None:
    files = {"a.md": b"-\nneedle", "b.md": b"# needle", "needle.md": b"-", "z-needle.md": b"# needle"}
    assert found(files, "needle") == ["z-needle.md", "needle.md", "b.md", "a.md"]


def test_a_term_in_the_extension_matches_every_page() -> None:
    assert found({"a.md": b"", "b.MD": b""}, ".md") == ["a.md", "b.MD"]


# What real Go (go1.25.5 and go1.27.3, amd64) computes, as the bits of the float64; glibc's logarithm gives other ones.
SCORES = [
    (3, [3], [1], [7.0], "4038df70e48eff2e"),
    (3, [1, 2], [2, 3], [1.0, 5.0], "402381c00037d8f8"),
    (200, [3, 17, 14], [14, 176, 1], [5.0, 1.0, 3.0], "4059d2bf104b57e5"),
    (2000, [48, 661, 1, 959], [2000, 3, 1999, 74], [1.0, 3.0, 7.0, 5.0], "40756903dc5997b2"),
]


@pytest.mark.parametrize(("pages", "counts", "holding", "weights", "bits"), SCORES)
def test_the_score_is_idf_times_tf_times_field_added_term_by_term_bit_for_bit(
    pages: int, counts: list[int], holding: list[int], weights: list[float], bits: str
) -> None:
    terms = [f"t{index}" for index in range(len(counts))]
    name = " ".join(term for term, weight in zip(terms, weights, strict=True) if weight in {5.0, 7.0})
    title = " ".join(term for term, weight in zip(terms, weights, strict=True) if weight in {3.0, 7.0})
    hit = module.Hit(SearchedPage((name, title.encode()), GO_1_25), counts)
    hit.judge(terms, [module.inverse_frequency(pages, number) for number in holding])
    assert struct.pack(">d", hit.score).hex() == bits
    assert hit.matched == len(counts)


def test_a_term_that_does_not_occur_adds_nothing() -> None:
    hit = module.Hit(SearchedPage(("t0", b"t0"), GO_1_25), [0])
    hit.judge(["t0"], [1.0])
    assert (hit.matched, hit.score) == (0, 0.0)


def test_occurrences_do_not_overlap_and_never_lie_across_name_and_content() -> None:
    page = SearchedPage(("aaa.md", b"aaaaa"), GO_1_25)
    assert module.occurrences([b"aa", b"md", b"x"], page.hay(())) == [3, 1, 0]


def test_a_rare_term_weighs_more_than_a_frequent_one() -> None:
    files = {"a.md": b"often", "b.md": b"rare", "c.md": b"often"}
    assert found(files, "often rare") == ["b.md", "a.md", "c.md"]


def test_an_unreadable_page_counts_and_is_found_by_its_name_alone() -> None:
    files = {"secret.md": seal(b"# Recette", bytes(32), bytes(12)), "plain.md": b"secret verrouill\xc3\xa9e"}
    assert (
        search(files, "secret")
        == f"- secret.md — {LOCKED_TITLE}\n  \n- plain.md — secret verrouillée\n  secret verrouillée"
    )
    assert found(files, "recette") == []
    assert found(files, "verrouillée") == ["plain.md"]


def test_the_snippet_is_the_fields_of_the_page_joined_by_one_space() -> None:
    assert page_snippet.flattened(
        "a \u00a0\r\n b\u3000\x1cc\xff".encode("latin-1", "ignore") + b"\xe3\x80\x80d\xff "
    ) == (b"a \xa0 b\x1cc\xff d\xff")


@pytest.mark.parametrize(
    ("flat", "shown"),
    [
        (b"x" * 160, b"x" * 160),
        (b"x" * 161, b"x" * 160 + "…".encode()),
        (b"x" * 159 + "é".encode(), b"x" * 159 + b"\xc3" + "…".encode()),
        (b"", b""),
    ],
)
def test_without_a_term_in_the_text_160_bytes_are_shown(flat: bytes, shown: bytes) -> None:
    assert page_snippet.head(flat) == shown


def test_the_smallest_index_of_any_term_is_taken() -> None:
    assert page_snippet.first_index(b"one two", ["two", "one"]) == 0
    assert page_snippet.first_index("é two".encode(), ["x", "two"]) == 3
    assert page_snippet.first_index(b"one", ["x"]) is None
    assert page_snippet.first_index(b"one", []) is None


@pytest.mark.parametrize(
    ("length", "index", "start", "end"),
    [
        (300, 0, 0, 100),
        (300, 60, 0, 160),
        (300, 61, 1, 161),
        (300, 200, 140, 300),
        (300, 199, 139, 299),
        (10, 5, 0, 10),
    ],
)
def test_60_bytes_before_the_term_and_100_from_it_are_shown_with_ellipses_where_cut(
    length: int, index: int, start: int, end: int
) -> None:
    flat = bytes(number % 251 for number in range(length))
    before, after = "…".encode() * (start > 0), "…".encode() * (end < length)
    assert page_snippet.window(flat, index) == before + flat[start:end] + after


def test_a_cut_character_is_shown_as_one_replacement_for_each_of_its_bytes() -> None:
    content = "🔒".encode() * 30 + b" mot"
    assert search({"a.md": content}, "mot").endswith("\n  …\ufffd\ufffd\ufffd" + "🔒" * 14 + " mot")


def growing(letters: int) -> bytes:
    """So many letters of two bytes whose lower case has three, then a word: Go slices by the longer text's bytes."""
    return "\u023a".encode() * letters + b" mot"


def test_letters_that_grow_in_lower_case_make_go_panic() -> None:
    with pytest.raises(GoPanic) as panic:
        search({"a.md": growing(112)}, "mot")
    assert panic.value.text == "runtime error: slice bounds out of range [277:228]"


def test_bytes_that_are_not_utf_8_grow_too() -> None:
    with pytest.raises(GoPanic) as panic:
        search({"a.md": b"\xff" * 100 + b" mot"}, "mot")
    assert panic.value.text == "runtime error: slice bounds out of range [241:104]"


def test_a_slice_that_starts_where_it_ends_is_empty_and_one_byte_more_is_a_panic() -> None:
    assert search({"a.md": growing(63)}, "mot").endswith("\n  …")
    with pytest.raises(GoPanic) as panic:
        search({"a.md": growing(64)}, "mot")
    assert panic.value.text == "runtime error: slice bounds out of range [133:132]"


def test_a_page_beyond_the_limit_panics_as_well_and_the_first_of_the_listing_is_the_one() -> None:
    files = {"a.md": b"mot mot", "b.md": growing(112), "c.md": growing(64)}
    with pytest.raises(GoPanic) as panic:
        search(files, "mot", limit=1.0)
    assert panic.value.text == "runtime error: slice bounds out of range [277:228]"


def test_a_page_that_does_not_match_or_whose_text_holds_no_term_does_not_panic() -> None:
    assert found({"a.md": growing(112), "b.md": b"other"}, "other") == ["b.md"]
    assert found({"other.md": growing(112)}, "other") == ["other.md"]
    assert found({"a.md": growing(112)}, "") == ["a.md"]


def test_letters_that_shrink_in_lower_case_show_other_bytes_and_never_panic() -> None:
    content = "\u2126".encode() * 100 + b" mot " + b"x" * 200
    assert search({"a.md": content}, "mot").endswith("\n  …" + "\u2126" * 53 + " …")


def test_an_unchanged_content_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    held = memory({"a.md": b"one", "b.md": b"two"})
    made: list[tuple[str, bytes | None]] = []

    def counted(key: tuple[str, bytes | None], target: GoTarget) -> SearchedPage:
        made.append(key)
        return SearchedPage(key, target)

    monkeypatch.setattr(module, "SearchedPage", counted)
    env = Env(GO_1_25, memory=held)
    first = mem_search({"query": "one"}, env)
    assert mem_search({"query": "one"}, env) == first
    assert made == [("a.md", b"one"), ("b.md", b"two")]
    held.pages.write("b.md", b"one more")
    assert "b.md" in mem_search({"query": "one"}, env).result
    assert made[2:] == [("b.md", b"one more")]
    held.pages.write("b.md", b"two")
    mem_search({"query": "one"}, env)
    assert made[3:] == [("b.md", b"two")]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 10)
    held = memory({f"{number}.md": b"x%d" % number * 4 for number in range(9)})
    assert mem_search({"query": "x"}, Env(GO_1_25, memory=held)).result.count("- ") == 8
    (kept,) = held.memo.values()
    assert isinstance(kept, dict)
    assert list(kept) == [("0.md", b"x0x0x0x0"), ("1.md", b"x1x1x1x1")]


def test_two_unicodes_keep_apart_what_they_worked_out() -> None:
    held = memory({"a.md": "\ua7cb".encode()})
    assert mem_search({"query": "\u0264"}, Env(GO_1_25, memory=held)).result == "[aucun résultat]"
    assert mem_search({"query": "\u0264"}, Env(GO_1_27, memory=held)).result.startswith("- a.md")
    assert mem_search({"query": "\u0264"}, Env(GO_1_25, memory=held)).result == "[aucun résultat]"


@pytest.mark.parametrize(
    ("terms", "letters"),
    [
        (["abc"], {}),
        (["kilo"], {"\u0130": "i", "\u212a": "k"}),
        (["\xe9t\xe9"], {"\xc9": "\xe9"}),
        (["\xe5"], {"\xc5": "\xe5", "\u212b": "\xe5"}),
        (["\U00010428"], {"\U00010400": "\U00010428"}),
        ([], {}),
    ],
)
def test_only_letters_whose_lower_case_is_in_a_term_matter(terms: list[str], letters: dict[str, str]) -> None:
    expected = tuple((upper.encode(), lower.encode()) for upper, lower in letters.items())
    assert letters_of(terms, GO_1_25) == expected


def test_a_term_with_the_replacement_character_is_searched_in_the_whole_lower_case() -> None:
    assert letters_of(["x", "\ufffd"], GO_1_25) is None
    assert (
        SearchedPage(("É\udcff.md", b"\xe2\x82 \xc3\x89"), GO_1_25).hay(None) == "é\ufffd.md\n\ufffd\ufffd é".encode()
    )
    assert search({"a.md": b"\xe2\x82"}, "\ufffd\ufffd") == "- a.md — \ufffd\ufffd\n  \ufffd\ufffd"


def test_a_letter_is_found_between_bytes_that_are_not_utf_8() -> None:
    for content in (b"\xe2\xc3\x89t\xc3\xa9\x80", b"\xf0\x9f\xc3\xa9t\xc3\x89", b"\xc3\xc3\x89t\xc3\xa9\xc3"):
        assert found({"a.md": content}, "ÉTÉ") == ["a.md"]
    assert found({"a.md": b"\xc3 \x89t\xc3\xa9"}, "été") == []


@pytest.mark.parametrize("target", [GO_1_25, GO_1_27], ids=lambda target: target.version)
@pytest.mark.parametrize("seed", range(20))
def test_counting_in_what_matters_is_counting_in_the_whole_lower_case(target: GoTarget, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a text, not a secret
    letters = [chr(upper) for upper, _ in unicode.lower_pairs(target)]
    parts = [letter.encode() for letter in letters] + [unicode.to_lower(one, target).encode() for one in letters]
    broken = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\x80", b" ", b"k", b"I"]
    few = chance.sample(parts, 12)
    content = b"".join(chance.choice(few + broken) for _ in range(400))
    words = strings.to_lower("".join(part.decode() for part in few), target)
    terms = [words[start : start + size] for size in (1, 2) for start in range(len(words) - size + 1)]
    page = SearchedPage(("a.md", content), target)
    needles = [term.encode() for term in terms]
    whole = page.hay(None)
    assert module.occurrences(needles, page.hay(letters_of(terms, target))) == module.occurrences(needles, whole)
    assert sum(module.occurrences(needles, whole)) > 0


@pytest.mark.parametrize("target", [GO_1_25, GO_1_27], ids=lambda target: target.version)
def test_no_lower_case_is_itself_changed_so_the_order_of_replacements_is_free(target: GoTarget) -> None:
    pairs = unicode.lower_pairs(target)
    assert {upper for upper, _ in pairs}.isdisjoint(lower for _, lower in pairs)
