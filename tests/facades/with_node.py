"""A façade in JavaScript, right and with each mistake that JavaScript invites: the judge names every one of them.

Needs Node 20 or later; ``nox -s node`` runs it.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from real_command import DIVERGED, MATCH, PROJECT, loki_parity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real_command import Ran

HERE: Final = Path(__file__).parent
FACADE: Final = HERE / "recall.js"
JOURNALS: Final = {"recall": "logs/recall.json", "calls": "tests/facades/journals/calls.json"}
MISTAKES: Final[dict[str, dict[str, Any]]] = tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))


def judged(tmp_path: Path, *options: str) -> tuple[Ran, list[dict[str, Any]]]:
    """A run over both journals, and the steps that are no match."""
    report = tmp_path / "run.jsonl"
    ran = loki_parity("run", *JOURNALS.values(), *options, "--report-json", str(report), cwd=PROJECT)
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").split("\n") if line]
    return ran, [line for line in lines if line["type"] == "step" and line["outcome"] != "match"]


def program(mistake: str = "") -> str:
    return f"cmd:node tests/facades/recall.js pipe {mistake}".rstrip()


@contextmanager
def over_http(mistake: str = "") -> Iterator[tuple[str, ...]]:
    """The options that judge it over HTTP, reading from the judge's own fake Go."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        go = free.getsockname()[1]
    words = ["node", str(FACADE), "http", "0", f"http://127.0.0.1:{go}", *mistake.split()]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        try:
            assert process.stdout is not None
            yield "--candidate", process.stdout.readline().strip(), "--go-port", str(go)
        finally:
            process.kill()


def short(point: str) -> str:
    return point.split(" ", 1)[0] if point.startswith("U+") else point


def steps(differing: list[dict[str, Any]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name, journal in JOURNALS.items():
        numbers = [int(line["step"]) for line in differing if line["journal"] == journal]
        found |= {name: numbers} if numbers else {}
    return found


def named(mistake: str, differing: list[dict[str, Any]]) -> None:
    """Every step that the mistake changes and no other, and the very character."""
    expected = dict(MISTAKES[mistake])
    field, rune, recorded, given = expected.pop("first")
    assert steps(differing) == expected
    first = differing[0]["differences"][0]
    place = first["place"]
    assert first["field"] == field
    assert (place["rune"], short(place["recorded"]), short(place["candidate"])) == (rune, recorded, given)


def test_the_table_holds_every_mistake_of_the_facade() -> None:
    listed = re.search(r"const MISTAKES = \[(.*?)\];", FACADE.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    assert sorted(re.findall(r'"([a-z0-9-]+)"', listed[1])) == sorted(MISTAKES)


def test_without_a_mistake_the_program_matches_and_its_reads_are_judged(tmp_path: Path) -> None:
    ran, differing = judged(tmp_path, "--candidate", program())
    assert (ran.status, differing) == (MATCH, [])
    assert "requests 41" in ran.out
    assert "not judged" not in ran.out


def test_without_a_mistake_the_server_matches_and_its_reads_are_judged(tmp_path: Path) -> None:
    with over_http() as options:
        ran, differing = judged(tmp_path, *options)
    assert (ran.status, differing) == (MATCH, [])
    assert "requests 41" in ran.out


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_program_is_named(mistake: str, tmp_path: Path) -> None:
    ran, differing = judged(tmp_path, "--candidate", program(mistake), "--mode", "isolated")
    assert ran.status == DIVERGED
    named(mistake, differing)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_server_is_named(mistake: str, tmp_path: Path) -> None:
    with over_http(mistake) as options:
        ran, differing = judged(tmp_path, *options, "--mode", "isolated")
    assert ran.status == DIVERGED
    named(mistake, differing)


def test_three_at_once_stand_side_by_side(tmp_path: Path) -> None:
    candidates = ("--candidate", program(), "--candidate", program("trim"), "--candidate", program("number-seq"))
    ran, differing = judged(tmp_path, *candidates, "--mode", "isolated")
    assert ran.status == DIVERGED
    assert re.search(r"3 recall isolated +match +result rune 1: U\+0065 → U\+0072 +match\n", ran.out)
    assert re.search(r"17 recall_search isolated +match +match +result rune 68: U\+0033 → U\+0032\n", ran.out)
    assert ran.out.endswith("verdict    DIVERGED: A MATCH, B DIVERGED, C DIVERGED\n")
    assert {line["candidate"] for line in differing} == {program("trim"), program("number-seq")}
