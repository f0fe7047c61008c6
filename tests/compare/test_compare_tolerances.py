"""Tolerances accept exactly what their sentence says, and nothing beside it."""

from __future__ import annotations

import time
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.compare import ALL, Difference, StepContext, SystemErrorText, Tolerated, TrackerOrder, compare
from replay.compare.permutations import Found, Line, read
from replay.compare.tolerances import is_contract_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.compare.compare import Comparison
    from replay.fields import Value

DAY_MS = 86_400_000
HEADER = "Trackers du projet ({}) :\n"
FOOTER = 'Zoom : tracker(name:"<nom>") pour le détail d\'un tracker.'


def tracker(name: str, *timestamps: int) -> dict[str, Value]:
    events: tuple[Value, ...] = tuple({"id": str(ts), "ts": ts, "text": "x", "date_only": False} for ts in timestamps)
    return {"name": name, "events": events}


def day(ts: int) -> str:
    return f"1970-01-{ts // DAY_MS + 1:02}" if ts >= 0 else f"1969-12-{32 + ts // DAY_MS:02}"


def line(value: dict[str, Value]) -> str:
    """A line of the overview, as tracker.md words it."""
    events: Any = value["events"]
    name: Any = value["name"]
    if not events:
        return f"- {name}\n"
    return f"- {name} — {len(events)} points, du {day(events[0]['ts'])} au {day(events[-1]['ts'])}\n"


def overview(*trackers: dict[str, Value]) -> str:
    return HEADER.format(len(trackers)) + "".join(map(line, trackers)) + FOOTER


def judged(
    recorded: str,
    given_: str,
    trackers: Sequence[dict[str, Value]],
    *,
    tool: str = "tracker",
    project: str = "generale",
    **sides: Any,  # noqa: ANN401 - fields of either side
) -> Comparison:
    stored: dict[str, Value] = {f"{project}/{number}": value for number, value in enumerate(trackers)}
    expected: dict[str, Value] = {"result": recorded, "trackers": stored, **sides}
    actual: dict[str, Value] = {"result": given_, "trackers": stored, **sides}
    context = StepContext(tool=tool, expected=expected, actual=actual, project=project)
    return compare(expected, actual, ALL, context)


A = tracker("a", 0, 3 * DAY_MS)
B = tracker("b", DAY_MS, 3 * DAY_MS)
C = tracker("c", 2 * DAY_MS)


def test_trackers_with_the_same_last_point_may_change_places() -> None:
    found = judged(overview(A, B, C), overview(B, A, C), [A, B, C])
    assert found.differences == ()
    assert [(one.name, one.field) for one in found.tolerated] == [("tracker-order", "result")]


def test_the_tolerance_says_how_many_recorded_characters_it_hid() -> None:
    first, second = tracker("a", 0), tracker("b", 0)
    recorded, given_ = overview(first, second), overview(second, first)
    (found,) = judged(recorded, given_, [first, second]).tolerated
    span = "a — 1 points, du 1970-01-01 au 1970-01-01\n- b"
    assert recorded.count(span) == 1
    assert found == Tolerated("tracker-order", "result", len(span))


def test_trackers_with_another_last_point_may_not_change_places() -> None:
    assert judged(overview(A, B, C), overview(C, A, B), [A, B, C]).differences


@pytest.mark.parametrize(
    "given_",
    [
        overview(B, A, C).replace("- a", "- A"),
        overview(B, A, C) + "\n",
        overview(B, A, C).replace("(3)", "(2)"),
        overview(B, B, C),
        overview(B, A, C).replace("1970-01-02", "1970-01-03"),
        overview(B, A),
        overview(A, B, C)[:-1],
        overview(B, A, C).replace("\n- c", "\r\n- c"),
        "",
    ],
)
def test_anything_but_another_order_is_a_difference(given_: str) -> None:
    found = judged(overview(A, B, C), given_, [A, B, C])
    assert found.tolerated == ()
    assert found.differences


def test_a_recorded_text_that_the_trackers_do_not_explain_is_not_tolerated() -> None:
    assert judged(overview(A, B), overview(B, A), [A, tracker("other", DAY_MS, 3 * DAY_MS)]).differences
    assert judged(overview(A, B), overview(B, A), [A, B, C]).differences
    assert judged(overview(A, B) + "x", overview(B, A) + "x", [A, B]).differences


def test_equals_must_end_on_one_day() -> None:
    recorded = overview(A, B).replace("au 1970-01-04\n- b", "au 1970-01-05\n- b")
    given_ = HEADER.format(2) + "".join(reversed(recorded.splitlines(keepends=True)[1:3])) + FOOTER
    assert judged(recorded, given_, [A, B]).differences


def test_a_tracker_without_points_counts_as_the_first_moment_of_1970() -> None:
    empty, zero, before = tracker("vide"), tracker("zéro", 0), tracker("avant", -DAY_MS)
    trackers = [empty, zero, before]
    assert not judged(overview(empty, zero, before), overview(zero, empty, before), trackers).differences
    assert judged(overview(zero, empty, before), overview(zero, before, empty), trackers).differences


def test_only_the_trackers_of_the_project_are_in_its_overview() -> None:
    stored: dict[str, Value] = {"p/a": A, "p/b": B, "generale/c": C}
    expected: dict[str, Value] = {"result": overview(A, B), "trackers": stored}
    actual: dict[str, Value] = {"result": overview(B, A), "trackers": stored}
    for project, accepted in (("p", 1), ("generale", 0)):
        context = StepContext(tool="tracker", expected=expected, actual=actual, project=project)
        assert len(compare(expected, actual, ALL, context).tolerated) == accepted


def test_the_candidates_own_trackers_serve_where_none_are_recorded() -> None:
    expected: dict[str, Value] = {"result": overview(A, B)}
    actual: dict[str, Value] = {"result": overview(B, A), "trackers": {"generale/a": A, "generale/b": B}}
    context = StepContext(tool="tracker", expected=expected, actual=actual)
    assert not compare(expected, actual, ALL, context).differences
    assert compare(expected, actual, ALL, StepContext(tool="tracker")).differences


def test_only_the_result_of_the_tool_tracker_may_be_in_another_order() -> None:
    assert judged(overview(A, B), overview(B, A), [A, B], tool="mem_read").differences
    difference = Difference("label", "changed", overview(A, B), overview(B, A))
    context = StepContext(tool="tracker", expected={"trackers": {"generale/a": A, "generale/b": B}})
    assert TrackerOrder().apply(context, difference) is None


def test_nothing_is_tolerated_without_a_context_or_without_tolerances() -> None:
    expected: dict[str, Value] = {"result": overview(A, B), "trackers": {"generale/a": A, "generale/b": B}}
    actual = {**expected, "result": overview(B, A)}
    context = StepContext(tool="tracker", expected=expected, actual=actual)
    assert compare(expected, actual, ALL).differences
    assert compare(expected, actual, (), context).differences
    assert not compare(expected, actual, ALL, context).differences


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_names_may_hold_whole_lines_and_each_other(order: tuple[int, ...]) -> None:
    trackers = [
        tracker("x", 0, 0),
        tracker("x — 2 points, du 1970-01-01 au 1970-01-01\n- x", 0, 0),
        tracker("x", 0),
        tracker("", 0),
    ]
    found = judged(overview(*trackers), overview(*(trackers[number] for number in order)), trackers)
    assert found.differences == ()


@pytest.mark.parametrize(
    "name", ["a\nb", "\n", "- a", "a — 1 points, du 1970-01-01 au 1970-01-01", FOOTER, "\r", " points, du ", "99-99-99"]
)
def test_a_hostile_name_is_read_as_what_it_is(name: str) -> None:
    trackers = [tracker(name, 0), tracker("b", 0), tracker(name), tracker("c")]
    assert not judged(overview(*trackers), overview(*reversed(trackers)), trackers).differences
    assert judged(overview(*trackers), overview(*reversed(trackers)) + " ", trackers).differences


def test_years_of_five_digits_and_before_christ_are_days_too() -> None:
    for text in ("12345-01-01", "-0044-03-15"):
        trackers = [tracker("a", 0), tracker("b", 0)]
        recorded, given_ = (
            overview(*order).replace("1970-01-01", text) for order in (trackers, list(reversed(trackers)))
        )
        assert not judged(recorded, given_, trackers).differences


def test_a_tracker_that_is_no_tracker_is_an_empty_one_without_a_name() -> None:
    broken: list[Any] = [{"name": 1, "events": 2}, {"name": "b", "events": ({"ts": "x"},)}, {"events": ("x",)}]
    recorded = f"{HEADER.format(3)}- \n- b — 1 points, du 1970-01-01 au 1970-01-01\n"
    recorded += f"-  — 1 points, du 1970-01-01 au 1970-01-01\n{FOOTER}"
    lines = recorded.split("\n")
    given_ = "\n".join([lines[0], lines[2], lines[1], *lines[3:]])
    assert not judged(recorded, given_, broken).differences


NAMES = st.text(st.sampled_from("a\n- —1"), max_size=4)
TRACKERS = st.lists(
    st.builds(
        lambda name, times: tracker(name, *sorted(times)), NAMES, st.lists(st.sampled_from([0, DAY_MS]), max_size=2)
    ),
    min_size=1,
    max_size=5,
)


def last(value: dict[str, Value]) -> int:
    events: Any = value["events"]
    return int(events[-1]["ts"]) if events else 0


@settings(derandomize=True, deadline=None, max_examples=300)
@given(TRACKERS, st.randoms(use_true_random=False))
def test_every_order_among_equals_is_tolerated(trackers: list[dict[str, Value]], random: Any) -> None:  # noqa: ANN401 - Random
    orders = []
    for _ in range(2):
        random.shuffle(trackers)
        orders.append(overview(*sorted(trackers, key=last, reverse=True)))
    assert judged(orders[0], orders[1], trackers).differences == ()


@settings(derandomize=True, deadline=None, max_examples=300)
@given(TRACKERS, st.randoms(use_true_random=False))
def test_no_order_but_among_equals_is_tolerated(trackers: list[dict[str, Value]], random: Any) -> None:  # noqa: ANN401 - Random
    ordered = sorted(trackers, key=last, reverse=True)
    keys = [last(one) for one in ordered]
    possible = {overview(*order) for order in permutations(ordered) if [last(one) for one in order] == keys}
    random.shuffle(trackers)
    given_ = overview(*trackers)
    assert (not judged(overview(*ordered), given_, trackers).differences) == (given_ in possible)


def test_thousands_of_trackers_are_read_in_time() -> None:
    trackers = [tracker(f"tracker {number}", number % 3 * DAY_MS) for number in range(5000)]
    ordered = sorted(trackers, key=last, reverse=True)
    trackers.reverse()
    backwards = sorted(trackers, key=last, reverse=True)
    before = time.perf_counter()
    assert not judged(overview(*ordered), overview(*backwards), trackers).differences
    assert time.perf_counter() - before < 5


def test_a_text_that_can_be_read_in_too_many_ways_is_given_up() -> None:
    lines = [Line("- a\n" * count) for count in range(1, 40)]
    text = "- a\n" * (sum(range(1, 40)) - 1) + "- b\n"
    before = time.perf_counter()
    assert read(text, [lines]) is None
    assert time.perf_counter() - before < 5


def test_a_choice_that_leads_nowhere_is_taken_back() -> None:
    short, long, end = Line("- a\n"), Line("- a\n- b\n"), Line("- b\n")
    assert read("- a\n- b\n- a\n- b\n", [[short, long, end]]) is not None
    assert read("- a\n- b\n- a\n", [[short, long]]) == [[Found(long, "- a\n- b\n"), Found(short, "- a\n")]]
    assert read("- a\n- b\n- b\n", [[short, long]]) is None


def test_a_line_that_ends_in_days_needs_two_of_them() -> None:
    line_ = Line("- a — 1 points, du ", dated=True)
    assert read("- a — 1 points, du 1970-01-01 au 1970-01-01\n", [[line_]]) is not None
    assert read("- a — 1 points, du 1970-01-01\n", [[line_]]) is None
    assert read("- a — 1 points, du 1970-1-01 au 1970-01-01\n", [[line_]]) is None


def test_an_empty_text_is_no_lines_at_all() -> None:
    assert read("", []) == []
    assert read("x", []) is None
    assert read("", [[Line("a\n")]]) is None


def error(
    recorded: str,
    given_: str,
    *,
    tool: str = "mem_add",
    system: bool = True,
    field: str = "result",
) -> Tolerated | None:
    context = StepContext(tool=tool, system_error=system)
    return SystemErrorText().apply(context, Difference(field, "changed", recorded, given_))


SYSTEM = "[erreur] open /m/a.md: read-only file system"
OURS = "[erreur] cannot write a.md: Read-only file system"


@pytest.mark.parametrize("tool", ["mem_add", "mem_edit", "tracker"])
def test_an_error_of_the_system_may_be_worded_in_another_way(tool: str) -> None:
    assert error(SYSTEM, OURS, tool=tool) == Tolerated("system-error-text", "result", len(SYSTEM) - len("[erreur] "))


@pytest.mark.parametrize("tool", ["mem_read", "mem_search", "recall", "recall_search", ""])
def test_a_tool_that_only_reads_has_no_error_of_a_write(tool: str) -> None:
    assert error(SYSTEM, OURS, tool=tool) is None


def test_the_candidate_must_say_that_the_error_is_the_systems() -> None:
    assert error(SYSTEM, OURS, system=False) is None


@pytest.mark.parametrize(
    ("recorded", "given_"),
    [
        (SYSTEM, "[ok] page 'a.md' créée"),
        ("[ok] page 'a.md' créée", OURS),
        (SYSTEM, "[erreur] "),
        ("[erreur] ", OURS),
        (SYSTEM, "[erreur]x"),
        (SYSTEM, "x [erreur] y"),
    ],
)
def test_both_sides_must_be_errors_with_a_text(recorded: str, given_: str) -> None:
    assert error(recorded, given_) is None


def test_only_the_result_holds_the_text_of_an_error() -> None:
    assert error(SYSTEM, OURS, field="label") is None


CONTRACT_ERRORS = [
    "nom vide",
    "nom invalide (alphanum, ._-)",
    "la page existe déjà — utilise mem_edit pour la modifier",
    "page chiffrée, mémoire verrouillée",
    "page 'a\nb' introuvable",
    "page '' chiffrée — mémoire verrouillée",
    "old vide",
    "old introuvable dans la page",
    "old apparaît 104 fois — ajoute du contexte pour le rendre unique",
    "nom de tracker vide",
    "contenu vide",
    'date non comprise : "la semaine" (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)',
    "name et id sont requis pour modifier un point",
    "tracker introuvable",
    "événement introuvable",
    "name requis",
    "id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil",
    'action inconnue "true" (view, add, edit, delete)',
    "valeur chiffrée, mémoire verrouillée",
]


@pytest.mark.parametrize("text", CONTRACT_ERRORS)
def test_an_error_of_the_contract_must_be_given_as_it_is(text: str) -> None:
    assert is_contract_error(text)
    assert error(f"[erreur] {text}", OURS) is None


@pytest.mark.parametrize("text", ["open a.md: permission denied", "nom vide ", "page introuvable", ""])
def test_any_other_error_is_not_the_contracts(text: str) -> None:
    assert not is_contract_error(text)


def test_the_first_tolerance_that_accepts_is_the_one_that_counts() -> None:
    expected: dict[str, Value] = {"result": SYSTEM, "label": "a"}
    actual: dict[str, Value] = {"result": OURS, "label": "b"}
    context = StepContext(tool="mem_add", expected=expected, actual=actual, system_error=True)
    found = compare(expected, actual, ALL, context)
    assert [one.name for one in found.tolerated] == ["system-error-text"]
    assert [one.field for one in found.differences] == ["label"]


def loose(expected: Value, actual: Value, field: str = "result", **listed: Any) -> Comparison:  # noqa: ANN401 - sets
    context = StepContext(tool="recall", **listed)
    return compare({field: expected}, {field: actual}, ALL, context)


HIDDEN = frozenset({"result"})


@pytest.mark.parametrize(
    ("recorded", "given_", "hidden"),
    [
        ("a [redacted:key] b", "a sk-12 b", 5),
        ("[redacted:key]", "x", 1),
        ("[redacted:a] and [redacted:b]!", "one and two!", 6),
        ("[redacted:a][redacted:b]", "xy", 2),
        ("é [redacted:k]", "é \U0001f511é", 2),
        ("x[redacted:k]x", "xxx", 1),
        ("a[redacted:k]b[redacted:k]c", "a1b2b3c", 4),
    ],
)
def test_anything_may_stand_in_the_place_of_a_marker_and_is_counted(recorded: str, given_: str, hidden: int) -> None:
    found = loose(recorded, given_, redacted=HIDDEN)
    assert found.differences == ()
    assert found.tolerated == (Tolerated("redacted", "result", hidden),)


@pytest.mark.parametrize(
    ("recorded", "given_"),
    [
        ("a [redacted:key] b", "a  b"),  # nothing stands there
        ("a [redacted:key] b", "a sk b."),
        ("a [redacted:key] b", "A sk b"),
        ("a[redacted:k]b[redacted:k]c", "a1c"),
        ("a[redacted:k]b[redacted:k]c", "ab2c"),
        ("x[redacted:k]x", "xx"),
        ("xx[redacted:k]xx", "xxx"),
        ("[redacted:a][redacted:b]", "x"),
        ("no marker", "no mark"),
        ("[redacted:KEY]", "x"),  # a rule's name is in small letters
    ],
)
def test_everything_around_a_marker_is_compared(recorded: str, given_: str) -> None:
    found = loose(recorded, given_, redacted=HIDDEN)
    assert [one.field for one in found.differences] == ["result"]
    assert found.tolerated == ()


def test_a_marker_where_the_head_lists_none_hides_nothing() -> None:
    assert loose("[redacted:key]", "x").differences
    assert loose("[redacted:key]", "x", redacted=frozenset({"label"})).differences
    assert loose(("[redacted:key]",), 3, redacted=HIDDEN).differences


def test_a_page_is_named_by_itself_and_is_compared_as_text() -> None:
    page: Value = {"a.md": {"sealed": False, "content": b"\xff [redacted:key]"}}
    given_: Value = {"a.md": {"sealed": False, "content": b"\xff sk-1"}, "b.md": {"sealed": False, "content": b""}}
    found = loose(page, given_, "files", redacted=frozenset({"files['a.md']"}))
    assert [one.field for one in found.differences] == ["files['b.md']"]
    assert found.tolerated == (Tolerated("redacted", "files['a.md'].content", 4),)


def test_a_field_that_go_does_not_repeat_may_be_anything_and_no_other_field_may() -> None:
    found = loose("12 h", "13 h 05", unstable=HIDDEN)
    assert (found.differences, found.tolerated) == ((), (Tolerated("unstable-in-go", "result", 4),))
    assert loose("12 h", "13 h", unstable=frozenset({"label"})).differences
    files = frozenset({"files['a.md']", "files['c.md']"})
    sides: tuple[Value, Value] = ({"a.md": "x", "b.md": "x"}, {"b.md": "y", "c.md": "four"})
    found = loose(*sides, "files", unstable=files)
    assert [one.field for one in found.differences] == ["files['b.md']"]
    assert [(one.field, one.characters) for one in found.tolerated] == [("files['a.md']", 1), ("files['c.md']", 4)]


def test_every_tolerance_has_a_name_and_a_sentence() -> None:
    assert [one.name for one in ALL] == ["tracker-order", "system-error-text", "redacted", "unstable-in-go"]
    assert all(len(one.says) > 40 for one in ALL)
