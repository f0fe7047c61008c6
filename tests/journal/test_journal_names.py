"""Journals of no header, with French or other keys, are the same journals."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from replay.journal import Journal, JournalError, aliases, load, loads
from replay.journal.aliases import Names
from replay.journal.model import MEMORY, RECALL, Place

RECALL_JSON = Path(__file__).parents[2] / "logs" / "recall.json"

HEADER = ("format", "kind", "go", "about")

# The names that the contract lists (journal.md, Shape); the first column is the proper one.
OF_THE_CONTRACT = {
    "blocks": ["blocs"],
    "steps": ["appels", "etapes", "étapes", "calls"],
    "tool": ["outil", "name", "nom"],
    "args": ["arguments"],
    "result": ["resultat", "résultat"],
    "label": ["libelle", "libellé"],
    "files": ["fichiers"],
    "trackers": ["suivis"],
    "now": ["heure", "maintenant"],
}

FRENCH = {
    "blocks": "blocs",
    "steps": "appels",
    "tool": "outil",
    "args": "arguments",
    "result": "résultat",
    "note": "remarque",
}
OTHER = {"blocks": "Blocs", "steps": "calls", "tool": "name", "args": "Args", "result": "RESULTAT", "note": "comment"}
ACCENTED = FRENCH | {"steps": "étapes"}
DECOMPOSED = {name: unicodedata.normalize("NFD", key) for name, key in ACCENTED.items()}
PROPER: dict[str, str] = {}


def renamed(raw: Any, names: dict[str, str]) -> bytes:  # noqa: ANN401 - a JSON value
    """The journal without its header, the keys of the top level and of the steps under other names."""
    top = {names.get(key, key): value for key, value in raw.items() if key not in HEADER}
    steps = names.get("steps", "steps")
    top[steps] = [{names.get(key, key): value for key, value in step.items()} for step in top[steps]]
    return json.dumps(top, ensure_ascii=False).encode()


def without_places(journal: Journal) -> Journal:
    """A journal without what depends on where things stand, and how they are called, in the file."""
    steps = tuple(
        replace(step, at=Place("", "", 0), raw_args=json.dumps(json.loads(step.raw_args)).encode())
        for step in journal.steps
    )
    return replace(journal, file="", sha256="", about="", notes=(), steps=steps)


@pytest.mark.parametrize(
    ("names", "path"),
    [
        (PROPER, "steps[3]"),
        (FRENCH, "appels[3]"),
        (OTHER, "calls[3]"),
        (ACCENTED, "étapes[3]"),
        (DECOMPOSED, '["e\u0301tapes"][3]'),
    ],
)
def test_a_journal_without_header_and_with_other_keys_loads_as_the_same(names: dict[str, str], path: str) -> None:
    journal = load(RECALL_JSON)
    other = loads(renamed(json.loads(RECALL_JSON.read_bytes()), names), "b.json")
    assert without_places(other) == without_places(journal)
    assert other.steps[3].at.path == path


def test_what_was_inferred_is_noted() -> None:
    journal = loads(renamed(json.loads(RECALL_JSON.read_bytes()), FRENCH), "b.json")
    assert journal.notes == (
        'no kind is named: recall, as "blocks" tells',
        '"blocs" is read as "blocks"',
        '"appels" is read as "steps"',
        '"arguments" is read as "args"',
        '"remarque" is read as "note"',
        '"résultat" is read as "result"',
        '"outil" is read as "tool"',
    )


@pytest.mark.parametrize(("name", "other"), [(name, one) for name, others in OF_THE_CONTRACT.items() for one in others])
def test_every_other_name_of_the_contract_is_known(name: str, other: str) -> None:
    table = aliases.TOP if name in {"blocks", "steps"} else aliases.STEP
    assert table.canonical(other) == name


@pytest.mark.parametrize("names", [one for one in vars(aliases).values() if isinstance(one, Names)])
def test_no_name_means_two_keys_of_one_object(names: Names) -> None:
    every = [one for key, others in names.table.items() for one in (key, *others)]
    assert len(set(every)) == len(every)
    for key, others in names.table.items():
        assert {names.canonical(form) for one in (key, *others) for form in (one, one.upper())} == {key}


def test_blocks_trackers_and_diffs_take_other_names_too() -> None:
    memory = """{"projet": {"slug": "x", "nom": "X"}, "horloge": {"fuseau": "Europe/Paris"}, "verrouillé": true,
      "réglages": {"nom": "libre"}, "état_initial": {"fichiers": {"fichiers": "libre"}, "suivis": {}},
      "étapes": [{"nom": "tracker", "résultat": "", "différences": [{"op": "+", "texte": "t"}],
        "suivis": {"x/nom": {"nom": "N", "événements": [
          {"id": "1", "horodatage": 2, "texte": "t", "dateOnly": true}]}}}]}"""
    journal = loads(memory.encode(), "a.json")
    assert (journal.kind, journal.zone) == (MEMORY, "Europe/Paris")
    assert journal.settings is not None
    assert (journal.settings.project_name, journal.settings.config) == ("X", {"nom": "libre"})
    assert journal.settings.locked
    assert journal.initial is not None
    assert journal.initial.files == {"fichiers": b"libre"}
    expected = journal.steps[0].expected
    assert [line.text for line in expected.diff or ()] == ["t"]
    assert expected.trackers is not None
    [event] = expected.trackers["x/nom"].events
    assert (event.ts, event.text, event.date_only) == (2, "t", True)
    blocks = '{"blocs": [{"id": "r7", "seq": 7, "libellé": "l", "contenu": "c", "créé": 9}],'
    steps = '"calls": [{"tool": "recall", "result": ""}]}'
    [block] = loads((blocks + steps).encode(), "a.json").blocks
    assert (block.label, block.content, block.created, block.role) == ("l", "c", 9, "")


def test_other_names_are_never_taken_inside_args() -> None:
    text = '{"blocs": [], "appels": [{"outil": "recall", "result": "", "args": {"outil": 1, "args": 2, "appels": 3}}]}'
    [step] = loads(text.encode(), "a.json").steps
    assert step.raw_args == b'{"outil": 1, "args": 2, "appels": 3}'


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ('{"blocks": [], "steps": [{"tool": "recall", "result": ""}]}', RECALL, '"blocks"'),
        ('{"initial": null, "steps": [{"tool": "mem_read", "result": ""}]}', MEMORY, '"initial"'),
        ('{"dek": "", "steps": [{"tool": "mem_read", "result": ""}]}', MEMORY, '"dek"'),
        ('{"steps": [{"tool": "mem_read", "result": "", "files": null}]}', MEMORY, '"files"'),
        ('{"steps": [{"tool": "mem_read", "result": "", "trackers": {}}]}', MEMORY, '"trackers"'),
        ('{"steps": [{"tool": "tracker", "result": ""}]}', MEMORY, '"tracker"'),
        ('{"kind": "memory", "steps": [{"tool": "tracker", "result": ""}]}', MEMORY, None),
    ],
)
def test_the_kind_is_told_by_the_shape(text: str, kind: str, why: str | None) -> None:
    journal = loads(text.encode(), "a.json")
    assert journal.kind == kind
    assert journal.notes == (() if why is None else (f"no kind is named: {kind}, as {why} tells",))


def test_a_very_long_unknown_key_has_no_nearest() -> None:
    with pytest.raises(JournalError) as caught:
        loads(b'{"' + b"steps" * 100_000 + b'": 1}', "a.json")
    assert caught.value.expected.startswith("a key of a journal (format, ")
    assert len(str(caught.value)) < 500
