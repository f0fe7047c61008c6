from __future__ import annotations

import pytest

from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from parity.tools.interface import Env
from parity.tools.tracker_when import TrackerRefusedError, When, level, parse
from parity.zones import zone

NOON = Env(GO_1_25, now_ns=1792145440040007123)  # 2026-10-16T10:10:40.040007123Z


def test_without_a_zone_local_time_is_utc() -> None:
    assert parse("2026-01-02", NOON) == When(1767312000000, date_only=True)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\u00a0\u0085\u3000", "now", "NOW", " Now ", "nOw", "maintenant", "MAINTENANT", "Maintenant\n"],
)
def test_nothing_and_two_words_in_any_case_mean_the_clock(text: str) -> None:
    assert parse(text, NOON) == When(1792145440040, date_only=False)


@pytest.mark.parametrize("text", ["no", "nowT", "ma\u0130ntenant", "maintenants", "n\u043ew", "\u001cnow", "\u200bnow"])
def test_another_word_does_not_mean_the_clock(text: str) -> None:
    with pytest.raises(TrackerRefusedError):
        parse(text, NOON)


@pytest.mark.parametrize(("now_ns", "expected"), [(-1, -1), (-1_000_000, -1), (999_999, 0), (-1_000_001, -2)])
def test_the_clock_is_rounded_down_to_milliseconds(now_ns: int, expected: int) -> None:
    assert parse("now", Env(GO_1_25, now_ns=now_ns)).ts == expected


@pytest.mark.parametrize(
    ("text", "expected", "date_only"),
    [
        ("2026-01-03 07:15:30", 1767424530000, False),
        ("2026-01-03 07:15:30.5", 1767424530500, False),
        ("2026-01-03 07:15:30,1239999999999", 1767424530123, False),
        ("2025-12-31 23:59", 1767225540000, False),
        ("2026-07-15 14", 1784124000000, False),
        ("2026-01-02", 1767312000000, True),
        ("2026-01", 1767225600000, True),
        ("2025", 1735689600000, True),
        ("2026-07-15    4:05", 1784088300000, False),
        ("0000", -62167219200000, True),
        ("9999-12-31 23:59:59.999", 253402300799999, False),
        ("2024-02-29", 1709164800000, True),
    ],
)
def test_six_layouts_are_tried_those_with_a_time_first(text: str, expected: int, date_only: bool) -> None:  # noqa: FBT001 - a column of the table
    assert parse(text, NOON) == When(expected, date_only)


def test_the_first_t_is_a_space() -> None:
    assert parse(" 2025-12-31T23:59 ", NOON) == When(1767225540000, date_only=False)
    assert parse("2026-07-15T  4:05", NOON) == When(1784088300000, date_only=False)


@pytest.mark.parametrize(
    "text",
    [
        "2025-12-31t23:59",
        "2025-12-31TT23:59",
        "2025-12-31T",
        "T2025-12-31",
        "2025-12-31T23:59Z",
        "2025-12-31T23:59T",
        "2025-12-31T23:59:59+01:00",
        "2025-12-31\u00a023:59",
        "2025-12-31\t23:59",
        "2023-02-29",
        "2026-1-2",
        "2026-13",
        "2026-01-32",
        "2026-01-00",
        "26",
        "12026",
        "-2026",
        "+2026",
        "2026-",
        "2026-01-02 24:00",
        "2026-01-02 23:60",
        "2026-01-02 23:59:60",
        "2026-01-02 23:59:59.",
        "\u0662\u0660\u0662\u0666",
        "\uff12\uff10\uff12\uff16",
        "1e3",
    ],
)
def test_a_text_no_layout_fits_is_refused(text: str) -> None:
    with pytest.raises(TrackerRefusedError) as caught:
        parse(text, NOON)
    assert caught.value.text.startswith("date non comprise : ")


@pytest.mark.parametrize(
    ("text", "target", "quoted"),
    [
        (" la semaine dernière ", GO_1_25, '"la semaine dernière"'),
        ("demain T 8h", GO_1_25, '"demain T 8h"'),
        ('le "5"\\', GO_1_25, '"le \\"5\\"\\\\"'),
        ("a\nb\tc\x07\x7f\x1c", GO_1_25, '"a\\nb\\tc\\a\\x7f\\x1c"'),
        ("a\u00a0b\u200b\ufeff", GO_1_25, '"a\\u00a0b\\u200b\\ufeff"'),
        ("\ufffd\u0301'", GO_1_25, '"\ufffd\u0301\'"'),
        ("\u1c89", GO_1_25, '"\\u1c89"'),
        ("\u1c89", GO_1_27, '"\u1c89"'),
        ("\U0001f600\U000e0001", GO_1_25, '"\U0001f600\\U000e0001"'),
    ],
)
def test_the_refusal_quotes_the_text_trimmed_with_its_t(text: str, target: GoTarget, quoted: str) -> None:
    with pytest.raises(TrackerRefusedError) as caught:
        parse(text, Env(target))
    assert caught.value.text == (
        f"date non comprise : {quoted} (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)"
    )


# Real Go: the second of two 02:30 in Paris, and 03:30 for the one that is skipped.
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Europe/Paris", "2024-10-27 02:30", 1729992600000),
        ("Europe/Paris", "2024-03-31T02:30", 1711848600000),
        ("America/New_York", "2024-03-10 02:30", 1710052200000),
        ("America/New_York", "2024-11-03 01:30", 1730611800000),
        ("Pacific/Apia", "2011-12-30", 1325152800000),
        ("Europe/Paris", "0000", -62167219761000),
        ("Europe/Paris", "9999-12-31", 253402210800000),
    ],
)
def test_the_journals_zone_decides_what_moment_a_text_is(name: str, text: str, expected: int) -> None:
    assert parse(text, Env(GO_1_25, zone=zone(name))).ts == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("", 0),
        ("2026", 1),
        ("été", 1),
        ("2026T", 1),
        ("T", 1),
        ("2026-01", 2),
        ("-", 2),
        ("-0001", 2),
        ("2026-", 2),
        ("2026-01-02", 3),
        ("2026-01-02T", 3),
        ("2026-01-02 \u00a0\u0085", 3),
        ("2026-01-02 10", 4),
        ("2026-01-02T10", 4),
        ("2026 x", 4),
        ("T1", 4),
        ("2026 \u001c", 4),
        ("2026T T", 4),
        ("2026-01-02-03", 4),
        ("2026-01-02-03-04", 5),
        ("2026\u00a001", 1),
    ],
)
def test_the_level_counts_what_stands_before_the_first_space_unless_something_follows(when: str, expected: int) -> None:
    assert level(when) == expected
