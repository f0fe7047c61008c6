"""What is no journal, or one that cannot be judged: one sentence with the file and the place, the right status."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import BAD_INPUT, LOGS, MATCH, NOT_JUDGED, loki_parity

if TYPE_CHECKING:
    from pathlib import Path

DEEP: Final = 100_000
GOLDEN: Final = (LOGS / "recall.json").read_bytes()


def altered(**head: Any) -> bytes:  # noqa: ANN401 - JSON
    return json.dumps(small_journals.recall(small_journals.right()) | head).encode()


BLOCK: Final = small_journals.BLOCKS[0]
FILES: Final = {
    "empty": (b"", ":1:1: found an empty file, expected a journal"),
    "white-space": (b" \n\n", "found nothing but white space, expected a journal"),
    "no-steps": (altered(steps=[]), " at steps: found no steps, expected at least one"),
    "steps-missing": (b'{"kind":"recall","blocks":[]}', 'found a journal of the kind recall without "steps"'),
    "binary": (bytes(range(256)) * 8, "found binary data (the byte 0x00), expected a journal"),
    "utf-16": (altered().decode().encode("utf-16"), ":1:1: found UTF-16 with a byte order mark, expected a journal"),
    "utf-16-without-mark": (altered().decode().encode("utf-16-le"), ":1:1: found UTF-16, expected a journal"),
    "byte-order-mark": (b"\xef\xbb\xbf" + altered(), ":1:1: found a byte order mark before the JSON"),
    "no-json": (b"kind: recall\n", ':1:1: found "k", expected a journal'),
    "deep-arrays": (b'{"steps":' + b"[" * DEEP + b"]" * DEEP + b"}", " at steps[0]: found an array"),
    "deep-objects": (b'{"clock":' * DEEP + b"1" + b"}" * DEEP, " at clock"),
    "cut-off": (GOLDEN[:20_000], " at steps[34].args.query: found the end of the file, expected the rest of a string"),
    "cut-off-before-its-end": (GOLDEN.rstrip()[:-1], "found the end of the file"),
    "unknown-kind": (altered(kind="recal"), ' at kind: found the kind "recal", expected "recall", the nearest known'),
    "misspelt-key": (
        altered(bloks=[]),
        ' at bloks: found the unknown key "bloks", expected "blocks", the nearest known',
    ),
    "one-seq-twice": (altered(blocks=[BLOCK, BLOCK]), " at blocks[1].seq: found a second block with the seq 1"),
    "control-characters-in-a-tool": (
        altered(steps=[small_journals.step("\x1b[2Jrecall\x07", {}, "")]),
        ' at steps[0].tool: found the tool "\\x1b[2Jrecall\\x07"',
    ),
    "control-characters-in-a-key": (altered(**{"\x1b]0;title\x07": 1}), 'found the unknown key "\\x1b]0;title\\x07"'),
    "file-that-leaves-the-folder": (
        json.dumps(
            small_journals.memory(
                small_journals.step("mem_read", {}, "", files={"../../etc/passwd": ""}),
            )
        ).encode(),
        ' at steps[0].files["../../etc/passwd"]: found the file name "../../etc/passwd"',
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_journal_is_one_sentence_with_its_place(name: str, tmp_path: Path) -> None:
    data, sentence = FILES[name]
    (tmp_path / "bad.json").write_bytes(data)
    ran = loki_parity("run", "--transport", "memory", "bad.json", cwd=tmp_path)
    assert ran.status == BAD_INPUT
    assert ran.err == ""
    first, *receipt = ran.out.splitlines()
    assert first.startswith("bad.json")
    assert sentence in first
    assert receipt[-1] == "verdict    BAD INPUT: nothing was judged"
    assert not any(character < " " and character != "\n" for character in ran.out)


@pytest.mark.parametrize(("size", "sentence"), [(200 << 20, "found binary data"), (600 << 20, "found a larger file")])
def test_a_huge_file_is_refused_quickly(size: int, sentence: str, tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(size)
    started = time.monotonic()
    ran = loki_parity("run", "--transport", "memory", "huge.json", cwd=tmp_path)
    assert (ran.status, sentence in ran.out) == (BAD_INPUT, True)
    assert time.monotonic() - started < 20


def test_a_journal_of_200_megabytes_is_judged(tmp_path: Path) -> None:
    content = "é" * (100 << 20)
    block = {**BLOCK, "content": content}
    found = small_journals.step("recall", {"id": "1"}, "[r1 — note: été, rappelé verbatim]\n" + "é" * 10)
    journal = json.dumps({"kind": "recall", "blocks": [block], "steps": [found]}, ensure_ascii=False)
    (tmp_path / "large.json").write_text(journal, encoding="utf-8")
    ran = loki_parity("run", "--transport", "memory", "--mode", "isolated", "large.json", cwd=tmp_path)
    assert ran.status == 1
    assert "    recorded   end of text\n    candidate  U+00E9 LATIN SMALL LETTER E WITH ACUTE\n" in ran.out
    assert len(ran.out) < 20_000


def test_a_file_that_is_not_there_and_one_that_no_file_can_be(tmp_path: Path) -> None:
    for name in ("missing.json", "a" * 5000, "missing/b.json"):
        ran = loki_parity("run", "--transport", "memory", name, cwd=tmp_path)
        assert ran.status == BAD_INPUT
        assert ran.out.startswith(f"{name}: found ")


def test_a_pipe_and_a_folder_called_json_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    ran = loki_parity("run", "--transport", "memory", "pipe.json", cwd=tmp_path)
    assert (ran.status, ran.out.splitlines()[0]) == (
        BAD_INPUT,
        "pipe.json: found a pipe, expected a journal (a JSON object in UTF-8)",
    )
    (tmp_path / "folder.json").mkdir()
    ran = loki_parity("run", "folder.json", cwd=tmp_path)
    assert (ran.status, ran.err) == (
        NOT_JUDGED,
        "loki-parity: folder.json: this folder holds no journal (no .json or .jsonl file)\n",
    )


@pytest.mark.parametrize(
    ("go", "found"),
    [
        ({"version": "go1.20.1"}, 'go.version: found Go "go1.20.1", expected Go 1.21 to 1.27'),
        ({"version": "go1.25.5", "goarch": "arm64"}, 'go.goarch: found the processor "arm64", expected amd64'),
    ],
)
def test_a_go_that_is_not_offered_is_not_judged(go: dict[str, str], found: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_bytes(altered(go=go))
    ran = loki_parity("run", "--transport", "memory", "other.json", cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert found in ran.out.splitlines()[0]
    assert ran.out.endswith("verdict    NOT JUDGED: nothing was judged\n")


def test_a_kind_that_the_candidate_lacks_is_not_judged(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    code = (
        "import sys, replay.candidates.port as port; port.KINDS = frozenset({'memory'});"
        "from replay.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    ran = loki_parity("run", "--transport", "memory", "journal.json", cwd=tmp_path, code=code)
    assert ran.status == NOT_JUDGED
    assert ran.out.startswith("journal.json: journals of the kind recall are not ported yet, so it was not judged\n")


def test_good_journals_beside_bad_ones_are_judged_and_the_worst_counts(tmp_path: Path) -> None:
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "good.json")
    small_journals.write(tmp_path / "deep", small_journals.recall(small_journals.unread()), "good too.json")
    small_journals.write(tmp_path / "deep" / ".hidden", {}, "hidden.json")
    (tmp_path / "bad.json").write_bytes(b"{")
    (tmp_path / "notes.txt").write_text("no journal")
    ran = loki_parity("run", "--transport", "memory", ".", cwd=tmp_path)
    assert ran.status == BAD_INPUT
    lines = ran.out.splitlines()
    assert [line.split("  ")[0] for line in lines if line.startswith("./")] == [
        "./deep/good too.json",
        "./good.json",
        "./bad.json:1:2: found the end of the file, expected a key",
    ]
    assert "judged     2 journals (floor 1), 2 steps (floor 1)" in lines
    (tmp_path / "bad.json").unlink()
    assert loki_parity("run", "--transport", "memory", ".", cwd=tmp_path).status == MATCH


def test_terminal_escapes_in_names_notes_and_texts_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    escape = "\x1b[31m\x9b2J\u202e"
    step = small_journals.step("recall", {"id": f"r1{escape}"}, f"wrong{escape}\x08", note=f"note{escape}")
    small_journals.write(tmp_path, small_journals.recall(step, small_journals.wrong()), f"a{escape}.json")
    report = tmp_path / "report.jsonl"
    ran = loki_parity("run", "--transport", "memory", f"a{escape}.json", "--report-json", str(report), cwd=tmp_path)
    assert ran.status == 1
    for text in (ran.out, report.read_text(encoding="utf-8")):
        assert not any(
            character < " " or "\x7f" <= character < "\xa0" for line in text.splitlines() for character in line
        )
        assert "\u202e" not in text


def test_a_file_name_that_is_not_utf_8_is_shown_byte_by_byte(tmp_path: Path) -> None:
    name = os.fsdecode(b"bad\xff.json")
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong()), name)
    report = tmp_path / "report.jsonl"
    ran = loki_parity("run", "--transport", "memory", name, "--report-json", str(report), cwd=tmp_path)
    assert ran.status == 1
    assert ran.out.startswith("bad\\xff.json diverged\n")
    assert {json.loads(line).get("journal", "bad\\xff.json") for line in report.read_text().splitlines()} == {
        "bad\\xff.json"
    }


def test_arguments_nested_beyond_go_s_depth_are_an_answer_like_another(tmp_path: Path) -> None:
    nested = '{"id":' + "[" * 20_000 + "]" * 20_000 + "}"
    journal = json.dumps(small_journals.recall(small_journals.unread())).replace("{}", nested)
    (tmp_path / "deep.json").write_text(journal, encoding="utf-8")
    assert loki_parity("run", "--transport", "memory", "deep.json", cwd=tmp_path).status == MATCH
