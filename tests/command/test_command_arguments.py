"""What can be typed wrong: one sentence on standard error, and no traceback."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, LOGS, MATCH, NOT_JUDGED, PROJECT, loki_parity

if TYPE_CHECKING:
    from pathlib import Path

WRONG: Final = {
    "no verb": ([], "loki-parity: the following arguments are required: VERB"),
    "unknown verb": (["frob"], "loki-parity: argument VERB: invalid choice: 'frob'"),
    "unknown option": (["run", "--frob"], "loki-parity: unrecognized arguments: --frob"),
    "escape in an option": (["run", "--\x1b[31m"], "loki-parity: unrecognized arguments: --\\x1b[31m"),
    "unknown mode": (
        ["run", "--mode", "sideways"],
        "loki-parity run: argument --mode: invalid choice: 'sideways' (choose from 'isolated', 'chained')",
    ),
    "unknown transport": (["run", "--transport", "pigeon"], "loki-parity run: argument --transport: invalid choice"),
    "unknown candidate": (
        ["run", "--candidate", "prot"],
        "loki-parity run: argument --candidate: 'prot' is no candidate",
    ),
    "no step": (["run", "--step", "x"], "loki-parity run: argument --step: 'x' is not a step (12), a range (10-20)"),
    "negative step": (["run", "--step=-3"], "loki-parity run: argument --step: '-3' is not a step"),
    "step of other digits": (["run", "--step", "１"], "loki-parity run: argument --step: '１' is not a step"),
    "step of too many digits": (["run", "--step", "9" * 5000], "loki-parity run: argument --step: '999"),
    "reversed range": (["run", "--step", "20-10"], "loki-parity run: argument --step: '20-10' ends before it begins"),
    "value missing": (["run", "--step"], "loki-parity run: argument --step: expected one argument"),
    "unknown colour": (["run", "--color", "red"], "loki-parity run: argument --color: invalid choice: 'red'"),
    "serve without a file": (["serve"], "loki-parity serve: the following arguments are required: FILE"),
    "serve on no port": (
        ["serve", "x", "--port", "70000"],
        "loki-parity serve: argument --port: '70000' is not a port",
    ),
    "serve on a negative port": (["serve", "x", "--port=-1"], "loki-parity serve: argument --port: '-1' is not"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments_are_one_sentence(what: str, tmp_path: Path) -> None:
    arguments, sentence = WRONG[what]
    ran = loki_parity(*arguments, cwd=tmp_path)
    assert (ran.status, ran.out) == (BAD_INPUT, "")
    assert ran.err.startswith(sentence)
    assert ran.err.endswith("--help)\n")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["serve", "--help"]], ids=" ".join)
def test_help_and_version_are_answers(arguments: list[str], tmp_path: Path) -> None:
    ran = loki_parity(*arguments, cwd=tmp_path)
    assert (ran.status, ran.err) == (MATCH, "")
    assert ran.out.startswith("usage: loki-parity")


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    ran = loki_parity("--version", cwd=tmp_path)
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert (ran.status, ran.out) == (MATCH, f"loki-parity {version}\n")


def test_no_pyproject_and_no_path_leave_nothing_to_judge(tmp_path: Path) -> None:
    ran = loki_parity("run", cwd=tmp_path)
    assert (ran.status, ran.out) == (NOT_JUDGED, "")
    assert ran.err == (
        "loki-parity: no pyproject.toml with [tool.loki-parity] here or above: name the journals to judge\n"
    )


PYPROJECTS: Final = {
    b"[tool.loki-parity\n": "pyproject.toml cannot be read: ",
    b"\xff": "pyproject.toml cannot be read: 'utf-8' codec can't decode byte 0xff in position 0",
    b"tool.loki-parity = 3\n": "pyproject.toml: [tool.loki-parity] is not a table",
    b"[tool.loki-parity]\n": "pyproject.toml: tool.loki-parity.journals must be a list of paths, and not empty",
    b"[tool.loki-parity]\njournal = []\n": "pyproject.toml: tool.loki-parity has no key 'journal'; it has journals and",
    b'[tool.loki-parity]\njournals = ["a.json"]\n': "pyproject.toml: tool.loki-parity.floors must be a table",
    b'[tool.loki-parity]\njournals = ["a.json"]\nfloors = { journals = 0, steps = 1 }\n': (
        "pyproject.toml: tool.loki-parity.floors.journals must be a whole number above 0"
    ),
    b'[tool.loki-parity]\njournals = ["a.json"]\nfloors = { journals = 1, stpes = 1 }\n': (
        "pyproject.toml: tool.loki-parity.floors has no key 'stpes'; it has journals and steps"
    ),
}


@pytest.mark.parametrize("content", PYPROJECTS)
def test_a_pyproject_that_cannot_be_used_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(content)
    ran = loki_parity("run", cwd=tmp_path)
    assert (ran.status, ran.out) == (NOT_JUDGED, "")
    assert ran.err.startswith(f"loki-parity: {PYPROJECTS[content]}")
    assert ran.err.count("\n") == 1


def test_a_folder_in_the_place_of_pyproject_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    ran = loki_parity("run", cwd=tmp_path)
    assert (ran.status, ran.err) == (NOT_JUDGED, "loki-parity: pyproject.toml cannot be read: Is a directory\n")


def configured(folder: Path, journals: str, floors: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.loki-parity]\njournals = {journals}\nfloors = {floors}\n")


def test_a_floor_that_is_not_reached_is_not_a_green(tmp_path: Path) -> None:
    configured(tmp_path, '["logs"]', "{ journals = 2, steps = 5 }")
    (tmp_path / "logs").mkdir()
    small_journals.write(tmp_path / "logs", small_journals.recall(small_journals.right(), small_journals.unread()))
    ran = loki_parity("run", "--transport", "memory", cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert ran.out.splitlines()[-4:] == [
        "judged     1 journal (floor 2), 2 steps (floor 5)",
        "problem    1 journal was judged, fewer than the floor of 2",
        "problem    2 steps were judged, fewer than the floor of 5",
        "verdict    NOT JUDGED: nothing diverged, but not everything could be judged",
    ]


STATE: Final[dict[str, Any]] = {"files": {}, "trackers": {}}
LEAST: Final = "\nleast-compared = { result = 2, label = 2, files = 2, trackers = 2 }"
UNREAD: Final = small_journals.step("mem_read", {}, "[erreur] page '' introuvable", label="", **STATE)


def stripped(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in UNREAD.items() if key not in keys}


@pytest.mark.parametrize(
    ("second", "lacking"),
    [
        (UNREAD, []),
        (stripped("files"), ["files"]),
        (stripped("trackers", "label"), ["label", "trackers"]),
    ],
)
def test_a_journal_that_was_stripped_of_a_field_is_not_a_green_where_the_field_has_a_floor(
    second: dict[str, Any], lacking: list[str], tmp_path: Path
) -> None:
    configured(tmp_path, '["journal.json"]', "{ journals = 1, steps = 2 }" + LEAST)
    small_journals.write(tmp_path, small_journals.memory(UNREAD, second))
    ran = loki_parity("run", "--transport", "memory", cwd=tmp_path)
    assert ran.status == (NOT_JUDGED if lacking else MATCH), ran.out
    assert [line for line in ran.out.splitlines() if line.startswith("problem")] == [
        f"problem    {field} was compared in 1 step that Go recorded, fewer than the floor of 2" for field in lacking
    ]
    note = "  NOTE      state not recorded in 1 of 2 steps: what these steps leave behind was not compared"
    assert (note in ran.out.splitlines()) is bool(lacking)


def test_what_a_model_wrote_does_not_fill_in_for_what_go_recorded(tmp_path: Path) -> None:
    configured(tmp_path, '["journal.json", "other.json"]', "{ journals = 1, steps = 1 }" + LEAST)
    small_journals.write(tmp_path, small_journals.memory(UNREAD))
    small_journals.write(tmp_path, small_journals.memory(UNREAD, source="model"), "other.json")
    ran = loki_parity("run", "--transport", "memory", cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert ran.out.count("was compared in 1 step that Go recorded, fewer than the floor of 2") == 4


def test_a_divergence_below_the_floor_is_still_a_divergence(tmp_path: Path) -> None:
    configured(tmp_path, '["journal.json"]', "{ journals = 1, steps = 5 }")
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong()))
    assert loki_parity("run", "--transport", "memory", cwd=tmp_path).status == DIVERGED


def test_a_configured_journal_that_is_missing_and_a_configured_folder_without_any(tmp_path: Path) -> None:
    configured(tmp_path, '["journal.json"]', "{ journals = 1, steps = 1 }")
    ran = loki_parity("run", cwd=tmp_path)
    assert (ran.status, ran.out.splitlines()[0]) == (
        BAD_INPUT,
        "journal.json: found no such file, expected a journal (a JSON object in UTF-8)",
    )
    (tmp_path / "journal.json").mkdir()
    assert loki_parity("run", cwd=tmp_path).status == NOT_JUDGED


def test_the_nearest_pyproject_with_the_table_is_the_one(tmp_path: Path) -> None:
    configured(tmp_path, '["journal.json"]', "{ journals = 1, steps = 1 }")
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    ran = loki_parity("run", "--transport", "memory", cwd=below)
    assert ran.status == MATCH
    assert ran.out.startswith("journal.json  recall · ")


def test_a_working_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    # The process itself removes the folder that it stands in.
    code = "import os, sys; os.rmdir(os.getcwd()); from replay.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = loki_parity("run", cwd=gone, code=code)
    assert (ran.status, ran.err) == (
        NOT_JUDGED,
        "loki-parity: the working folder cannot be used: No such file or directory\n",
    )
    gone.mkdir()
    assert loki_parity("run", "--transport", "memory", str(LOGS / "recall.json"), cwd=gone, code=code).status == MATCH
