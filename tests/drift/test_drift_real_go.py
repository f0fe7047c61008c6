"""Real Go beside a drift: one that agrees, one that lies, one that is not there, one that dies."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pretended_go
import pytest
import small_journals
from stand_in_oracle import StandIn

from parity.gostd import strconv, strings
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget, parse
from replay.drift import real_go
from replay.drift.real_go import beside
from replay.drift.versions import version_drift
from replay.journal import load
from replay.oracle.errors import NoGoError, OracleDiedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from replay.drift.versions import VersionDrift
    from replay.journal.model import Journal
    from replay.oracle.client import Question

QUOTED = small_journals.step("recall", {"id": "r\u1c89"}, "x", note="tje")


def agreeing(question: Question, target: GoTarget) -> Any:  # noqa: ANN401 - an answer
    """What real Go of a target says: held against its own tables in tests/gostd."""
    if question["q"] == "equal_fold":
        return strings.equal_fold(str(question["a"]), str(question["b"]), target)
    if question["q"] in {"to_lower", "quote", "fields"}:
        text = str(question["s"])
        return {
            "to_lower": strings.to_lower(text, target),
            "quote": strconv.quote(text, target),
            "fields": strings.fields(text),
        }[str(question["q"])]
    return executed(question, target)


def executed(question: Question, target: GoTarget) -> Any:  # noqa: ANN401 - as above
    """A model that knows one thing: an absent id is quoted as the target quotes it."""
    if question["q"] != "exec":
        return True
    quoted = strconv.quote("r\u1c89", target)
    text = (
        f"[erreur] bloc {quoted} introuvable — vérifie l'id, ou utilise recall_search pour le retrouver par mots-clés"
    )
    return {"result": text, "label": "r\u1c89", "diff": []}


class Pretended:
    """Stands for ``oracle`` in the modules under test: an oracle per version, each answering by a function."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers

    @contextmanager
    def __call__(self, version: str, **_: object) -> Iterator[object]:
        answer = self.answers.get(version, agreeing)
        if isinstance(answer, Exception):
            raise answer
        target = parse(version)
        yield StandIn(lambda question: answer(question, target), target.version).oracle


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return load(small_journals.write(tmp_path, small_journals.recall(QUOTED)), file_name="j.json")


@pytest.fixture
def drift(journal: Journal) -> VersionDrift:
    return version_drift(GO_1_25, GO_1_27, [journal])


POINTS = [*range(0x2000), *range(0x10D40, 0x10D90)]
"""Enough code points for a sweep that is quick: a part of those that moved, and many that did not."""


def pretend(monkeypatch: pytest.MonkeyPatch, **answers: Any) -> None:  # noqa: ANN401 - functions and errors
    pretended = Pretended({version.replace("_", "."): answer for version, answer in answers.items()})
    monkeypatch.setattr(real_go, "oracle", pretended)
    monkeypatch.setattr("replay.candidates.go.oracle", pretended)
    monkeypatch.setattr(real_go, "characters", lambda: iter(POINTS))


def test_two_that_agree_say_so(journal: Journal, drift: VersionDrift, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch)
    found = beside(drift, [journal], (), None)
    assert [(one.version, one.asked, one.disagreements, one.missing) for one in found.sweeps] == [
        ("go1.25.5", len(POINTS), (), ""),
        ("go1.27.3", len(POINTS), (), ""),
    ]
    assert (found.steps_agree, found.agrees) == (True, True)


def test_one_that_lowers_a_letter_otherwise_is_caught_at_that_letter(
    journal: Journal, drift: VersionDrift, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lying(question: Question, target: GoTarget) -> Any:  # noqa: ANN401 - an answer
        said = agreeing(question, target)
        return str(said).replace("\u1c8a", "\u1c89") if question["q"] == "to_lower" else said

    pretend(monkeypatch, **{"1_27_3": lying})
    found = beside(drift, [journal], (), None)
    # the small letter is not lowered to itself either: two code points
    assert found.sweeps[1].disagreements == (
        'to_lower of U+1C89 CYRILLIC CAPITAL LETTER TJE: Go "\u1c89", the port "\u1c8a"',
        'to_lower of U+1C8A CYRILLIC SMALL LETTER TJE: Go "\u1c89", the port "\u1c8a"',
    )
    assert found.sweeps[0].disagreements == ()
    assert not found.agrees


def test_one_that_folds_otherwise_is_caught_at_the_pair(
    journal: Journal, drift: VersionDrift, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lying(question: Question, target: GoTarget) -> Any:  # noqa: ANN401 - an answer
        return False if question["q"] == "equal_fold" and question["a"] == "\u0390" else agreeing(question, target)

    pretend(monkeypatch, **{"1_27_3": lying})
    (sentence,) = beside(drift, [journal], (), None).sweeps[1].disagreements
    assert sentence.startswith("equal_fold of U+0390 GREEK SMALL LETTER IOTA WITH DIALYTIKA AND TONOS and U+1FD3 ")
    assert sentence.endswith(": Go False")


def test_a_model_under_which_no_step_changes_is_caught(
    journal: Journal, drift: VersionDrift, monkeypatch: pytest.MonkeyPatch
) -> None:
    def still(question: Question, target: GoTarget) -> Any:  # noqa: ANN401 - an answer
        return executed(question, GO_1_25) if question["q"] == "exec" else agreeing(question, target)

    pretend(monkeypatch, **{"1_27_3": still})
    found = beside(drift, [journal], (), None)
    assert (found.steps_agree, found.agrees) == (False, False)


def test_without_one_of_them_the_other_is_asked_and_no_step_is_run(
    journal: Journal, drift: VersionDrift, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, **{"1_27_3": NoGoError("no Go 1.27.3 here")})
    found = beside(drift, [journal], (), None)
    assert [(one.asked, one.missing) for one in found.sweeps] == [(len(POINTS), ""), (0, "no Go 1.27.3 here")]
    assert (found.steps_agree, found.agrees) == (None, True)


def test_one_that_dies_is_raised(journal: Journal, drift: VersionDrift, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, **{"1_25_5": OracleDiedError("the oracle ended")})
    with pytest.raises(OracleDiedError, match="the oracle ended"):
        beside(drift, [journal], (), None)


def test_of_the_go_commands_that_were_named_each_version_takes_its_own(tmp_path: Path) -> None:
    old, new = (pretended_go.go(tmp_path, "    return 1", version) for version in ("go1.25.5", "go1.27.3"))
    assert real_go._named(GO_1_27, [old, new]) == new
    assert real_go._named(GO_1_25, [new, old]) == old
    assert real_go._named(GO_1_25, [new]) == new
    assert real_go._named(GO_1_25, []) is None
