"""``loki-parity review`` as a person uses it: what is listed, what is decided, what stands in the files after."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, MATCH, NOT_JUDGED, RAM, environment, loki_parity
from waiting_journals import QUESTION, Person, found, journal, terminal_inside, waiting, written

from replay.cli import main
from replay.review.asking import NobodyThereError, ask
from replay.review.pending import NotReviewableError, read
from replay.review.settle import settle

if TYPE_CHECKING:
    from collections.abc import Callable

OLD: Final = journal(*[found(f"q{at}", f"trouvé : page {at}") for at in range(1, 6)], found("z", "rien"))
NEW: Final = journal(
    *[found(f"q{at}", f"trouvé : fiche {at}") for at in range(1, 6)], found("z", "rien du tout"), about="new"
)
LISTED: Final = """\
a.json.pending: 7 changes in 3 groups ("recorded" is what a.json holds, "candidate" what waits)
  1  about
     at a.json:1
     about: differs (1 of 1)
       at         line 1, column 1 (byte 0, rune 0, UTF-16 0)
       recorded   U+006F LATIN SMALL LETTER O
       candidate  U+006E LATIN SMALL LETTER N
       length     3 characters recorded, 3 given
       - 1 │ old
       + 1 │ new
           │ ^
  2  result: 5 steps (1-5) of recall_search
     step 1 recall_search — q1
     at a.json:25 at steps[0]
     result: differs (1 of 1)
       at         line 1, column 10 (byte 10, rune 9, UTF-16 9)
       recorded   U+0070 LATIN SMALL LETTER P
       candidate  U+0066 LATIN SMALL LETTER F
       length     15 characters recorded, 16 given
       - 1 │ trouvé : page 1
       + 1 │ trouvé : fiche 1
           │          ^
  3  result: 1 step (6) of recall_search
     step 6 recall_search — z
     at a.json:65 at steps[5]
     result: differs (1 of 1)
       at         line 1, column 5 (byte 4, rune 4, UTF-16 4)
       recorded   end of text
       candidate  U+0020 SPACE
       length     4 characters recorded, 12 given
       cause      goes-on: the recording ends at byte 4; the candidate goes on for 8 characters (the whole difference)
       - 1 │ rien
       + 1 │ rien du tout
           │     ^
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    waiting(tmp_path, OLD, NEW)
    return tmp_path


def files(folder: Path) -> dict[str, object]:
    """Every file in a folder, hidden ones too, as JSON."""
    return {one.name: json.loads(one.read_bytes()) for one in folder.iterdir()}


def test_without_a_terminal_the_groups_are_listed_and_nothing_changes(folder: Path) -> None:
    ran = loki_parity("review", ".", cwd=folder)
    assert (ran.status, ran.err) == (DIVERGED, "")
    assert ran.out == LISTED
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


def test_all_accepted_is_the_new_file_to_the_byte(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "a.json", "--accept-all"]) == MATCH
    assert capsys.readouterr().out == "a.json: 3 accepted, 0 rejected, 0 still waiting\n"
    assert (folder / "a.json").read_bytes() == written(NEW)
    assert not (folder / "a.json.pending").exists()
    assert main(["review", "."]) == MATCH
    assert capsys.readouterr().out == "nothing waits for a review\n"


def test_all_rejected_leaves_the_old_file_alone(folder: Path) -> None:
    before = (folder / "a.json").stat()
    assert main(["review", "a.json.pending", "--reject-all"]) == MATCH
    assert files(folder) == {"a.json": OLD}
    assert (folder / "a.json").stat().st_ino == before.st_ino


def test_what_is_accepted_goes_over_what_is_rejected_goes_and_the_rest_waits(folder: Path) -> None:
    assert main(["review", ".", "--accept", "2", "--reject", "1"]) == DIVERGED
    half = json.loads(json.dumps(OLD))
    half["steps"][:5] = NEW["steps"][:5]
    assert files(folder) == {"a.json": half, "a.json.pending": {**NEW, "about": "old"}}
    assert (folder / "a.json").read_bytes() == written(half)
    assert main(["review", ".", "--reject", "1"]) == MATCH
    assert files(folder) == {"a.json": half}


def test_groups_that_are_left_can_be_accepted_later(folder: Path) -> None:
    assert main(["review", ".", "--reject", "3"]) == DIVERGED
    assert main(["review", ".", "--accept", "1", "--accept", "2"]) == MATCH
    assert files(folder) == {"a.json": {**NEW, "steps": [*NEW["steps"][:5], OLD["steps"][5]]}}


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(folder: Path) -> None:
    kept = folder / "elsewhere"
    kept.mkdir()
    (folder / "a.json").rename(kept / "real.json")
    (folder / "a.json").symlink_to(kept / "real.json")
    (kept / "real.json").chmod(0o640)
    (kept / ".real.json.reviewed").write_text("of one that was killed")
    assert main(["review", "a.json", "--accept", "2"]) == DIVERGED
    assert (folder / "a.json").is_symlink()
    assert (kept / "real.json").stat().st_mode & 0o777 == 0o640
    assert os.listdir(kept) == ["real.json"]  # noqa: PTH208 - only names
    assert main(["review", "a.json", "--accept-all"]) == MATCH
    assert (kept / "real.json").stat().st_mode & 0o777 == 0o640
    assert (folder / "a.json").read_bytes() == written(NEW)


def test_a_new_journal_is_taken_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.json").unlink()
    assert main(["review", "."]) == DIVERGED
    assert capsys.readouterr().out == "a.json.pending\n  1  a new journal of 6 steps\n"
    assert main(["review", ".", "--accept", "1"]) == MATCH
    assert (folder / "a.json").read_bytes() == written(NEW)


def test_other_blanks_and_another_order_of_keys_are_a_group_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.json.pending").write_text(json.dumps(OLD, sort_keys=True))
    assert main(["review", "."]) == DIVERGED
    assert capsys.readouterr().out == "a.json.pending\n  1  written otherwise, and no value differs\n"
    assert main(["review", ".", "--reject", "1"]) == MATCH
    assert (folder / "a.json").read_bytes() == written(OLD)


def test_a_copy_is_the_same_to_the_byte_and_goes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.json.pending").write_bytes(written(OLD))
    assert main(["review", "."]) == DIVERGED
    assert capsys.readouterr().out == "a.json.pending\n  1  the same to the byte\n"
    assert main(["review", ".", "--reject-all"]) == MATCH
    assert files(folder) == {"a.json": OLD}


def test_a_snapshot_is_reviewed_by_its_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.json", "a.json.pending"):
        (folder / name).unlink()
    (folder / "help.txt").write_bytes(b"one\ntwo\nthree\ntwo\nfour\xff\n")
    (folder / "help.txt.pending").write_bytes(b"one\n2\nthree\n2\nfour\xff\nfive\n")
    assert main(["review", "help.txt"]) == DIVERGED
    out = capsys.readouterr().out
    assert '3 changes in 2 groups ("recorded"' in out
    assert "  1  lines: 2 places (2, 4)\n" in out
    assert main(["review", ".", "--accept", "1"]) == DIVERGED
    assert (folder / "help.txt").read_bytes() == b"one\n2\nthree\n2\nfour\xff\n"
    assert main(["review", ".", "--reject", "1"]) == MATCH
    assert (folder / "help.txt").read_bytes() == b"one\n2\nthree\n2\nfour\xff\n"
    (folder / "new.txt.pending").write_bytes(b"new\n")
    assert main(["review", "new.txt", "--accept-all"]) == MATCH
    assert (folder / "new.txt").read_bytes() == b"new\n"


def test_no_path_means_the_folders_of_the_configured_journals(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = folder / "logs"
    logs.mkdir()
    for name in ("a.json", "a.json.pending"):
        (folder / name).rename(logs / name)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    table = '[tool.loki-parity]\njournals = ["logs/a.json", "gone/b.json"]\nfloors = {journals = 1, steps = 1}\n'
    (folder / "pyproject.toml").write_text(table)
    assert main(["review"]) == DIVERGED
    assert capsys.readouterr().out.startswith("../logs/a.json.pending: 7 changes in 3 groups")
    (folder / "pyproject.toml").unlink()
    assert main(["review"]) == NOT_JUDGED
    assert "name the journals" in capsys.readouterr().err


def test_numbers_run_over_all_files_and_a_folder_named_twice_counts_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting(folder, OLD, NEW, "b.json")
    assert main(["review", ".", str(folder)]) == DIVERGED
    assert "\n  6  result: 1 step (6) of recall_search\n" in capsys.readouterr().out
    assert main(["review", ".", "--accept", "4,5,6"]) == DIVERGED
    assert sorted(files(folder)) == ["a.json", "a.json.pending", "b.json"]
    assert files(folder)["b.json"] == NEW


def test_texts_of_a_sealed_memory_are_shown_only_when_that_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "secret un", files={"a.md": "secret deux"})
    changed = {**step, "result": "secret trois", "files": {"a.md": "secret quatre", "b.md": "secret cinq"}}
    came = small_journals.step("mem_read", {"file": "secret six"}, "secret sept")
    waiting(folder, small_journals.memory(step, dek="00" * 32), small_journals.memory(changed, came, dek="00" * 32))
    assert main(["review", "a.json"]) == DIVERGED
    out = capsys.readouterr().out
    assert "secret" not in out
    assert "sealed; --reveal shows it" in out
    assert main(["review", "a.json", "--reveal"]) == DIVERGED
    out = capsys.readouterr().out
    assert all(f"secret {number}" in out for number in ("deux", "trois", "quatre", "cinq", "six", "sept"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--accept", "4"], "there is no group 4: 3 wait"),
        (["--accept", "0"], "there is no group 0: 3 wait"),
        (["--accept", "1", "--reject", "1"], "group 1 is both accepted and rejected"),
        (["--accept-all", "--reject", "1"], "decide in one way: "),
        (["--accept-all", "--reject-all"], "decide in one way: "),
        (["missing.json"], "missing.json: nothing waits here (missing.json.pending does not exist)"),
    ],
)
def test_what_cannot_be_decided_changes_nothing(
    arguments: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", ".", *arguments]) == BAD_INPUT
    assert says in capsys.readouterr().err
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


def test_words_for_numbers_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["review", ".", "--accept", "one"])
    assert ended.value.code == BAD_INPUT
    assert "'one' does not name groups (expected such as 1,3)" in capsys.readouterr().err
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


def test_a_pending_file_that_is_no_journal_or_another_one_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.json.pending").write_bytes(written(NEW)[:-300])
    assert main(["review", "a.json", "--accept-all"]) == BAD_INPUT
    assert "a.json.pending:" in capsys.readouterr().err
    (folder / "a.json.pending").write_bytes(written(small_journals.memory(small_journals.step("tracker", {}, "x"))))
    assert main(["review", "a.json", "--accept-all"]) == BAD_INPUT
    assert "of the kind recall and a.json.pending of the kind memory: another journal" in capsys.readouterr().err
    (folder / "a.json.pending").write_bytes(written({**NEW, "go": {"version": "go1.99"}}))
    assert main(["review", "a.json", "--accept-all"]) == NOT_JUDGED
    assert (folder / "a.json").read_bytes() == written(OLD)


def test_parts_that_would_be_no_journal_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The result goes and a crash comes in its place: half of that is a step that never ended.
    crashed = {"tool": "recall", "args": {}, "panic": "boom"}
    ended = {"tool": "recall", "args": {}, "result": "x"}
    waiting(folder, journal(ended), journal(crashed))
    assert main(["review", "a.json"]) == DIVERGED
    assert "  1  result: 1 step" in capsys.readouterr().out
    assert main(["review", "a.json", "--accept", "1"]) == BAD_INPUT
    assert "cannot be taken in these parts, for it would be no journal: a.json:" in capsys.readouterr().err
    assert files(folder) == {"a.json": journal(ended), "a.json.pending": journal(crashed)}
    assert main(["review", "a.json", "--accept", "1,2"]) == MATCH


def test_a_file_that_changes_between_reading_and_deciding_is_left_alone(folder: Path) -> None:
    person = Person("review", "a.json", cwd=folder)
    person.waits_for(QUESTION)
    (folder / "a.json").write_bytes(written(journal(found("q", "somebody else's"))))
    person.types("a")
    person.waits_for(QUESTION, 2)
    person.types("q")
    assert person.status() == BAD_INPUT
    assert "a.json: a.json has changed since it was read, so nothing was decided about it" in person.seen
    assert files(folder)["a.json.pending"] == NEW


@pytest.mark.parametrize("decision", ["--accept-all", "--reject-all", "--accept=2", "--reject=1"])
def test_a_disk_that_refuses_is_said_and_nothing_changes(
    decision: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remove = Path.unlink

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, os.strerror(30))

    def keep_pending(path: Path, missing_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - as pathlib has it
        if path.suffix == ".pending":
            refuse()
        remove(path, missing_ok=missing_ok)

    with pytest.MonkeyPatch.context() as patched:  # a real read-only disk needs rights that CI lacks
        patched.setattr(os, "replace", refuse)
        patched.setattr(Path, "unlink", keep_pending)
        assert main(["review", "a.json", decision]) == BAD_INPUT
    assert capsys.readouterr().err == "loki-parity: a.json cannot be settled: Read-only file system\n"
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


def test_what_changed_since_it_was_read_is_not_settled(folder: Path) -> None:
    pending = read(folder / "a.json", "a.json")
    (folder / "a.json.pending").write_bytes(written(OLD))
    with pytest.raises(NotReviewableError, match=r"a\.json: a\.json\.pending has changed since it was read"):
        settle(pending, pending.groups, [])
    assert files(folder) == {"a.json": OLD, "a.json.pending": OLD}


def test_a_folder_that_cannot_be_read_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def walk(_: str, onerror: Callable[[OSError], None]) -> None:
        onerror(OSError(13, os.strerror(13)))

    with pytest.MonkeyPatch.context() as patched:  # root reads every folder
        patched.setattr(os, "walk", walk)
        assert main(["review", "."]) == BAD_INPUT
    assert capsys.readouterr().err == "loki-parity: .: a folder in it cannot be read: Permission denied\n"
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


def test_keys_decide_on_a_terminal(folder: Path) -> None:
    person = Person("review", "a.json", cwd=folder)
    for times, key in enumerate(["r", "xA", "s"], start=1):  # x means nothing and is passed over
        person.waits_for(QUESTION, times)
        person.types(key)
    assert person.status() == DIVERGED
    assert [line.split(QUESTION)[1] for line in person.seen.splitlines() if QUESTION in line] == [
        "reject",
        "accept",
        "skip",
    ]
    assert person.seen.endswith("a.json: 1 accepted, 1 rejected, 1 still waiting\n")
    half = {**OLD, "steps": [*NEW["steps"][:5], OLD["steps"][5]]}
    assert files(folder) == {"a.json": half, "a.json.pending": {**NEW, "about": "old"}}


def test_every_key_does_what_it_says(folder: Path) -> None:
    with terminal_inside("ar") as seen:
        assert main(["review", "a.json"]) == INTERRUPTED  # two answers, and then the terminal is gone
        assert seen().count(QUESTION) == 3
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}
    with terminal_inside("sA") as seen:
        assert main(["review", "a.json"]) == INTERRUPTED
    with terminal_inside("?sAq") as seen:
        assert main(["review", "a.json"]) == DIVERGED
        assert seen().endswith("quit\na.json: 1 accepted, 0 rejected, 2 still waiting\n")
    assert files(folder)["a.json"] == {**OLD, "steps": [*NEW["steps"][:5], OLD["steps"][5]]}
    with terminal_inside("rr") as seen:
        assert main(["review", "a.json"]) == MATCH
    assert sorted(files(folder)) == ["a.json"]


def test_who_quits_keeps_what_was_decided_and_what_was_typed_too_early_decides_nothing(folder: Path) -> None:
    person = Person("review", "a.json", cwd=folder)
    person.types("rrrrrr")
    person.waits_for(QUESTION)
    person.types("a")
    person.waits_for(QUESTION, 2)
    person.types("q")
    assert person.status() == DIVERGED
    assert files(folder) == {"a.json": {**OLD, "about": "new"}, "a.json.pending": NEW}


def test_an_interrupt_at_the_question_changes_nothing(folder: Path) -> None:
    person = Person("review", "a.json", cwd=folder)
    person.waits_for(QUESTION)
    person.types("a")
    person.waits_for(QUESTION, 2)
    person.types("\x03")
    assert person.status() == INTERRUPTED
    assert person.seen.endswith("loki-parity: interrupted\n")
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


@pytest.mark.parametrize("way", ["end", "hang-up"])
def test_a_terminal_that_is_gone_decides_nothing(way: str, folder: Path) -> None:
    person = Person("review", "a.json", cwd=folder)
    person.waits_for(QUESTION)
    person.types("a")
    person.waits_for(QUESTION, 2)
    if way == "end":
        person.types("\x04")
        assert person.status() == INTERRUPTED
        assert "the terminal is gone: nothing was decided, and nothing has changed" in person.seen
    else:
        person.hangs_up()
        assert person.process.wait(30) in {-signal.SIGHUP, INTERRUPTED}
    assert files(folder) == {"a.json": OLD, "a.json.pending": NEW}


class _HangsUp(io.StringIO):
    """Somebody who goes when the question is put."""

    def __init__(self, terminal: int) -> None:
        super().__init__()
        self.terminal = terminal

    def flush(self) -> None:
        os.close(self.terminal)


def test_a_terminal_that_goes_before_the_question_or_after_it_is_nobodys_answer() -> None:
    person, inside = pty.openpty()
    with pytest.raises(NobodyThereError):
        ask("? ", {"a": "accept"}, _HangsUp(person), inside)
    with pytest.raises(NobodyThereError):
        ask("? ", {"a": "accept"}, io.StringIO(), inside)
    os.close(inside)
    person, inside = pty.openpty()
    with pytest.raises(NobodyThereError):
        ask("? ", {"a": "accept"}, _HangsUp(inside), inside)
    os.close(person)


def test_a_list_on_a_terminal_asks_nothing(folder: Path) -> None:
    person = Person("review", "a.json", "--list", cwd=folder)
    assert person.status() == DIVERGED
    assert "  3  result: 1 step (6) of recall_search\n" in person.seen
    assert QUESTION not in person.seen


def test_a_kill_at_any_point_leaves_the_old_journal_or_the_new_one() -> None:
    script = Path(__file__).with_name("killed_review.py")
    with tempfile.TemporaryDirectory(dir=RAM) as folder:
        ran = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, str(script), folder],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
    assert (ran.returncode, ran.stderr) == (0, "")
    kills = {name: int(number) for name, _, number in (line.partition(" ") for line in ran.stdout.splitlines())}
    assert sorted(kills) == ["--accept-all", "--accept=2,--reject=1", "--reject-all"]
    assert all(number > 20 for number in kills.values())
