"""``python -m replay`` is the command: it exits as the command does."""

from __future__ import annotations

import importlib
import runpy
import sys

import pytest
from real_command import BAD_INPUT, LOGS, MATCH, PROJECT


def as_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr(sys, "argv", ["replay", *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(PROJECT / "replay" / "__main__.py"), run_name="__main__")
    return ended.value.code


def test_the_module_exits_with_the_status_of_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert as_main(monkeypatch, "show", str(LOGS / "recall.json"), "--tool", "recall") == MATCH
    assert "id absent" in capsys.readouterr().out
    assert as_main(monkeypatch, "show", "nowhere.json") == BAD_INPUT
    assert capsys.readouterr().err.startswith("loki-parity: nowhere.json")


def test_who_imports_the_module_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("replay.__main__")
    assert capsys.readouterr() == ("", "")
