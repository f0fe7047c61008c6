"""Every verb, on a sealed memory and with a candidate that was given a token: no output holds what nobody asked for.

The canary stands in every place that can hold contents: pages, sealed and read; arguments, results, diffs; trackers;
what the candidate says when it crashes or answers something else. With ``--reveal`` it must show, or the test proves
nothing.
"""

from __future__ import annotations

import io
import json
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals

from parity.stores import seal
from parity.tools import registry
from parity.tools.interface import GoUnavailable
from replay import cli
from replay.cli import parser
from replay.journal import JournalError, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from parity.tools.interface import Env, ToolAnswer

CANARY: Final = "zqcanari7391"
TOKEN: Final = "zq-jeton-4482"  # noqa: S105 - that is the point
DEK: Final = "1f" * 32
FAST: Final = ("--transport", "memory")
PROGRAM: Final = Path(__file__).parents[1] / "outside_facade.py"


def sealed(text: str) -> dict[str, str]:
    import base64  # noqa: PLC0415 - here alone

    raw = seal.seal(text.encode(), bytes.fromhex(DEK), bytes(12))
    return {"base64": base64.b64encode(raw).decode()}


def journal(*, wrong: str = "") -> dict[str, Any]:
    """A sealed memory whose every text holds the canary. ``wrong``: the record differs from what the port answers."""
    page = f"# Secret {CANARY}\nligne {CANARY}\n"
    event: dict[str, Any] = {"id": "1", "ts": 1792143000000, "text": f"point {CANARY}", "date_only": False}
    trackers = {"generale/poids": {"name": "Poids", "events": [event]}}
    read = {
        "tool": "mem_read",
        "note": "lecture",
        "now": "2026-10-16T09:30:00Z",
        "args": {"file": "secret.md", "why": CANARY},
        "result": f"1\t# Secret {CANARY}\n2\tligne {CANARY}{wrong}\n3\t",
        "files": {"secret.md": sealed(page + wrong)},
        "trackers": {"generale/poids": {"name": "Poids", "events": [{**event, "text": event["text"] + wrong}]}},
        "diff": [{"op": "+", "text": f"{CANARY}{wrong}"}] if wrong else [],
    }
    found = {**read, "tool": "mem_search", "args": {"query": CANARY}, "result": f"- secret.md — Secret {CANARY}{wrong}"}
    return small_journals.memory(
        read,
        found,
        dek=DEK,
        config={"MEM_ENCRYPTED": "oui"},
        initial={"files": {"secret.md": sealed(page)}, "trackers": trackers},
    )


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOKI_PARITY_TOKEN", TOKEN)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    small_journals.write(tmp_path, journal(), "old.json")
    small_journals.write(tmp_path, journal(wrong="."), "wrong.json")


def told(*arguments: str) -> tuple[object, str]:
    """The exit status and all that the command says."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status: object = cli.main(list(arguments))
        except SystemExit as ended:
            status = ended.code
    return status, out.getvalue() + err.getvalue()


def written(folder: Path) -> str:
    """All that was written beside the journals."""
    ours = ("old.json", "wrong.json")
    return "".join(file.read_text() for file in folder.iterdir() if file.is_file() and file.name not in ours)


def check(folder: Path, *arguments: str) -> str:
    """Run it; nothing that it says or writes holds a secret."""
    _, said = told(*arguments)
    assert said, arguments
    for secret in (CANARY, TOKEN, DEK, DEK.upper()):
        assert secret not in said, arguments
        assert secret not in written(folder), arguments
    return said


def check_said(*arguments: str) -> str:
    """The same for what a verb says alone: it writes beside a journal that holds the secrets too."""
    _, said = told(*arguments)
    for secret in (CANARY, TOKEN, DEK, DEK.upper()):
        assert secret not in said, arguments
    return said


def crashes(_: Mapping[str, object], __: Env) -> ToolAnswer:
    message = f"page {CANARY} with {TOKEN}"
    raise ValueError(message)


def gives_up(_: Mapping[str, object], __: Env) -> ToolAnswer:
    reason = f"no answer: {CANARY} {TOKEN}"
    raise GoUnavailable(reason)


VICES: Final[dict[str, Callable[..., ToolAnswer] | None]] = {"answers": None, "crashes": crashes, "gives-up": gives_up}


@pytest.fixture(params=VICES)
def vice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The port as it is, or one that tells what it met when it ends badly."""
    wrong = VICES[request.param]
    if wrong is not None:
        monkeypatch.setattr(registry, "TOOLS", dict.fromkeys(registry.TOOLS, wrong))
    return str(request.param)


def test_no_form_of_a_run_tells(vice: str, tmp_path: Path) -> None:
    assert vice in VICES
    said = check(tmp_path, "run", "wrong.json", "--report-json", "run.jsonl", "--slowest", "9", *FAST)
    assert " step 1 " in said
    check(tmp_path, "report", "run.jsonl", "--html", "run.html", "--junit", "run.xml", "--github")
    check(tmp_path, "migrate", "run.jsonl")
    check(tmp_path, "run", "wrong.json", "--candidate", "port", "--candidate", "facade", *FAST)


def test_what_is_asked_for_is_told(tmp_path: Path) -> None:
    """Else the tests beside this one would prove nothing."""
    for arguments in (
        ("run", "wrong.json", "--reveal", "--report-json", "open.jsonl", *FAST),
        ("show", "wrong.json", "--step", "1", "--reveal"),
        ("drift", "old.json", "wrong.json", "--reveal"),
        ("reduce", "wrong.json", "--reveal", *FAST),
        ("explain", "score", "wrong.json", CANARY, "--reveal", "--no-go"),
    ):
        assert CANARY in told(*arguments)[1], arguments
    assert CANARY in (tmp_path / "open.jsonl").read_text()
    for name in ("open.jsonl", "wrong-reduced.json"):
        assert CANARY in (tmp_path / name).read_text()
    # A run that was kept with everything is shown without it all the same.
    (tmp_path / "wrong-reduced.json").unlink()
    kept = (tmp_path / "open.jsonl").rename(tmp_path.parent / f"{tmp_path.name}-open.jsonl")
    check(tmp_path, "report", str(kept), "--html", "run.html", "--junit", "run.xml", "--github")


def test_no_other_verb_tells(tmp_path: Path) -> None:
    check(tmp_path, "show", "wrong.json")
    check(tmp_path, "show", "wrong.json", "--step", "1", "--step", "2", "--page", "secret.md")
    check(tmp_path, "drift", "old.json", "wrong.json")
    check(tmp_path, "drift", "old.json", "wrong.json", "--json")
    versions = ("--go-version", "1.25.5", "--go-version", "1.27.3", "--no-go")
    check(tmp_path, "drift", *versions, "wrong.json")
    check(tmp_path, "explain", "score", "wrong.json", "ligne", "--no-go")
    check(tmp_path, "explain", "id", "r1", "--journal", "wrong.json", "--no-go")
    check(tmp_path, "rules", "wrong.json")
    check(tmp_path, "serve", "wrong.json")
    check(tmp_path, "reduce", "wrong.json", *FAST)
    check(tmp_path, "migrate", "wrong.json", "--out", "none/x.json")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.loki-parity]\njournals = ["wrong.json"]\nfloors = { journals = 1, steps = 1 }\nwaivers = "accepted"\n'
    )
    check(tmp_path, "status")
    check(tmp_path, "run", *FAST)
    check(tmp_path, "doctor")
    check(tmp_path, "doctor", "--json")
    check(tmp_path, "fuzz", "--examples", "x")
    check(tmp_path, "record", "wrong.json", "--go-url", "http://127.0.0.1:9")
    pending = (tmp_path / "old.json.pending").write_bytes((tmp_path / "wrong.json").read_bytes())
    assert pending
    assert "old.json" in check_said("review", "--list", "old.json")
    (tmp_path / "old.json.pending").unlink()
    assert "wrong-1.json" in check_said("waive", "wrong.json", "--step", "1", "--reason", "x", "--until", "2027-01-01")
    waivers = [file.read_text() for file in tmp_path.rglob("*") if file.is_file() and file.suffix != ".json"]
    assert not [text for text in waivers if CANARY in text or DEK in text]


def test_every_verb_is_walked() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    verbs = parser().parse_args(["doctor"])
    assert verbs.verb == "doctor"
    for verb in cli._VERBS:
        assert f'check(tmp_path, "{verb}"' in source or f'check_said("{verb}"' in source, verb


CANDIDATES: Final = {
    "url": (f"http://somebody:{TOKEN}@127.0.0.1:9", "http://***@127.0.0.1:9"),
    "no-candidate": (f"https://somebody:{TOKEN}@127.0.0.1:9", "https://***@127.0.0.1:9"),
    "query": (f"http://127.0.0.1:9/base?token={TOKEN}", "token=***"),
    "no-program": (f"cmd:/nonexistent --token {TOKEN}", "--token ***"),
    "ends": (f"cmd:{shlex.quote(sys.executable)} -c 'import os; exit(os.environ[\"LOKI_PARITY_TOKEN\"])'", "***"),
}


@pytest.mark.parametrize("name", CANDIDATES)
def test_a_candidates_token_is_in_no_sentence(name: str, tmp_path: Path) -> None:
    candidate, shown = CANDIDATES[name]
    assert shown in check(tmp_path, "run", "old.json", "--candidate", candidate, "--deadline", "2")
    assert shown in check(tmp_path, "reduce", "old.json", "--reveal", "--candidate", candidate, "--deadline", "2")


def test_a_programs_token_is_in_no_report(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong(), small_journals.right()), "old.json")
    program = f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(PROGRAM))} --can reset --vice ''"
    other = tmp_path / "other.py"
    other.write_text(
        "import os, sys\nfor line in sys.stdin:\n    sys.exit('bad token: ' + os.environ['LOKI_PARITY_TOKEN'])\n"
    )
    dies = f"cmd:{shlex.quote(sys.executable)} other.py --token {TOKEN}"
    said = check(tmp_path, "run", "old.json", "--candidate", dies, "--report-json", "run.jsonl")
    assert "cannot be judged" in said or "***" in said
    said = check(tmp_path, "run", "old.json", "--candidate", program, "--report-json", "run.jsonl")
    assert "outside_facade.py" in said
    check(tmp_path, "report", "run.jsonl", "--html", "run.html", "--junit", "run.xml", "--github")
    _, said = told("run", "old.json", "--candidate", f"{dies}a", "--candidate", f"{dies}b")
    assert said == "loki-parity: --candidate takes different candidates, at most 26\n"


BROKEN: Final = {
    "base64": ({"files": {"secret.md": {"base64": f"{CANARY}="}}}, "base64"),
    "events": ({"trackers": {"generale/poids": {"name": "p", "events": CANARY}}}, "wrong-type"),
    "date": ({"now": CANARY}, "bad-time"),
    "op": ({"diff": [{"op": CANARY, "text": ""}]}, "wrong-value"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_sentence_on_a_broken_journal_holds_no_text_of_it(name: str, tmp_path: Path) -> None:
    step, kind = BROKEN[name]
    broken = journal()
    broken["steps"][0].update(step)
    with pytest.raises(JournalError) as caught:
        loads(json.dumps(broken).encode(), "old.json")
    assert caught.value.kind == kind
    small_journals.write(tmp_path, broken, "old.json")
    assert "a string (not shown: the file may hold the key" in check(tmp_path, "run", "old.json")
    del broken["dek"]
    with pytest.raises(JournalError, match=CANARY):
        loads(json.dumps(broken).encode(), "old.json")


def test_a_replaced_answer_is_still_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = registry.TOOLS["mem_read"]
    wrong = lambda args, env: replace(right(args, env), result=f"{CANARY} " * 400)  # noqa: E731 - one line
    monkeypatch.setattr(registry, "TOOLS", {**registry.TOOLS, "mem_read": wrong})
    check(tmp_path, "run", "old.json", "--report-json", "run.jsonl", *FAST)
