"""A journal that is written is read again as the same values, and its arguments as the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from real_command import LOGS

from replay.journal import loads
from replay.written_journal import values, written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("file", sorted(LOGS.glob("*.json")), ids=lambda file: str(file.name))
def test_a_golden_journal_is_written_and_read_again_as_the_same_values(file: Path) -> None:
    raw = file.read_bytes()
    read = loads(raw, "a.json")
    again = loads(written(read), "b.json")
    assert values(again) == values(read)
    assert [step.raw_args for step in again.steps] == [step.raw_args for step in read.steps]
    assert written(again) == written(read)


TWICE: Final = (
    rb'{"steps":[{"tool":"recall","args":{"id":"\ud800","id":1e999,  "x":"'
    b"\xff"
    rb'"},"result":"a"}],"blocks":[]}'
)
FRENCH: Final = (
    rb'{"blocs":[{"id":"r18446744073709551615","seq":18446744073709551615,"libelle":"\ud83d\ude00","contenu":""}],'
    rb'"etapes":[{"outil":"recall","panique":"runtime error"}]}'
)
STATE: Final = (
    rb'{"kind":"memory","source":"model","about":"\u2028","config":{"\u0000":"x"},"steps":[{"tool":"tracker",'
    rb'"args":null,"result":"","label":"l","note":"n","now":"0000-01-01T00:00:00.000000001Z",'
    rb'"trackers":{"g/p":{"nom":"p","points":[{"id":"","ts":-9223372036854775808,"texte":"","jour_seul":true}]}}},'
    rb'{"tool":"mem_read","result":"","files":{"a":{"base64":"/w=="}},"diff":[{"op":"+","text":"\t"}]}]}'
)
IMAGES: Final = (
    rb'{"cases":[{"keep_turn_images":"","thread":"","conversation":"","vision":true,"messages":[{"n":1.0,"i":1,"e":1e2,'
    rb'"z":-0,"u":"\ud800"}],"steps":[{"step":{"op":"finish"},'
    rb'"after":{"messages":[{"n":1.0}],"extra":null,"active":false,"budget":1,"kept_tokens":0,"stopped":false,"on_trial":0,"requests":0}}]}]}'
)


@pytest.mark.parametrize("raw", [TWICE, FRENCH, STATE, IMAGES], ids=["twice", "french", "state", "images"])
def test_traps_are_written_as_they_are(raw: bytes) -> None:
    read = loads(raw, "a.json")
    again = loads(written(read), "b.json")
    assert values(again) == values(read)
    assert repr(values(again).cases) == repr(values(read).cases)  # 1 is not 1.0, 0 is not -0.0
    assert not again.notes
