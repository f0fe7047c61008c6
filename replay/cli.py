"""The command ``loki-parity``: arguments in, an exit status out; the verbs are elsewhere."""

from __future__ import annotations

import argparse
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from parity.gostd.target import TargetNotOfferedError
from replay.candidates.table import SORTS, Means, UnknownCandidateError, known, made
from replay.configuration import ConfigurationError, nearest
from replay.oracle.errors import OracleError
from replay.outcome import Mode
from replay.run import BOTH_MODES, Exit, Floors, Plan, Selection
from replay.sources import NoJournalError, configured, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.sources import Source

EXITS: Final = """\
exit status:
  0    every step that was judged matches Go, and the run has shown that it can fail
  1    at least one step diverged, crashed, or went through Go
  2    bad input: a journal or an argument that cannot be used
  3    not judged: nothing to judge, a kind that is not ported, a Go that is not offered, a floor not reached,
       or a planted divergence that was not found
  130  interrupted
"""

_STEPS: Final = re.compile(r"(?P<low>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?:-(?P<high>[0-9]{1,9}(?:\.[0-9]{1,9})?))?", re.ASCII)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2."""
        self.exit(Exit.BAD_INPUT, f"{self.prog}: {message} (try {self.prog} --help)\n")


def _steps(text: str) -> tuple[str, str]:
    found = _STEPS.fullmatch(text)
    if found is None:
        message = f"{text!r} is not a step (12), a range (10-20) or an operation of a case (3.2)"
        raise argparse.ArgumentTypeError(message)
    return found["low"], found["high"] or found["low"]


def _candidate(text: str) -> str:
    try:
        return known(text)
    except UnknownCandidateError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = _Parser(
        prog="loki-parity",
        description="Judges a port of Loki's tools against what Go recorded, to the character.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"loki-parity {metadata.version('loki-parity')}")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=_Parser)
    _add_run(verbs)
    _add_serve(verbs)
    return top


def _add_run(verbs: argparse._SubParsersAction[_Parser]) -> None:
    verb = verbs.add_parser(
        "run",
        help="the gate: replay journals and compare every step with what Go recorded",
        description="Replays journals through a candidate, isolated and chained, and compares every field exactly.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="journals, or folders of them; none: those named in [tool.loki-parity] of the nearest pyproject.toml",
    )
    verb.add_argument(
        "--candidate",
        default="port",
        type=_candidate,
        metavar="NAME",
        help=f"who is judged: {', '.join(sort.written for sort in SORTS.values())} (default: port)",
    )
    _add_go(verb)
    verb.add_argument(
        "--transport",
        default="http",
        choices=["http", "memory"],
        help="how the candidate reaches the fake Go (default: http; memory is quicker and proves less)",
    )
    verb.add_argument("--mode", action="append", choices=[*Mode], help="only this mode (default: both)")
    verb.add_argument("--tool", action="append", default=[], metavar="NAME", help="judge only this tool's steps")
    verb.add_argument(
        "--step", action="append", default=[], type=_steps, metavar="N", help="judge only step N, or N-M, or 3.2"
    )
    verb.add_argument("-x", "--stop-at-first", action="store_true", help="stop at the first step that does not match")
    verb.add_argument("--report-json", type=Path, metavar="FILE", help="also write the run as JSON lines")
    verb.add_argument("--color", choices=["auto", "always", "never"], default="auto", help="colour (default: auto)")


def _add_go(verb: _Parser) -> None:
    verb.add_argument("--go", type=Path, metavar="FILE", help="the go command that builds the model (default: found)")
    verb.add_argument("--cache", type=Path, metavar="DIR", help="where built programs are kept (default: your cache)")


def _add_serve(verbs: argparse._SubParsersAction[_Parser]) -> None:
    verb = verbs.add_parser(
        "serve",
        help="a fake Go that serves a journal's blocks, for clients in any language",
        description="Serves the two archive reads of a journal's blocks over HTTP, on loopback, until interrupted.",
    )
    verb.add_argument("file", metavar="FILE", help="a journal of the kind recall")
    verb.add_argument("--port", type=_port, default=0, help="the port (default: any free one)")


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text, re.ASCII) or int(text) >= 1 << 16:
        message = f"{text!r} is not a port (0 to 65535)"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Nothing a person can type or hand in ends in a traceback."""
    _speak_utf8()
    options = parser().parse_args(arguments)
    try:
        return _serve(options) if options.verb == "serve" else _run(options)
    except KeyboardInterrupt:
        _complain("interrupted")
        return Exit.INTERRUPTED


def _speak_utf8() -> None:
    """Reports are UTF-8 whatever the locale; what cannot be written is escaped, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _complain(sentence: str) -> None:
    sys.stderr.write(f"loki-parity: {sentence}\n")


def _sources(paths: Sequence[str]) -> tuple[Sequence[Source], Floors]:
    if paths:
        return named(paths), Floors()
    configuration = nearest(Path.cwd())
    return configured(configuration), Floors(configuration.least_journals, configuration.least_steps)


def _run(options: argparse.Namespace) -> int:
    from replay.report.jsonl import JsonLines, ReportError  # noqa: PLC0415 - --help must be quick
    from replay.report.terminal import Terminal  # noqa: PLC0415 - as above
    from replay.run import run  # noqa: PLC0415 - as above

    try:
        sources, floors = _sources(options.paths)
    except (ConfigurationError, NoJournalError) as error:
        _complain(str(error))
        return Exit.NOT_JUDGED
    selection = Selection(frozenset(options.tool), tuple(options.step))
    plan = Plan(
        sources=sources,
        modes=tuple(mode for mode in BOTH_MODES if not options.mode or mode in options.mode),
        selection=selection,
        floors=floors if selection.everything else Floors(),
        stop_at_first=options.stop_at_first,
    )
    terminal = Terminal(sys.stdout, sys.stderr, color=options.color)
    try:
        means = Means(options.transport, options.go, options.cache)
        with JsonLines.to(options.report_json) as report, made(options.candidate, means) as candidate:
            receipt = run(plan, candidate, [terminal, *report])
    except (OracleError, TargetNotOfferedError) as error:
        _complain(str(error))
        return Exit.NOT_JUDGED
    except ReportError as error:
        _complain(str(error))
        return Exit.BAD_INPUT
    return receipt.exit


def _serve(options: argparse.Namespace) -> int:
    from replay.serve import serve  # noqa: PLC0415 - it loads the HTTP stack: --help must not

    return serve(options.file, options.port, sys.stdout, _complain)
