"""What ``loki-parity record`` refuses: in one sentence, with 2 or 3, and nothing is written."""

from __future__ import annotations

import http.client
import json
import resource
import socket
from typing import TYPE_CHECKING, Any

import outside_facade
import pytest
import small_journals
from real_command import LOGS, loki_parity
from recording import Recorder, small
from replaying_go import INSTEAD, VERSION, of, serving

from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from replay.candidates import answers
from replay.journal import load

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "s3cr3t-42"  # noqa: S105 - it protects nothing


@pytest.fixture
def record(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOKI_PARITY_TOKEN", raising=False)
    return Recorder(tmp_path, capsys)


SENTENCES = {
    "html": "its answer is no JSON: <html>hello</html>",
    "status-500": "it answered 500: oh\\x1b[2J no",
    "redirects": "it redirects (status 302), and a redirect is never followed",
    "no-result": 'its answer has a step without "result" and without "panic" in it (expected one of them)',
    "array": "its answer is no JSON object: []",
    "cut": 'its answer is no JSON: {"result":"a',
    "number": "its answer has the number 7 in result (expected a string)",
    "bad-op": 'its answer has the string "*" in diff[0].op (expected one of " ", "-", "+")',
    "label-list": "its answer has an array in label (expected a string)",
    "surrogate": "its answer holds half of a surrogate pair, which Go never writes",
    "not-utf8": 'its answer is not UTF-8: {"result":"\ufffd"}',
    "twice-a-key": 'its answer is no JSON: {"result":"a","result":"b"}',
    "huge": "Go's answer is larger than 1000 bytes",
    "closes": "Go closed the connection without an answer",
}


@pytest.mark.parametrize("vice", INSTEAD)
def test_a_hostile_go_costs_one_sentence_and_nothing_is_written(
    vice: str, record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "LONGEST", 1000)
    scenario = small(record.folder)
    with serving(of(scenario, vice=vice)) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
    assert said.err == f"loki-parity: {url} cannot be recorded: step 1 (recall): {SENTENCES[vice]}\n"
    assert (said.status, said.out, record.left()) == (3, "", ["small.json"])


@pytest.mark.parametrize(
    ("vice", "sentence"),
    [("hangs", "nothing came from Go for 0.2 s"), ("drips", "Go's answer was not complete within 0.2 s")],
)
def test_a_go_that_takes_its_time_is_not_waited_for(vice: str, sentence: str, record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, vice=vice)) as url:
        said = record(scenario, "--go-url", url, "--deadline", "0.2")
    assert said.status == 3
    assert said.err.startswith(f"loki-parity: {url} cannot be recorded: step 1 (recall): ")
    assert sentence in said.err or "not complete within 0.2 s" in said.err
    assert record.left() == ["small.json"]


def test_the_whole_file_stays_where_a_recording_fails_and_no_partial_is_left_by_a_hostile_go(record: Recorder) -> None:
    scenario = small(record.folder)
    record.out.write_bytes(b"old")
    with serving(of(scenario, vice="html", since=3)) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
    assert (said.status, record.left(), record.out.read_bytes()) == (3, ["out.json", "small.json"], b"old")


@pytest.mark.parametrize("depth", [99, 300, 600, 900])
def test_an_answer_that_nests_too_deep_is_one_sentence(depth: int, record: Recorder) -> None:
    scenario = small(record.folder)
    deep: Any = []
    for _ in range(depth):
        deep = [deep]
    told = "its answer nests deeper than 100 levels"
    for how, sentence in (
        ({"change": lambda _, answer: {**answer, "diff": deep}}, f"step 1 (recall): {told}"),
        ({"archive": deep}, told),
        ({"declared": {"deep": deep}}, told),
    ):
        with serving(of(scenario, **how)) as url:
            said = record(scenario, "--go-url", url)
        assert (said.status, said.err.count("\n"), record.left()) == (3, 1, ["small.json"])
        assert depth == 99 or said.err.endswith(f": {sentence}\n")


def test_a_go_that_is_not_there(record: Recorder) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        said = record(small(record.folder), "--go-url", url)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err == f"loki-parity: {url} cannot be recorded: no connection to Go (Connection refused)\n"


@pytest.mark.parametrize(
    "said", [{"files": {}}, {"files": [], "trackers": {}}, {"files": {"../x": ""}, "trackers": {}}]
)
def test_a_state_that_is_none_is_refused(said: dict[str, Any], record: Recorder) -> None:
    scenario = small_journals.write(record.folder, small_journals.memory(small_journals.step("mem_search", {}, "")))

    def change(_: int, answer: dict[str, Any]) -> dict[str, Any]:
        return said if "files" in answer else answer

    with serving(of(scenario, change=change)) as url:
        refused = record(scenario, "--go-url", url)
    assert (refused.status, refused.err.count("\n"), record.left()) == (3, 1, ["journal.json"])


@pytest.mark.parametrize(
    "blocks", [[{"id": "r1"}], [{"id": "r2", "seq": 1, "label": "", "content": ""}], [{"id": "\ud800"}], [1]]
)
def test_an_archive_that_is_none_is_refused(blocks: list[Any], record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, archive={"blocs": blocks})) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, said.err.count("\n"), record.left()) == (3, 1, ["small.json"])
    assert "cannot be recorded: its archive cannot be read: found " in said.err


def test_what_go_declares_must_be_something_known(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, can="exec,fly")) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert 'it declares that it can ["exec", "fly"]' in said.err


# ---- who is no Go

OURS = "it calls itself loki-parity: the port, a fake Go or a façade of this project is no Go, and is not recorded"


def test_the_fake_go_is_refused(record: Recorder) -> None:
    scenario = small(record.folder)
    with FakeGoServer(FakeGo(load(scenario).blocks)) as server:
        said = record(scenario, "--go-url", server.url, "--go-version", "1.25.5", "--go-commit", "a")
        host = server.url.removeprefix("http://")
        connection = http.client.HTTPConnection(host)
        connection.request("GET", "/internal/v1/recall/blocks")
        assert connection.getresponse().getheader("Server") == "loki-parity"
        connection.close()
        server.fake.take_unexpected()
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err == f"loki-parity: {server.url} cannot be recorded: {OURS}\n"


@pytest.mark.parametrize(
    "how",
    [
        {"server_header": "Loki_Parity/0.1"},
        {"version": {**VERSION, "name": "loki-parity 0.1.0"}},
        {"declared": {"port": {"name": "loki-parity"}}},
        {"declared": {"loki-parity": 1}},
    ],
)
def test_who_calls_himself_by_our_name_is_refused(how: dict[str, Any], record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, **how)) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, said.err, record.left()) == (
        3,
        f"loki-parity: {url} cannot be recorded: {OURS}\n",
        ["small.json"],
    )


def test_who_becomes_ours_in_the_middle_is_refused_too(record: Recorder) -> None:
    scenario = small(record.folder)

    def change(call: int, answer: dict[str, Any]) -> dict[str, Any]:
        go.server_header = "loki-parity" if call == 2 else ""
        return answer

    go = of(scenario, change=change)
    with serving(go) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert f": step 2 (recall): {OURS}" in said.err


def test_a_facade_that_runs_the_port_is_refused_whatever_is_said_of_it(record: Recorder) -> None:
    scenario = small(record.folder)
    with outside_facade.serving(can="exec,reset") as url:
        said = record(scenario, "--go-url", url, "--go-version", "1.25.5", "--go-commit", "a")
    assert (said.status, said.err, record.left()) == (
        3,
        f"loki-parity: {url} cannot be recorded: {OURS}\n",
        ["small.json"],
    )


# ---- credentials


def test_a_token_is_sent_and_never_shown(record: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKI_PARITY_TOKEN", SECRET)
    scenario = small(record.folder)
    go = of(scenario)
    with serving(go) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
    assert (said.status, go.authorizations) == (0, {f"Bearer {SECRET}"})
    assert SECRET not in said.out + said.err + record.out.read_text(encoding="utf-8")


@pytest.mark.parametrize("field", ["result", "label", "diff"])
def test_an_answer_that_holds_the_token_is_not_kept(
    field: str, record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOKI_PARITY_TOKEN", SECRET)
    scenario = small(record.folder)
    value: object = [{"op": "+", "text": f"x{SECRET}"}] if field == "diff" else f"x{SECRET}"
    with serving(of(scenario, change=lambda _, answer: {**answer, field: value})) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err.endswith(": step 1 (recall): its answer holds the token it was asked with\n")
    assert SECRET not in said.out + said.err


def test_an_answer_that_holds_the_token_in_escapes_is_not_kept_either(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOKI_PARITY_TOKEN", SECRET)
    monkeypatch.setitem(INSTEAD, "html", (200, b'{"result":"x\\u00733cr3t-42"}'))
    scenario = small(record.folder)
    with serving(of(scenario, vice="html")) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err.endswith(": step 1 (recall): its answer holds the token it was asked with\n")


@pytest.mark.parametrize(
    "body",
    [
        f'["{SECRET}"]',
        f'{{"result":"","diff":[{{"op":"{SECRET}","text":""}}]}}',
        '{"result":"","diff":[{"op":"\\u00733cr3t-42","text":""}]}',
        f"<html>{SECRET}",
    ],
)
def test_no_message_holds_the_token(body: str, record: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKI_PARITY_TOKEN", SECRET)
    monkeypatch.setitem(INSTEAD, "html", (200, body.encode()))
    scenario = small(record.folder)
    with serving(of(scenario, vice="html")) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, said.err.count("\n"), record.left()) == (3, 1, ["small.json"])
    assert SECRET not in said.out + said.err
    assert ("[token]" in said.err) == ("\\" in body)


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (302, "it redirects (status 302), and a redirect is never followed"),
        (401, "it answered 401: it wants another $LOKI_PARITY_TOKEN"),
        (403, "it answered 403: it wants another $LOKI_PARITY_TOKEN"),
    ],
)
def test_a_go_that_sends_elsewhere_or_wants_another_token_is_refused_at_once(
    status: int, sentence: str, record: Recorder
) -> None:
    scenario = small(record.folder)
    go = of(scenario, refuses=status)
    with serving(go) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, said.err) == (3, f"loki-parity: {url} cannot be recorded: {sentence}\n")
    assert (go.calls, record.left()) == (0, ["small.json"])


def test_a_scenario_that_holds_the_token_is_refused(record: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKI_PARITY_TOKEN", SECRET)
    scenario = small(record.folder, small_journals.step("recall", {"id": SECRET}, ""))
    with serving(of(scenario)) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (2, ["small.json"])
    assert said.err == (
        "loki-parity: step 1, its args holds the token: inputs are kept as they are, so put a stand-in there\n"
    )


@pytest.mark.parametrize("token", ["a b", "é", "a\nb"])
def test_a_token_that_is_none_is_refused_without_being_shown(
    token: str, record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOKI_PARITY_TOKEN", token)
    said = record(small(record.folder), "--go-url", "http://127.0.0.1:1")
    assert (said.status, said.err) == (
        2,
        "loki-parity: $LOKI_PARITY_TOKEN is no token: it holds a space, or something else than printable ASCII\n",
    )


def test_credentials_do_not_belong_into_the_url(record: Recorder) -> None:
    said = record(small(record.folder), "--go-url", f"http://me:{SECRET}@127.0.0.1:1")
    assert (said.status, said.err) == (
        2,
        "loki-parity: --go-url holds credentials: they belong into $LOKI_PARITY_TOKEN\n",
    )


# ---- what is typed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["small.json", "--tool", "recall"],
            "--tool: a journal is recorded whole, since each step stands on the",
        ),
        (["--update", "small.json", "--step", "3"], "--step: a journal is recorded whole, since each step stands on"),
        (["--update", "small.json", "--shard", "1/2"], "--shard: a journal is recorded whole, since each step stands"),
        ([], "record takes a SCENARIO, or --update with a journal"),
        (["small.json", "--update", "small.json"], "record takes a SCENARIO, or --update with a journal"),
        (["--update", "small.json", "--out", "x.json"], "--update writes beside the journal, for review: it takes no"),
        (["--update", "small.json.pending"], "--update takes a journal, and small.json.pending is none yet"),
        (["--update", "small.json.partial"], "--update takes a journal, and small.json.partial is none yet"),
        (["small.json", "--out", "x.json.pending"], "--out x.json.pending: no name for a journal"),
        (["small.json", "--out", "/"], "--out /: no name for a journal"),
        (["small.json", "--out", "."], "--out .: no name for a journal"),
        (["small.json", "--out", "folder"], "folder is a folder"),
        (["small.json", "--out", "small.json"], "small.json is the scenario itself: --update records a journal again"),
        (["small.json", "--out", "gate.json"], "gate.json is a journal of the gate: --update records it again"),
        (["small.json", "--out", "gone/x.json"], "gone/x.json.partial cannot be written: No such file or directory"),
        (["small.json", "--resume"], "small.recorded.json.partial is not there: nothing to resume"),
        (["gone.json"], "gone.json: found no such file, expected a journal"),
        (["bad.json"], "bad.json:1:1: found an empty file, expected a journal"),
        ([str(LOGS / "keepimg.json")], f"{LOGS / 'keepimg.json'}: a journal of kept images holds no calls of a tool"),
        (["small.json", "--redact", "key=a*"], "the redaction rule key matches the empty text, which hides nothing"),
        (["small.json", "--redact", "key=("], "the redaction rule key is no regular expression: missing ), unterm"),
        (["small.json", "--redact", "K=a"], "the redaction rule 'K' has no name of a-z, 0-9 and - (at most 40)"),
        (["small.json", "--redact", "k=a", "--redact", "k=b"], "the redaction rule k is given twice"),
    ],
)
def test_what_cannot_be_typed_is_one_sentence(arguments: list[str], sentence: str, record: Recorder) -> None:
    scenario = small(record.folder)
    small(record.folder, name="gate.json")
    (record.folder / "bad.json").touch()
    (record.folder / "folder").mkdir()
    (record.folder / "pyproject.toml").write_text(
        '[tool.loki-parity]\njournals = ["gate.json"]\nfloors = { journals = 1, steps = 1 }\n'
    )
    before = record.left()
    with serving(of(scenario)) as url:
        said = record(*arguments, "--go-url", url)
    assert said.err.startswith(f"loki-parity: {sentence}")
    assert (said.status, said.out, said.err.count("\n"), record.left()) == (2, "", 1, before)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["small.json"], "the following arguments are required: --go-url"),
        (
            ["small.json", "--go-url", "x", "--redact", "key"],
            "argument --redact: 'key' is no rule (expected NAME=",
        ),
        (["small.json", "--go-url", "x", "--redact", "key="], "argument --redact: 'key' is no rule"),
        (["small.json", "--go-url", "x", "--deadline", "0"], "argument --deadline: '0' is not a number of seconds"),
    ],
)
def test_what_the_parser_refuses(arguments: list[str], sentence: str, record: Recorder) -> None:
    said = record(*arguments)
    assert (said.status, said.err.startswith(f"loki-parity record: {sentence}")) == (2, True), said.err


@pytest.mark.parametrize(
    "url", ["x", "ftp://127.0.0.1", "http://", "https://127.0.0.1:1", "http://127.0.0.1:1/a?b", "http://[x"]
)
def test_a_url_that_is_none(url: str, record: Recorder) -> None:
    said = record(small(record.folder), "--go-url", url)
    assert (said.status, said.err.startswith("loki-parity: --go-url: "), said.err.count("\n")) == (2, True, 1)


def test_a_pyproject_that_cannot_be_read_is_refused(record: Recorder) -> None:
    (record.folder / "pyproject.toml").write_text("[")
    said = record(small(record.folder), "--go-url", "http://127.0.0.1:1")
    assert (said.status, said.err.startswith("loki-parity: pyproject.toml cannot be read: ")) == (3, True)


def test_another_file_may_be_replaced_where_no_gate_is_configured(record: Recorder) -> None:
    scenario = small(record.folder)
    record.out.write_bytes(b"old")
    with serving(of(scenario)) as url:
        assert len(record.journal(scenario, "--go-url", url)["steps"]) == 3


def test_a_folder_that_nobody_may_write_to(tmp_path: Path) -> None:
    scenario = small(tmp_path)
    with serving(of(scenario)) as url:
        ran = loki_parity("record", "small.json", "--go-url", url, "--out", "/proc/x.json", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("loki-parity: /proc/x.json.partial cannot be written: ")


@pytest.mark.parametrize(("most", "file"), [(10, "out.json.partial"), (700, "out.json.partial"), (1000, "out.json")])
def test_a_full_disk_leaves_the_old_file(most: int, file: str, record: Recorder) -> None:
    scenario = small(record.folder)
    record.out.write_bytes(b"old")
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with serving(of(scenario)) as url:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        try:
            said = record(scenario, "--go-url", url, "--out", "out.json")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert (said.status, said.out) == (2, "")
    assert said.err == f"loki-parity: {file} cannot be written: File too large\n"
    assert (record.out.read_bytes(), record.left()) == (b"old", ["out.json", "small.json"])


def test_what_cannot_be_replaced_is_left(record: Recorder) -> None:
    scenario = small(record.folder)
    record.out.write_bytes(b"old")
    (record.folder / ".out.json.writing").mkdir()
    with serving(of(scenario)) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
    assert (said.status, said.err.startswith(f"loki-parity: {record.out} cannot be written: ")) == (2, True)
    assert record.out.read_bytes() == b"old"


def test_a_part_of_run_is_not_offered_in_help(record: Recorder) -> None:
    said = record("--help")
    assert said.status == 0
    assert "--shard" not in said.out
    assert "--twice" in said.out
    assert json.dumps(said.out)
