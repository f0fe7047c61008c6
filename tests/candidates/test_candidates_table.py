"""A name after ``--candidate`` makes the candidate that it names, with the means that it was given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
import small_journals
from real_command import MATCH, NOT_JUDGED

from replay import cli
from replay.candidates.go import GoCandidate
from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.table import Means, made

if TYPE_CHECKING:
    from pathlib import Path


def test_the_facade_is_judged_under_its_own_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.unread()))
    assert cli.main(["run", str(journal), "--candidate", "facade"]) == MATCH
    assert "\ncandidate  facade" in capsys.readouterr().out


def test_a_version_of_go_makes_the_model_built_with_it(tmp_path: Path) -> None:
    candidate = made("go:1.25.5", Means(go=tmp_path / "go", cache=tmp_path))
    assert isinstance(candidate, GoCandidate)
    assert candidate.identity.name == "model go1.25.5"


def test_a_go_command_that_is_not_there_is_one_sentence_and_no_judgement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    status = cli.main(["run", str(journal), "--candidate", "go:1.25.5", "--go", str(tmp_path / "nowhere")])
    assert status == NOT_JUDGED
    out, err = capsys.readouterr()
    assert out == ""
    assert "nowhere" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "module"), [("port", "replay.candidates.port"), ("facade", "replay.candidates.facade")]
)
def test_a_port_that_cannot_be_loaded_is_one_sentence(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, cast("Any", None))
    with pytest.raises(CandidateNotReadyError, match=r"^the port cannot be loaded: ModuleNotFoundError: "):
        made(name, Means())
