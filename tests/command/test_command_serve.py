"""``loki-parity serve``: what it says, what it serves, what it logs, how it ends, why it does not start."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import small_journals
from real_command import BAD_INPUT, INTERRUPTED, LOGS, MATCH, NOT_JUDGED, finish, loki_parity, start

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

BLOCKS = "/internal/v1/recall/blocks"


def serving(folder: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], str]:
    """The server's process, and what it says first."""
    process = start("serve", *arguments, cwd=folder, in_child=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert process.stdout is not None
    return process, process.stdout.readline().decode()


def get(address: str, target: str, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, MATCH)])
def test_it_serves_logs_each_request_and_ends_with_a_signal(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "a\x1b.json")
    process, first = serving(tmp_path, "a\x1b.json")
    said, _, address = first.rstrip("\n").rpartition(" on http://")
    assert said == "serving 2 blocks of a\\x1b.json"
    assert [block["id"] for block in json.loads(get(address, BLOCKS)[1])] == ["r1", "r2"]
    assert get(address, "/internal/v1/recall/block?seq=9")[0] == 404
    assert get(address, "/%1b[2J")[0] == 404
    process.send_signal(number)
    ran = finish(process)
    assert (ran.status, ran.err) == (status, "")
    assert ran.out.splitlines() == [
        f"GET {BLOCKS}",
        "GET /internal/v1/recall/block?seq=9",
        "GET /%1b[2J",
    ]


def test_it_goes_on_when_nobody_reads_its_log(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    process, first = serving(tmp_path, "journal.json")
    address = first.rstrip("\n").rpartition("http://")[2]
    assert process.stdout is not None
    process.stdout.close()
    for _ in range(3):
        assert get(address, BLOCKS)[0] == 200
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (MATCH, b"")


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    with taken_port() as port:
        ran = loki_parity("serve", "journal.json", "--port", str(port), cwd=tmp_path)
    assert (ran.status, ran.out) == (BAD_INPUT, "")
    assert ran.err == f"loki-parity: port {port} cannot be listened on: Address already in use\n"


def test_a_port_that_is_free_is_the_one(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    with taken_port() as port:
        pass
    process, first = serving(tmp_path, "journal.json", "--port", str(port))
    assert first.endswith(f" on http://127.0.0.1:{port}\n")
    process.send_signal(signal.SIGTERM)
    assert finish(process).status == MATCH


def test_what_cannot_be_served_is_one_sentence(tmp_path: Path) -> None:
    small_journals.write(tmp_path, {"kind": "recall", "go": {"goarch": "arm64"}, "blocks": [], "steps": []}, "arm.json")
    for file, status, sentence in (
        ("missing.json", BAD_INPUT, "missing.json: found no such file, expected a journal (a JSON object in UTF-8)"),
        ("\x1b.json", BAD_INPUT, "\\x1b.json: found no such file, expected a journal (a JSON object in UTF-8)"),
        (".", BAD_INPUT, ".: found a folder, expected a journal (a JSON object in UTF-8)"),
        ("arm.json", NOT_JUDGED, 'arm.json:1:37 at go.goarch: found the processor "arm64", expected amd64'),
        (
            str(LOGS / "outils.json"),
            BAD_INPUT,
            f"{LOGS / 'outils.json'}: a journal of the kind memory holds no blocks to serve (expected recall)",
        ),
    ):
        ran = loki_parity("serve", file, cwd=tmp_path)
        assert (ran.status, ran.out) == (status, "")
        assert ran.err.startswith(f"loki-parity: {sentence}")
        assert ran.err.count("\n") == 1
