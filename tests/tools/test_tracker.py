from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest
from vectors_reader import Entry, every_vector

from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import Env, Tracker, TrackerEvent, WriteRefused
from parity.tools.tracker import slug, tracker
from parity.zones import zone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

NOW: Final = 1792145440040007123  # 2026-10-16T10:10:40.040007123Z
ID: Final = "1792145440040007123"

POIDS: Final = Tracker(
    "Poids",
    (
        TrackerEvent("a", 1767225540000, "78,9 kg"),  # 2025-12-31 23:59
        TrackerEvent("b", 1767312000000, "78,2 kg", date_only=True),  # 2026-01-02
        TrackerEvent("c", 1792145440040, "77,9 kg"),  # 2026-10-16 10:10
    ),
)

CHANGE: Final = 'Modifier/supprimer : action:"edit"|"delete", name, id (l\'identifiant entre crochets).'


def memory_of(trackers: Mapping[str, Tracker], settings: Settings | None = None) -> RamMemory:
    memory = RamMemory(settings or Settings(), nonces=lambda: bytes(12))
    memory.restore(State(trackers={f"generale/{key}": one for key, one in trackers.items()}))
    return memory


@dataclass
class Bench:
    """A memory with trackers, and what is fixed around it."""

    trackers: Mapping[str, Tracker] = field(default_factory=dict)
    zone: str = "UTC"
    now: int = NOW
    target: GoTarget = GO_1_25
    memory: RamMemory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = memory_of(self.trackers)

    def call(self, **args: Any) -> str:  # noqa: ANN401 - a tool's argument is any JSON value
        env = Env(self.target, self.now, zone(self.zone), memory=self.memory)
        answer = tracker(args, env)
        assert answer.diff == ()
        return answer.result

    def after(self) -> Mapping[str, Tracker]:
        return self.memory.trackers.all()


def tracker_of(*moments: int, name: str = "t") -> Tracker:
    return Tracker(name, tuple(TrackerEvent(str(index), ts, "x") for index, ts in enumerate(moments)))


# --- the steps of a journal that real Go recorded ---

ZOOM: Final = 'Zoom : tracker(name:"<nom>") pour le détail d\'un tracker.'

RECORDED: Final[Sequence[tuple[dict[str, Any], int, str, str]]] = [
    (
        {},
        1792145318038007123,
        "",
        (
            'Aucun tracker dans ce projet. Crée-en un en ajoutant un point : action:"add", name:"…", text:"…" '
            "(when facultatif = maintenant)."
        ),
    ),
    (
        {"action": "add", "name": "Poids", "when": "2026-01-02", "text": "78,2 kg"},
        1792145379039007123,
        "add Poids",
        "[ok] point ajouté à « Poids » (id 1792145379039007123).",
    ),
    (
        {"action": "add", "name": "Poids", "text": "  77,9 kg "},
        1792145440040007123,
        "add Poids",
        "[ok] point ajouté à « Poids » (id 1792145440040007123).",
    ),
    (
        {"action": "ADD", "name": "poids", "when": "2025-12-31T23:59", "text": "78,9 kg"},
        1792145501041007123,
        "ADD poids",
        "[ok] point ajouté à « poids » (id 1792145501041007123).",
    ),
    (
        {"action": "add", "name": "Température Été", "when": "2026-07-15 14", "text": "41 °C"},
        1792145562042007123,
        "add Température Été",
        "[ok] point ajouté à « Température Été » (id 1792145562042007123).",
    ),
    (
        {"action": "add", "name": 2026.0, "when": 2025.0, "text": 12.5},
        1792145623043007123,
        "add 2026",
        "[ok] point ajouté à « 2026 » (id 1792145623043007123).",
    ),
    (
        {"action": "add", "name": "Poids", "when": "la semaine dernière", "text": "x"},
        1792145684044007123,
        "add Poids",
        '[erreur] date non comprise : "la semaine dernière" (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)',
    ),
    ({"action": "add", "name": "Poids", "text": "  "}, NOW, "add Poids", "[erreur] contenu vide"),
    ({"action": "add", "text": "x"}, NOW, "add", "[erreur] nom de tracker vide"),
    (
        {},
        1792145867047007123,
        "",
        "Trackers du projet (3) :\n- Poids — 3 points, du 2025-12-31 au 2026-10-16\n"
        "- Température Été — 1 points, du 2026-07-15 au 2026-07-15\n- 2026 — 1 points, du 2025-01-01 au 2025-01-01\n"
        + ZOOM,
    ),
    (
        {"name": "POIDS"},
        1792145928048007123,
        "POIDS",
        (
            "Tracker « Poids » — 3 points, du 2025-12-31 au 2026-10-16\nAnnées : 2025 (1) · 2026 (2)\n"
            "2026 (année en cours) : 2026-01 (1) · 2026-10 (1)\n"
            'Zoom : tracker(name:"Poids", when:"2025") pour une année · when:"2026-07" pour un mois.'
        ),
    ),
    (
        {"name": "poids", "when": "2026"},
        NOW,
        "poids",
        'Tracker « Poids » en 2026 — 2 points :\n2026-01 (1) · 2026-10 (1)\nZoom : when:"2026-07" pour un mois.',
    ),
    ({"name": "poids", "when": "1999"}, NOW, "poids", "Tracker « Poids » : rien en 1999."),
    (
        {"action": "list", "name": "poids", "when": "2026-01"},
        NOW,
        "list poids",
        "Tracker « Poids » en 2026-01 — 1 points :\n- [1792145379039007123] 2026-01-02 — 78,2 kg\n" + CHANGE,
    ),
    (
        {"name": "sommeil"},
        NOW,
        "sommeil",
        (
            "[aucun tracker « sommeil »] Appelle tracker() sans argument pour la liste, "
            'ou ajoute un point avec action:"add".'
        ),
    ),
    (
        {
            "action": "edit",
            "name": "poids",
            "id": "1792145379039007123",
            "when": "2026-01-03 07:15:30.5",
            "text": "78,1 kg",
        },
        NOW,
        "edit poids",
        "[ok] point 1792145379039007123 de « poids » modifié.",
    ),
    (
        {"action": "delete", "name": "poids", "id": "1792145501041007123"},
        NOW,
        "delete poids",
        "[ok] point 1792145501041007123 de « poids » supprimé.",
    ),
    (
        {"action": "delete", "name": "poids"},
        NOW,
        "delete poids",
        "[erreur] id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil",
    ),
    (
        {"action": True, "name": ["a", 1.0, None], "id": {"k": False}},
        NOW,
        "true [a 1 <nil>]",
        '[erreur] action inconnue "true" (view, add, edit, delete)',
    ),
]

RECORDED_AFTER: Final = {
    "2026": Tracker("2026", (TrackerEvent("1792145623043007123", 1735689600000, "12", date_only=True),)),
    "poids": Tracker(
        "Poids",
        (
            TrackerEvent("1792145379039007123", 1767424530500, "78,1 kg"),
            TrackerEvent("1792145440040007123", 1792145440040, "77,9 kg"),
        ),
    ),
    "temperature-ete": Tracker("Température Été", (TrackerEvent("1792145562042007123", 1784124000000, "41 °C"),)),
}


def test_the_steps_of_a_recorded_journal_follow_one_another_to_the_character() -> None:
    memory = memory_of({})
    for args, now, label, result in RECORDED:
        answer = tracker(args, Env(GO_1_25, now, memory=memory))
        assert (answer.label, answer.result, answer.diff) == (label, result, ())
    assert memory.trackers.all() == RECORDED_AFTER


# --- slug ---


@every_vector("slug")
def test_a_slug_is_as_go_makes_it(target: GoTarget, entry: Entry) -> None:
    assert slug(entry["in"], target) == entry["out"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a" * 41, "a" * 40),
        ("a" * 39 + "-b", "a" * 39),
        ("a" * 39 + " — b", "a" * 39),
        ("é" * 41, "e" * 40),
        ("\u0130stanbul", "istanbul"),
        ("\u212aelvin", "kelvin"),
        ("-", ""),
        ("東京", ""),
        ("œuvre", "uvre"),
        ("\u00a0Été\u0085", "ete"),
        ("e\u0301te", "e-te"),
        ("A_B.C", "a-b-c"),
    ],
)
def test_a_slug_keeps_forty_bytes_and_no_dash_outside(name: str, expected: str) -> None:
    assert slug(name, GO_1_25) == expected


# --- arguments and actions ---


@pytest.mark.parametrize("action", ["", " ", None, "view", "read", "list", "VIEW", "\u00a0Read\u0085", "L\u0130ST"])
def test_four_actions_in_any_case_are_the_view(action: object) -> None:
    assert Bench().call(action=action).startswith("Aucun tracker")


@pytest.mark.parametrize(
    ("action", "target", "quoted"),
    [
        ("Supprimer", GO_1_25, '"supprimer"'),
        (True, GO_1_25, '"true"'),
        (0.0, GO_1_25, '"0"'),
        (1e6, GO_1_25, '"1000000"'),
        (-0.4, GO_1_25, '"-0"'),
        ([], GO_1_25, '"[]"'),
        ([1e6, "Add"], GO_1_25, '"[1e+06 add]"'),
        ({"b": None, "a": 0.1}, GO_1_25, '"map[a:0.1 b:<nil>]"'),
        ("A\nB\x01", GO_1_25, '"a\\nb\\x01"'),
        ("\u001cadd", GO_1_25, '"\\x1cadd"'),
        ("\u1c89", GO_1_25, '"\\u1c89"'),
        ("\u1c89", GO_1_27, '"\u1c8a"'),
        ("É\u0130\u03a3", GO_1_25, '"éi\u03c3"'),
    ],
)
def test_another_action_is_refused_and_quoted_in_lower_case(action: object, target: GoTarget, quoted: str) -> None:
    assert Bench(target=target).call(action=action, name="x") == (
        f"[erreur] action inconnue {quoted} (view, add, edit, delete)"
    )


# --- add ---


def test_a_point_needs_a_name_then_a_text_then_a_date() -> None:
    bench = Bench()
    assert bench.call(action="add", when="demain") == "[erreur] nom de tracker vide"
    assert bench.call(action="add", name=" \u00a0", text="x") == "[erreur] nom de tracker vide"
    assert bench.call(action="add", name="n", text="\u0085", when="demain") == "[erreur] contenu vide"
    assert bench.call(action="add", name="n", text=None) == "[erreur] contenu vide"
    assert bench.call(action="add", name="n", text="x", when="demain").startswith(
        '[erreur] date non comprise : "demain"'
    )
    assert bench.after() == {}


def test_a_point_without_date_is_at_the_clock() -> None:
    bench = Bench()
    assert bench.call(action="add", name=" Mes  notes ", text=" deux\nlignes ") == (
        f"[ok] point ajouté à « Mes  notes » (id {ID})."
    )
    assert bench.after() == {"mes-notes": Tracker("Mes  notes", (TrackerEvent(ID, 1792145440040, "deux\nlignes"),))}


def test_any_json_value_is_a_text() -> None:
    bench = Bench()
    bench.call(action="add", name=[None, {"k": 1e6}], text={"b": [True, "x"], "a": 1.5}, when=2025.4)
    assert bench.after() == {
        "nil-map-k-1e-06": Tracker(
            "[<nil> map[k:1e+06]]",
            (TrackerEvent(ID, 1735689600000, "map[a:1.5 b:[true x]]", date_only=True),),
        ),
    }


def test_a_name_without_slug_is_stored_as_tracker_and_found_only_by_that_name() -> None:
    bench = Bench()
    assert bench.call(action="add", name="東京", text="x") == f"[ok] point ajouté à « 東京 » (id {ID})."
    assert list(bench.after()) == ["tracker"]
    assert bench.call(name="東京").startswith("[aucun tracker « 東京 »]")
    assert bench.call(action="edit", name="東京", id=ID, text="y") == "[erreur] tracker introuvable"
    assert bench.call(action="delete", name="東京", id=ID) == "[erreur] tracker introuvable"
    assert bench.call(name="tracker").startswith("Tracker « 東京 » — 1 points")


def test_a_name_without_slug_finds_nothing_even_where_something_is_stored_under_no_slug() -> None:
    bench = Bench({"": POIDS})
    assert bench.call(name="!").startswith("[aucun tracker « ! »]")


def test_a_stored_name_stays() -> None:
    bench = Bench({"poids": POIDS})
    bench.call(action="add", name="POIDS", text="x")
    assert bench.after()["poids"].name == "Poids"


@pytest.mark.parametrize("blank", ["", " ", "\u00a0\u0085\n"])
def test_a_stored_name_that_is_blank_is_replaced(blank: str) -> None:
    bench = Bench({"poids": Tracker(blank)})
    bench.call(action="add", name="POIDS", text="x")
    assert bench.after()["poids"].name == "POIDS"


def test_only_an_addition_replaces_a_blank_name() -> None:
    bench = Bench({"poids": Tracker("", POIDS.events)})
    bench.call(action="edit", name="POIDS", id="a", text="x")
    bench.call(action="delete", name="POIDS", id="b")
    assert bench.after()["poids"].name == ""


def test_events_are_sorted_when_saved_those_of_one_moment_as_they_stood() -> None:
    bench = Bench({"t": tracker_of(5, 3, 5, 1)})
    bench.call(action="add", name="t", text="new", when="1970")
    assert [(event.ts, event.id) for event in bench.after()["t"].events] == [
        (0, ID),
        (1, "3"),
        (3, "1"),
        (5, "0"),
        (5, "2"),
    ]


# A time.Time of the year 9999 has no UnixNano of its own: 64 bits wrap around. Real Go printed this number.
def test_an_id_outside_the_years_of_64_bits_wraps_around_and_the_date_does_not() -> None:
    bench = Bench(now=253402253999_000_000_000)
    assert bench.call(action="add", name="t", text="x") == "[ok] point ajouté à « t » (id -4852163032933722624)."
    assert bench.after()["t"].events[0].ts == 253402253999000


# --- edit ---


@pytest.mark.parametrize(
    "args", [{}, {"name": "poids"}, {"id": "a"}, {"name": " ", "id": "a"}, {"name": "x", "id": "\u00a0"}]
)
def test_an_edit_needs_name_and_id(args: dict[str, str]) -> None:
    assert Bench({"poids": POIDS}).call(action="edit", **args) == (
        "[erreur] name et id sont requis pour modifier un point"
    )


@pytest.mark.parametrize("action", ["edit", "delete"])
def test_a_point_that_is_not_there_cannot_change(action: str) -> None:
    bench = Bench({"poids": POIDS})
    assert bench.call(action=action, name="taille", id="a", when="demain") == "[erreur] tracker introuvable"
    assert bench.call(action=action, name="poids", id="z", when="demain") == "[erreur] événement introuvable"
    assert bench.call(action=action, name="poids", id="A") == "[erreur] événement introuvable"
    assert bench.after() == {"poids": POIDS}


def test_an_edit_changes_what_is_given_and_sorts() -> None:
    bench = Bench({"poids": POIDS})
    assert bench.call(action="edit", name=" POIDS ", id=" a ", when="2026-02") == "[ok] point a de « POIDS » modifié."
    assert bench.call(action="edit", name="poids", id="b", text="78 kg") == "[ok] point b de « poids » modifié."
    assert (
        bench.call(action="edit", name="poids", id="c", when="now", text="  ") == "[ok] point c de « poids » modifié."
    )
    assert bench.after()["poids"].events == (
        TrackerEvent("b", 1767312000000, "78 kg", date_only=True),
        TrackerEvent("a", 1769904000000, "78,9 kg", date_only=True),
        TrackerEvent("c", 1792145440040, "77,9 kg"),
    )


def test_an_edit_of_nothing_is_a_success_and_sorts() -> None:
    bench = Bench({"t": tracker_of(2, 1)})
    assert bench.call(action="edit", name="t", id="1") == "[ok] point 1 de « t » modifié."
    assert [event.ts for event in bench.after()["t"].events] == [1, 2]


def test_an_edit_with_a_bad_date_leaves_the_tracker_as_it_was() -> None:
    bench = Bench({"t": tracker_of(2, 1)})
    assert bench.call(action="edit", name="t", id="0", text="y", when="demain") == (
        '[erreur] date non comprise : "demain" (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)'
    )
    assert bench.after() == {"t": tracker_of(2, 1)}


def test_an_edit_changes_only_the_first_event_of_an_id() -> None:
    twins = Tracker("t", (TrackerEvent("1", 1, "x"), TrackerEvent("1", 2, "x")))
    bench = Bench({"t": twins})
    bench.call(action="edit", name="t", id=1.0, text="y")
    assert bench.after()["t"].events == (TrackerEvent("1", 1, "y"), TrackerEvent("1", 2, "x"))


# --- delete ---


def test_a_deletion_needs_a_name_then_an_id() -> None:
    bench = Bench({"poids": POIDS})
    assert bench.call(action="delete") == "[erreur] name requis"
    assert bench.call(action="delete", id="a") == "[erreur] name requis"
    assert bench.call(action="delete", name="poids") == (
        "[erreur] id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil"
    )
    assert bench.call(action="delete", name="taille") == (
        "[erreur] id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil"
    )


def test_every_event_of_an_id_goes_and_the_rest_is_sorted() -> None:
    stored = Tracker(
        "t",
        (TrackerEvent("1", 9, "x"), TrackerEvent("2", 8, "x"), TrackerEvent("1", 7, "x"), TrackerEvent("3", 6, "x")),
    )
    bench = Bench({"t": stored})
    assert bench.call(action="delete", name="T", id="1") == "[ok] point 1 de « T » supprimé."
    assert bench.after() == {"t": Tracker("t", (TrackerEvent("3", 6, "x"), TrackerEvent("2", 8, "x")))}


def test_a_tracker_without_points_stays() -> None:
    bench = Bench({"t": tracker_of(0)})
    bench.call(action="delete", name="t", id="0")
    assert bench.after() == {"t": Tracker("t")}
    assert bench.call(name="T", when="2026") == "Tracker « t » : vide pour l'instant."


# --- the overview ---


def test_the_latest_last_point_comes_first_an_empty_tracker_counts_as_1970_equals_in_key_order() -> None:
    trackers = {
        "b": tracker_of(2, name="B"),
        "a": tracker_of(2, name="A"),
        "old": tracker_of(5, -1, name="Old"),
        "none": Tracker("None"),
        "zero": tracker_of(0, name="Zero"),
        "new": tracker_of(1, 9, name="New"),
    }
    lines = Bench(trackers).call(when="1999").split("\n")
    assert lines[0] == "Trackers du projet (6) :"
    assert [line.split(" ")[1] for line in lines[1:-1]] == ["New", "A", "B", "None", "Zero", "Old"]
    assert lines[-1] == ZOOM


def test_the_overview_tells_first_and_last_as_stored_and_says_nothing_of_an_empty_tracker() -> None:
    trackers = {"t": Tracker("T\nU", tracker_of(1792145440040, 1767225540000).events), "v": Tracker("")}
    assert Bench(trackers, zone="Pacific/Apia").call() == (
        "Trackers du projet (2) :\n- T\nU — 2 points, du 2026-10-16 au 2026-01-01\n- \n" + ZOOM
    )


# --- one tracker ---


def test_a_tracker_is_named_as_stored_where_it_is_shown_and_as_asked_where_it_is_not() -> None:
    bench = Bench({"poids": POIDS})
    assert bench.call(name=" POIDS ", when="1999") == "Tracker « Poids » : rien en 1999."
    assert bench.call(name=" TAILLE ") == (
        "[aucun tracker « TAILLE »] Appelle tracker() sans argument pour la liste, "
        'ou ajoute un point avec action:"add".'
    )


def test_the_skeleton_leaves_this_year_out_when_it_has_no_point() -> None:
    bench = Bench({"poids": POIDS}, now=1823681440040007123)  # 2027-10-16
    assert bench.call(name="poids", when=" ") == (
        "Tracker « Poids » — 3 points, du 2025-12-31 au 2026-10-16\nAnnées : 2025 (1) · 2026 (2)\n"
        'Zoom : tracker(name:"Poids", when:"2025") pour une année · when:"2027-07" pour un mois.'
    )


def test_years_and_months_are_those_of_local_time() -> None:
    bench = Bench({"poids": POIDS}, zone="Pacific/Apia", now=1798750800000_000_000)  # 2026-12-31T21:00Z, 2027 in Apia
    assert bench.call(name="poids").split("\n")[1:] == [
        "Années : 2026 (3)",
        'Zoom : tracker(name:"Poids", when:"2025") pour une année · when:"2027-07" pour un mois.',
    ]
    assert bench.call(name="poids", when="2026").split("\n")[1] == "2026-01 (2) · 2026-10 (1)"


def test_years_are_sorted_as_text_and_this_year_is_a_start_of_text() -> None:
    # 2026-01-01, the year 20261, the year -1, the year 0, all UTC
    moments = (1767225600000, 577209369600000, -62167219200001, -62167219200000)
    assert Bench({"t": tracker_of(*moments)}).call(name="t").split("\n") == [
        "Tracker « t » — 4 points, du 2026-01-01 au 0000-01-01",
        "Années : -0001 (1) · 0000 (1) · 2026 (1) · 20261 (1)",
        "2026 (année en cours) : 2026-01 (1) · 20261-01 (1)",
        'Zoom : tracker(name:"t", when:"2025") pour une année · when:"2026-07" pour un mois.',
    ]


def test_any_64_bits_of_milliseconds_are_shown() -> None:
    bench = Bench({"t": tracker_of(-(2**63), -(10**18), 2**63 - 1)}, zone="Europe/Paris")
    assert bench.call(name="t", when="-292275055-05") == (
        "Tracker « t » en -292275055-05 — 1 points :\n- [0] -292275055-05-16 16:56 — x\n" + CHANGE
    )
    assert bench.call(name="t").split("\n")[1] == "Années : -292275055 (1) · -31686769 (1) · 292278994 (1)"


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("2026T", "Tracker « Poids » : rien en 2026T."),
        (
            "202",
            (
                "Tracker « Poids » en 202 — 3 points :\n2025-12 (1) · 2026-01 (1) · 2026-10 (1)\n"
                'Zoom : when:"202-07" pour un mois.'
            ),
        ),
        (
            2026.0,
            'Tracker « Poids » en 2026 — 2 points :\n2026-01 (1) · 2026-10 (1)\nZoom : when:"2026-07" pour un mois.',
        ),
        ("now", "Tracker « Poids » : rien en now."),
        (
            "2\n",
            (
                "Tracker « Poids » en 2 — 3 points :\n2025-12 (1) · 2026-01 (1) · 2026-10 (1)\n"
                'Zoom : when:"2-07" pour un mois.'
            ),
        ),
    ],
)
def test_a_year_is_shown_by_months(when: object, expected: str) -> None:
    assert Bench({"poids": POIDS}).call(name="poids", when=when) == expected


@pytest.mark.parametrize(
    ("when", "lines"),
    [
        ("2026-1", ["- [c] 2026-10-16 10:10 — 77,9 kg"]),
        ("2026-01", ["- [b] 2026-01-02 — 78,2 kg"]),
        ("2026-", ["- [b] 2026-01-02 — 78,2 kg", "- [c] 2026-10-16 10:10 — 77,9 kg"]),
        ("2026-10-16", ["- [c] 2026-10-16 10:10 — 77,9 kg"]),
        ("2026-10-16T10", ["- [c] 2026-10-16 10:10 — 77,9 kg"]),
        ("2026-10-16 10:10", ["- [c] 2026-10-16 10:10 — 77,9 kg"]),
        ("2026-10-16 10:10:40", []),
        ("2026-10-16  10", []),
        ("2026-01-02T00:00", ["- [b] 2026-01-02 — 78,2 kg"]),
        ("2026-01-02T", ["- [b] 2026-01-02 — 78,2 kg"]),
        ("2026-01-02-03", []),
        ("la semaine dernière", []),
        ("-", []),
    ],
)
def test_points_are_shown_whose_minute_starts_with_when_none_as_well(when: str, lines: list[str]) -> None:
    assert Bench({"poids": POIDS}).call(name="poids", when=when).split("\n") == [
        f"Tracker « Poids » en {when} — {len(lines)} points :",
        *lines,
        CHANGE,
    ]


def test_sixty_points_are_all_shown() -> None:
    text = Bench({"t": tracker_of(*range(60))}).call(name="t", when="1970-01")
    assert text.startswith("Tracker « t » en 1970-01 — 60 points :\n- [0] ")
    assert text.count("\n- [") == 60


def test_of_more_than_sixty_points_the_last_as_stored_are_shown() -> None:
    lines = Bench({"t": tracker_of(*range(61, 0, -1))}).call(name="t", when="1970-01").split("\n")
    assert lines[0] == (
        "Tracker « t » en 1970-01 — 61 points (les 60 plus récents ; affine le when pour les plus anciens) :"
    )
    assert lines[1:-1] == [f"- [{index}] 1970-01-01 00:00 — x" for index in range(1, 61)]


def test_what_a_person_wrote_is_shown_as_it_stands() -> None:
    stored = Tracker("{name}\n%s", (TrackerEvent("{id}", 0, "a\nb {text} \ufffd"),))
    assert Bench({"t": stored}).call(name="t", when="1970-01-01") == (
        "Tracker « {name}\n%s » en 1970-01-01 — 1 points :\n- [{id}] 1970-01-01 00:00 — a\nb {text} \ufffd\n" + CHANGE
    )


def test_reading_sorts_nothing_and_writes_nothing() -> None:
    bench = Bench({"t": tracker_of(2, 1)})
    for when in ("", "1970", "1970-01", "1970-01-01"):
        bench.call(name="t", when=when)
    assert bench.after() == {"t": tracker_of(2, 1)}


# --- a memory under lock, a memory held by another ---


def test_a_write_that_is_refused_says_why_and_changes_nothing() -> None:
    memory = memory_of({"poids": POIDS}, Settings(config={"MEM_ENCRYPTED": "1"}, dek=bytes(32), locked=True))
    env = Env(GO_1_25, NOW, memory=memory)
    refused = "[erreur] valeur chiffrée, mémoire verrouillée"
    assert tracker({"action": "add", "name": "coffre", "text": "fermé"}, env).result == refused
    assert tracker({"action": "edit", "name": "poids", "id": "a", "text": "x"}, env).result == refused
    assert tracker({"action": "delete", "name": "poids", "id": "a"}, env).result == refused
    assert memory.trackers.all() == {"poids": POIDS}


class Busy(RamMemory):
    def exclusive(self) -> AbstractContextManager[None]:
        text = "mémoire occupée"
        raise WriteRefused(text, system=True)


@pytest.mark.parametrize(
    "args",
    [
        {"action": "add", "name": "n", "text": "x"},
        {"action": "edit", "name": "n", "id": "1"},
        {"action": "delete", "name": "n", "id": "1"},
    ],
)
def test_a_memory_that_another_holds_refuses_the_write(args: dict[str, str]) -> None:
    env = Env(GO_1_25, NOW, memory=Busy(Settings(), nonces=lambda: bytes(12)))
    answer = tracker(args, env)
    assert answer.result == "[erreur] mémoire occupée"
    assert answer.system_error


def test_an_environment_without_memory_is_the_callers_fault() -> None:
    with pytest.raises(LookupError):
        tracker({}, Env(GO_1_25))
