"""Which journals a run judges, and what they are called."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from replay.configuration import Configuration, ConfigurationError, Policy, nearest, policy
from replay.sources import NoJournalError, Source, configured, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with journals in it and below."""
    for name in ("logs/b.json", "logs/a.json", "logs/Z.json", "logs/deep/c.json", "logs/.d.json", "logs/.git/e.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "logs" / "notes.txt").touch()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("tree")
def test_a_file_is_itself_and_a_folder_its_journals_sorted_by_bytes() -> None:
    assert named(["x.json"]) == [Source(Path("x.json"), "x.json")]
    assert [source.name for source in named(["logs/", "logs/a.json"])] == [
        "logs/Z.json",
        "logs/a.json",
        "logs/b.json",
        "logs/deep/c.json",
        "logs/a.json",
    ]
    assert next(source.path for source in named(["logs"])) == Path("logs/Z.json")


def test_an_absolute_path_is_called_as_from_here(tree: Path) -> None:
    assert named([str(tree / "logs" / "a.json")]) == [Source(tree / "logs" / "a.json", "logs/a.json")]
    assert named([str(tree.parent / "x.json")])[0].name == "../x.json"


def test_a_configured_path_is_called_as_it_is_written(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "empty")
    sources = configured(Configuration(tree, ("logs/a.json", "logs/deep"), 1, 1))
    assert sources == [
        Source(tree / "logs" / "a.json", "logs/a.json"),
        Source(tree / "logs" / "deep" / "c.json", "logs/deep/c.json"),
    ]


def test_a_folder_of_regressions_is_judged_too_once_it_holds_some(tree: Path) -> None:
    configuration = Configuration(tree, ("logs/a.json",), 1, 1, "empty")
    assert [source.name for source in configured(configuration)] == ["logs/a.json"]
    (tree / "empty" / "found.json").touch()
    assert [source.name for source in configured(configuration)] == ["logs/a.json", "empty/found.json"]


@pytest.mark.usefixtures("tree")
def test_a_folder_without_journals_is_an_error_that_names_it() -> None:
    with pytest.raises(NoJournalError, match=r"^empty: this folder holds no journal \(no \.json or \.jsonl file\)$"):
        named(["logs", "empty"])


@pytest.mark.usefixtures("tree")
def test_a_folder_that_cannot_be_read_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(folder: Path, onerror: Callable[[OSError], NoReturn]) -> Iterator[tuple[str, list[str], list[str]]]:
        yield str(folder), ["deep"], ["a.json"]
        onerror(PermissionError(13, "Permission denied"))

    monkeypatch.setattr(os, "walk", refusing)
    with pytest.raises(NoJournalError, match=r"^logs: a folder in it cannot be read: Permission denied$"):
        named(["logs"])


def test_names_are_clean_text_and_too_long_ones_are_left_to_the_loader(tree: Path) -> None:
    assert named([os.fsdecode(b"a\xff.json")])[0].name == "a\\xff.json"
    assert named(["a" * 5000])[0].name == "a" * 5000
    (tree / "deep").mkdir()
    (tree / "deep" / os.fsdecode(b"\xfe.json")).touch()
    assert named(["deep"])[0].name == "deep/\\xfe.json"


def test_without_a_working_folder_a_path_is_called_as_given(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "gone").mkdir()
    monkeypatch.chdir(tree / "gone")
    (tree / "gone").rmdir()
    path = str(tree / "logs" / "a.json")
    assert named([path]) == [Source(Path(path), path)]
    with pytest.raises(ConfigurationError, match=r"^the working folder cannot be used: No such file or directory$"):
        nearest()


WHOLE = '[tool.loki-parity]\njournals = ["logs"]\nfloors = { journals = 2, steps = 30 }\n'


def test_the_nearest_configuration_is_that_of_the_nearest_pyproject_with_the_table(tree: Path) -> None:
    (tree / "pyproject.toml").write_text(WHOLE)
    (tree / "logs" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (tree / "logs" / "deep" / "pyproject.toml").write_text("tool = 1\n")
    assert nearest(tree / "logs" / "deep") == nearest() == Configuration(tree, ("logs",), 2, 30)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[tool.loki-parity", "pyproject.toml cannot be read: "),
        ("[tool]\nloki-parity = 3", r"pyproject.toml: \[tool.loki-parity\] is not a table"),
        (WHOLE.replace("journals =", "journal ="), "pyproject.toml: tool.loki-parity has no key 'journal'"),
        (WHOLE.replace('["logs"]', "[]"), "pyproject.toml: tool.loki-parity.journals must be a list of paths"),
        (WHOLE.replace('["logs"]', '"logs"'), "pyproject.toml: tool.loki-parity.journals must be a list of paths"),
        (WHOLE.replace('["logs"]', '[""]'), "pyproject.toml: tool.loki-parity.journals must be a list of paths"),
        (WHOLE.replace('["logs"]', "[3]"), "pyproject.toml: tool.loki-parity.journals must be a list of paths"),
        (WHOLE.partition("floors")[0], "pyproject.toml: tool.loki-parity.floors must be a table"),
        (WHOLE.replace("steps = 30", "steps = 0"), "pyproject.toml: tool.loki-parity.floors.steps must be a whole"),
        (WHOLE.replace("steps = 30", "steps = true"), "pyproject.toml: tool.loki-parity.floors.steps must be a whole"),
        (WHOLE.replace(", steps = 30", ""), "pyproject.toml: tool.loki-parity.floors.steps must be a whole number"),
        (WHOLE.replace("steps", "stpes"), "pyproject.toml: tool.loki-parity.floors has no key 'stpes'"),
        (WHOLE + "least-compared = 3\n", "pyproject.toml: tool.loki-parity.least-compared must be a table of fields"),
        (
            WHOLE + "least-compared = { reslt = 3 }\n",
            "pyproject.toml: tool.loki-parity.least-compared has no key 'reslt'",
        ),
        (WHOLE + "least-compared = { result = 0 }\n", "pyproject.toml: tool.loki-parity.least-compared.result must be"),
        (WHOLE + "require_signed = true\n", "pyproject.toml: tool.loki-parity has no key 'require_signed'"),
        (WHOLE + "regressions = 3\n", "pyproject.toml: tool.loki-parity.regressions must be the path of a folder"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_one_sentence(content: str, sentence: str, tree: Path) -> None:
    (tree / "pyproject.toml").write_text(content)
    with pytest.raises(ConfigurationError, match=f"^{sentence}"):
        nearest(tree)


def test_the_policy_is_that_of_the_nearest_table_and_asks_for_nothing_where_there_is_none(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert policy(Path("/")) == Policy()
    (tree / "pyproject.toml").write_text(WHOLE)
    assert policy(tree / "logs") == policy() == Policy(require_signed=False, redact={})
    (tree / "pyproject.toml").write_text(
        "[tool.loki-parity]\nrequire-signed = true\n[tool.loki-parity.redact]\ntoken = 'sk-[a-z0-9]+'\n"
    )
    assert policy() == Policy(require_signed=True, redact={"token": "sk-[a-z0-9]+"})
    (tree / "gone").mkdir()
    monkeypatch.chdir(tree / "gone")
    (tree / "gone").rmdir()
    assert policy() == Policy()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[tool.loki-parity", "pyproject.toml cannot be read: "),
        (WHOLE + "require-signed = 1\n", "pyproject.toml: tool.loki-parity.require-signed must be true or false"),
        (WHOLE + "require_signed = true\n", "pyproject.toml: tool.loki-parity has no key 'require_signed'"),
        (WHOLE + "redact = ['a']\n", "pyproject.toml: tool.loki-parity.redact must be a table of names and regular"),
        (WHOLE + "redact = { a = 1 }\n", "pyproject.toml: tool.loki-parity.redact must be a table of names and"),
    ],
)
def test_a_policy_that_cannot_be_used_is_one_sentence(content: str, sentence: str, tree: Path) -> None:
    (tree / "pyproject.toml").write_text(content)
    with pytest.raises(ConfigurationError, match=f"^{sentence}"):
        policy()


def test_bytes_that_are_no_text_and_a_folder_in_its_place(tree: Path) -> None:
    (tree / "pyproject.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match=r"^pyproject.toml cannot be read: 'utf-8' codec"):
        nearest(tree)
    (tree / "pyproject.toml").unlink()
    (tree / "pyproject.toml").mkdir()
    with pytest.raises(ConfigurationError, match=r"^pyproject.toml cannot be read: Is a directory$"):
        nearest(tree)
    (tree / "pyproject.toml").rmdir()
    with pytest.raises(ConfigurationError, match=r"^no pyproject.toml with "):
        nearest(Path("/"))


def test_an_empty_path_is_not_the_working_folder() -> None:
    with pytest.raises(NoJournalError, match=r"^an empty path names no journal$"):
        named([""])


def test_a_journal_of_lines_is_one_and_the_report_of_a_run_is_passed_over_with_a_word(tree: Path) -> None:
    lines = {"run.jsonl": '{"type":"header","schema":"loki-parity-run/1"}', "j.jsonl": '{"format":"', "e.jsonl": ""}
    for name, text in lines.items():
        (tree / "empty" / name).write_text(text)
    (tree / "empty" / "gone.jsonl").symlink_to("nowhere")
    said: list[str] = []
    found = [source.name for source in named(["empty"], said.append)]
    assert found == ["empty/e.jsonl", "empty/gone.jsonl", "empty/j.jsonl"]
    assert said == ["empty/run.jsonl is the report of a run, not a journal: passed over"]
    for name in (*lines, "gone.jsonl"):
        (tree / "empty" / name).unlink()
    (tree / "empty" / "run.jsonl").write_text(lines["run.jsonl"])
    with pytest.raises(NoJournalError, match=r"^empty: this folder holds no journal"):
        named(["empty"])
