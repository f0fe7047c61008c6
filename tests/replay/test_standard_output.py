"""Standard output that is there, missing, full, or a pipe that nobody reads."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import pytest

from replay.standard_output import StandardOutput, named_by_the_caller, standard_output

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_what_is_written_arrives() -> None:
    stream = io.StringIO()
    output = StandardOutput(stream)
    assert output.write("été\n") == 4
    output.flush()
    assert (stream.getvalue(), output.isatty(), output.refusal) == ("été\n", False, None)


def test_a_stream_that_is_missing_is_silent() -> None:
    output = StandardOutput(None)
    assert output.write("x") == 1
    output.flush()
    assert (output.isatty(), output.refusal) == (False, None)
    with pytest.raises(OSError, match="fileno"):
        output.fileno()


@pytest.fixture
def full() -> Iterator[TextIO]:
    with open("/dev/full", "w", encoding="utf-8") as stream:  # noqa: PTH123 - a device
        yield stream


def test_a_full_disk_is_remembered_and_said_once(full: TextIO) -> None:
    output = StandardOutput(full)
    assert output.fileno() == full.fileno()
    output.write("x")
    output.flush()
    assert output.refusal == "No space left on device"
    output.write("y" * 100_000)
    output.flush()
    full.close()


def test_a_refusal_while_writing_counts_too(full: TextIO) -> None:
    output = StandardOutput(full)
    output.write("y" * 100_000)
    assert output.refusal == "No space left on device"


def test_a_pipe_that_nobody_reads_is_no_refusal() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor
        output = StandardOutput(stream)
        output.write("x")
        output.flush()
        assert output.refusal is None


class Broken(io.StringIO):
    def write(self, _: str) -> int:
        raise OSError


def test_a_stream_without_a_descriptor_and_a_reason() -> None:
    output = StandardOutput(Broken())
    output.write("x")
    assert output.refusal == ""


def test_both_streams_are_utf_8_while_it_lasts_and_the_former_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", latin)
    monkeypatch.setattr(sys, "stderr", None)
    with standard_output() as output:
        assert cast("object", sys.stdout) is output
        sys.stdout.write("œ\ud800")
        sys.stderr.write("lost")
    assert sys.stdout is latin
    assert sys.stderr is None
    assert latin.buffer.getvalue() == "œ\\ud800".encode()


def test_a_name_of_standard_output_is_the_stream_that_the_report_goes_to(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        number = stream.fileno()
        assert named_by_the_caller(Path("/dev/stdout"), stream) == Path(f"/dev/fd/{number}")
    assert named_by_the_caller(tmp_path / "run.jsonl", sys.stdout) == tmp_path / "run.jsonl"


def test_a_name_of_a_standard_output_that_is_not_there_stays_a_name() -> None:
    assert named_by_the_caller(Path("/dev/stdout"), cast("TextIO", StandardOutput(None))) == Path("/dev/stdout")
