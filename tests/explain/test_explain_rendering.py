"""An explanation as text: drawn, bounded, every part with its place."""

from __future__ import annotations

from parity.gostd.target import GO_1_25
from replay.explain.explanation import Explanation, Part, Verdict
from replay.explain.rendering import explained, shown_by, verdicts
from replay.journal.model import Place
from replay.outcome import Mode, StepRef
from replay.rules.book import Book, PortRule

ACUTE = "U+00E9 LATIN SMALL LETTER E WITH ACUTE"
BOOK = Book({"a/b": PortRule("a/b", "recall.md, 1", "f", ("t",))}, {})


def told(*parts: Part, result: str = "x", notes: tuple[str, ...] = ()) -> list[str]:
    return list(explained(Explanation("id x", GO_1_25, parts, result, notes=notes), BOOK))


def test_each_part_has_its_number_its_sentence_its_place_and_its_value() -> None:
    assert told(
        Part("Trimmed.", "7", ("a/b", "c/d")), Part("Go's x.", 7, section="go-semantics.md, 2.4"), notes=("n",)
    ) == [
        "id x as go1.25.5 has it (Unicode 15.0.0)",
        "  1. Trimmed.",
        "     a/b · recall.md, 1",
        "     c/d · not in PORT.toml",
        '     → "7"',
        "  2. Go's x.",
        "     go-semantics.md, 2.4",
        "     → 7",
        "result",
        "     x",
        "     (n)",
    ]


def test_what_a_terminal_would_obey_is_drawn() -> None:
    lines = told(Part("T.", "\x1b[31m\u200b"), result="a\x07\nb\udcff")
    assert '     → "␛[31m\\u{200B}"' in lines
    assert lines[-2:] == ["     a␇", "     b\\xff"]


def test_a_long_text_and_a_long_result_are_cut() -> None:
    lines = told(Part("T.", "x" * 1000), result="\n".join(["line"] * 100))
    assert f'     → "{"x" * 400}…[600 more]"' in lines
    assert lines[-1] == "     … 40 more lines"


def test_texts_are_a_line_each_and_no_text_is_an_empty_list() -> None:
    assert told(
        Part("T.", ("a", "b")), Part("T.", ()), Part("T.", ("a", 1)), Part("T.", lines=()), Part("T.", lines=("l",))
    )[1:-2] == [
        "  1. T.",
        '     → "a"',
        '     → "b"',
        "  2. T.",
        "     → []",
        "  3. T.",
        '     → ["a", 1]',
        "  4. T.",
        "     → nothing",
        "  5. T.",
        "     → l",
    ]


def test_each_rule_has_the_steps_that_show_it() -> None:
    step = StepRef("logs/a.json", "3", "recall", "", Place("logs/a.json", "", 0), Mode.ISOLATED)
    assert list(shown_by(["a/b", "c/d"], {"a/b": [step]})) == [
        "shown by",
        "     a/b  logs/a.json 3",
        "     c/d  no step",
    ]


def test_an_answer_that_is_the_same_is_one_line() -> None:
    assert list(verdicts("go1.25.5", [Verdict("the slug", "model", "a", "a")])) == [
        "real Go, go1.25.5",
        '   = the slug (model): "a"',
    ]


def test_an_answer_that_differs_is_said_with_the_place_where_they_part() -> None:
    assert list(verdicts("go1.25.5", [Verdict("a", "stdlib", "xé", "xe"), Verdict("b", "model", 1, 1)])) == [
        "real Go, go1.25.5",
        '   ≠ a (stdlib): "xé"',
        '     the port: "xe"',
        f"     they part at line 1, column 2: Go {ACUTE}, port U+0065 LATIN SMALL LETTER E",
        "   = b (model): 1",
        "the port DIFFERS from real Go in 1 of 2 answers",
    ]


def test_answers_of_different_types_differ_without_a_place() -> None:
    lines = list(verdicts("go1.25.5", [Verdict("a", "stdlib", {"panic": "x"}, "x"), Verdict("a", "stdlib", "x", 1)]))
    assert lines[1:] == [
        '   ≠ a (stdlib): {panic: "x"}',
        '     the port: "x"',
        '   ≠ a (stdlib): "x"',
        "     the port: 1",
        "the port DIFFERS from real Go in 2 of 2 answers",
    ]
