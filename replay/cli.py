"""The command ``loki-parity``: arguments in, an exit status out; the verbs are elsewhere."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, TextIO

from parity.gostd.target import TargetNotOfferedError
from replay import report_arguments
from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.table import FIELDS_OF_A_CALL, SORTS, Means, UnknownCandidateError, known, made
from replay.configuration import ConfigurationError, nearest, policy
from replay.discretion import discreet
from replay.doctor import arguments as doctor_arguments
from replay.drift import arguments as drift_arguments
from replay.explain import arguments as explain_arguments
from replay.fields import COMPARED, OF_CASES
from replay.fuzz import arguments as fuzz_arguments
from replay.journal import JournalError
from replay.journal.drawing import visible
from replay.migrate import arguments as migrate_arguments
from replay.oracle.errors import OracleError
from replay.outcome import Mode
from replay.record import arguments as record_arguments
from replay.reduce import arguments as reduce_arguments
from replay.report.replaced import same_file
from replay.review import arguments as review_arguments
from replay.rules import arguments as rules_arguments
from replay.run import BOTH_MODES, Exit, Floors, Plan, Selection, order
from replay.sources import NoJournalError, configured, named
from replay.standard_output import named_by_the_caller, standard_output
from replay.status import arguments as status_arguments
from replay.waivers import arguments as waivers_arguments
from replay.waivers.waiver import WaiverError, Waivers
from replay.whereabouts import LOADING, At
from replay.work import Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.candidates.interface import Candidate
    from replay.run import Reporter
    from replay.sources import Source

EXITS: Final = """\
exit status:
  0    every step that was judged matches Go or is waived, and the run has shown that it can fail
  1    at least one step diverged, crashed, or went through Go
  2    bad input: a journal or an argument that cannot be used
  3    not judged: nothing to judge, a kind that is not ported, a Go that is not offered, a floor not reached,
       a planted divergence that was not found, a waiver that waives nothing, waivers and no --today, or a port that
       ended or hung the process that judges it
  130  interrupted
"""

_MOST_JOBS: Final = 256

_MOST_CANDIDATES: Final = 26
"""A letter each."""

_STEPS: Final = re.compile(r"(?P<low>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?:-(?P<high>[0-9]{1,9}(?:\.[0-9]{1,9})?))?", re.ASCII)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2."""
        self.exit(Exit.BAD_INPUT, f"{self.prog}: {visible(discreet(message))} (try {self.prog} --help)\n")


def _steps(text: str) -> tuple[str, str]:
    found = _STEPS.fullmatch(text)
    if found is None:
        message = f"{text!r} is not a step (12), a range (10-20) or an operation of a case (3.2)"
        raise argparse.ArgumentTypeError(message)
    low, high = found["low"], found["high"] or found["low"]
    if order(high) < order(low)[: len(order(high))]:
        message = f"{text!r} ends before it begins"
        raise argparse.ArgumentTypeError(message)
    return low, high


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
    rules_arguments.add(verbs)
    drift_arguments.add(verbs, _candidate)
    explain_arguments.add(verbs)
    fuzz_arguments.add(verbs)
    report_arguments.add(verbs)
    record_arguments.add(verbs)
    reduce_arguments.add(verbs, _candidate, _add_means)
    status_arguments.add(verbs)
    doctor_arguments.add(verbs)
    migrate_arguments.add(verbs)
    review_arguments.add(verbs)
    waivers_arguments.add(verbs, _steps)
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
        action="append",
        type=_candidate,
        metavar="NAME",
        help=f"who is judged: {', '.join(sort.written for sort in SORTS.values())} (default: port); several: a table",
    )
    _add_means(verb)
    verb.add_argument(
        "--mode", action="append", choices=[str(mode) for mode in Mode], help="only this mode (default: both)"
    )
    verb.add_argument("--tool", action="append", default=[], metavar="NAME", help="judge only this tool's steps")
    verb.add_argument(
        "--step", action="append", default=[], type=_steps, metavar="N", help="judge only step N, or N-M, or 3.2"
    )
    verb.add_argument(
        "--field",
        action="append",
        type=_fields,
        metavar="NAMES",
        help="compare only these fields: result,label",
    )
    verb.add_argument(
        "-j",
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="judge long journals in so many processes (default: 1); what comes of it is the same",
    )
    verb.add_argument(
        "--shard",
        type=_shard,
        metavar="K/N",
        help="judge only part K of N; loki-parity report puts the parts' --report-json together",
    )
    verb.add_argument("-x", "--stop-at-first", action="store_true", help="stop at the first step that does not match")
    verb.add_argument("--require-signed", action="store_true", help="judge only journals with a hash chain that holds")
    verb.add_argument(
        "--today",
        type=waivers_arguments.day,
        metavar="DATE",
        help="the day, on which waivers may have expired: 2026-12-31",
    )
    verb.add_argument("--report-json", type=Path, metavar="FILE", help="also write the run as JSON lines")
    verb.add_argument(
        "--slowest", type=_how_many, metavar="N", help="also tell the N slowest steps, on standard error at the end"
    )
    verb.add_argument("--reveal", action="store_true", help="also show the texts of sealed memories")
    verb.add_argument("--color", choices=["auto", "always", "never"], default="auto", help="colour (default: auto)")


def _add_means(verb: _Parser) -> None:
    """What a candidate may need, whoever asks for it."""
    _add_go(verb)
    _add_outside(verb)
    verb.add_argument(
        "--transport",
        default="http",
        choices=["http", "memory"],
        help="how the candidate reaches the fake Go (default: http; memory is quicker and proves less)",
    )


def _add_outside(verb: _Parser) -> None:
    verb.add_argument(
        "--http-path", type=_path, metavar="PATH", help="where a façade runs a tool (default: /internal/v1/tool/exec)"
    )
    verb.add_argument(
        "--http-fields",
        type=_names,
        metavar="NAMES",
        help="what it calls Go's fields: name=tool,args=arguments",
    )
    verb.add_argument(
        "--go-port",
        type=_port,
        metavar="PORT",
        help="the port of the fake Go that it reads from (default: any)",
    )
    verb.add_argument(
        "--deadline",
        type=_seconds,
        metavar="SECONDS",
        help="how long an answer may take (default: 10; of port and facade 60, and then the run ends)",
    )


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


def _path(text: str) -> str:
    if not re.fullmatch(r"/[!-~]*", text, re.ASCII):
        message = f"{text!r} is not the path of a URL (expected such as /internal/v1/tool/exec)"
        raise argparse.ArgumentTypeError(message)
    return text


def _names(text: str) -> dict[str, str]:
    """What a façade calls Go's fields."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    unknown = [key for key, _, _ in pairs if key not in FIELDS_OF_A_CALL]
    if unknown or not all(value for _, _, value in pairs):
        message = f"{text!r} does not name fields (expected KEY=NAME,… for keys of {', '.join(FIELDS_OF_A_CALL)})"
        raise argparse.ArgumentTypeError(message)
    return {key: value for key, _, value in pairs}


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text, re.ASCII) or float(text) == 0:
        message = f"{text!r} is not a number of seconds (0.001 to 999999)"
        raise argparse.ArgumentTypeError(message)
    return float(text)


def _fields(text: str) -> list[str]:
    names = text.split(",")
    unknown = [one for one in names if one not in (*COMPARED, *OF_CASES)]
    if unknown:
        message = f"{unknown[0]!r} is no field (expected some of {', '.join(dict.fromkeys((*COMPARED, *OF_CASES)))})"
        raise argparse.ArgumentTypeError(message)
    return names


def _how_many(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) or int(text) == 0:
        message = f"{text!r} is not a number of steps (1 to 999999)"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _jobs(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text, re.ASCII) or not 1 <= int(text) <= _MOST_JOBS:
        message = f"{text!r} is no number of processes (1 to {_MOST_JOBS})"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _shard(text: str) -> Shard:
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        message = f"{text!r} is no part of a whole (expected such as 3/16, from 1/16 to 16/16)"
        raise argparse.ArgumentTypeError(message)
    return Shard(int(found[1]), int(found[2]))


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text, re.ASCII) or int(text) >= 1 << 16:
        message = f"{text!r} is not a port (0 to 65535)"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def main(arguments: Sequence[str] | None = None, stream: TextIO | None = None) -> int:
    """Run the command. Nothing a person can type or hand in ends in a traceback.

    ``stream`` is standard output, if it is not ``sys.stdout``.
    """
    with standard_output(stream) as out:
        status = _main(arguments)
        out.flush()
        if out.refusal is None:
            return status
        _complain(f"standard output cannot be written: {out.refusal}")
        return Exit.BAD_INPUT


def _main(arguments: Sequence[str] | None) -> int:
    options = parser().parse_args(arguments)
    out, sys.stdout = sys.stdout, sys.stderr  # until the end: whatever the port prints is no part of a report
    try:
        return _VERBS[options.verb](options, out)
    except KeyboardInterrupt:
        _complain("interrupted")
        return Exit.INTERRUPTED
    except JournalError as error:  # a journal of lines that has changed since it was checked
        _complain(str(error))
        return Exit.BAD_INPUT
    except CandidateNotReadyError as error:
        _complain(str(error))
        return Exit.NOT_JUDGED
    except SystemExit as end:  # a module of the port's, while it was loaded; or argparse's status would be a verdict
        _complain(f"the port ended the run, with status {end.code}")
        return Exit.NOT_JUDGED


def _complain(sentence: str) -> None:
    sys.stderr.write(f"loki-parity: {visible(discreet(sentence))}\n")


def _sources(paths: Sequence[str]) -> tuple[Sequence[Source], Floors]:
    if paths:
        return named(paths, _complain), Floors()
    configuration = nearest()
    return configured(configuration, _complain), Floors(
        configuration.least_journals, configuration.least_steps, configuration.least_compared
    )


def _waivers(paths: Sequence[str]) -> Waivers:
    """Those of the project; who names journals need not have one."""
    try:
        configuration = nearest()
    except ConfigurationError:
        if paths:
            return Waivers()
        raise
    return Waivers.read(configuration.folder, configuration.waivers)


def _run(options: argparse.Namespace, out: TextIO) -> int:
    from replay.report.jsonl import JsonLines, ReportError  # noqa: PLC0415 - --help must be quick
    from replay.report.terminal import Terminal  # noqa: PLC0415 - as above
    from replay.several import run_several  # noqa: PLC0415 - as above

    try:
        sources, floors = _sources(options.paths)
        require_signed = options.require_signed or policy().require_signed
        waivers = _waivers(options.paths)
    except (ConfigurationError, NoJournalError, WaiverError) as error:
        _complain(str(error))
        return Exit.BAD_INPUT if isinstance(error, WaiverError) else Exit.NOT_JUDGED
    fields = None if options.field is None else frozenset(name for names in options.field for name in names)
    selection = Selection(frozenset(options.tool), tuple(options.step), fields)
    plan = Plan(
        sources=sources,
        modes=tuple(mode for mode in BOTH_MODES if not options.mode or mode in options.mode),
        selection=selection,
        floors=floors if selection.everything else Floors(),
        stop_at_first=options.stop_at_first,
        require_signed=require_signed,
        everything=not options.paths,
        waivers=waivers,
        today=options.today,
        jobs=options.jobs,
        shard=options.shard,
    )
    names = options.candidate or ["port"]
    report_file = options.report_json and named_by_the_caller(options.report_json, out)
    refused = _refused(names, report_file, sources) or _refused_for_one(names, options)
    if refused is not None:
        _complain(refused)
        return Exit.BAD_INPUT
    try:
        with JsonLines.to(report_file, reveal=options.reveal) as report, contextlib.ExitStack() as started:
            candidates = [started.enter_context(_made(name, options)) for name in names]
            if len(candidates) > 1:
                return run_several(plan, candidates, out, *report)
            terminal = Terminal(out, sys.stderr, color=options.color, reveal=options.reveal)
            return _one(plan, candidates[0], [terminal, *report], options.slowest, out)
    except (OracleError, TargetNotOfferedError) as error:
        _complain(str(error))
        return Exit.NOT_JUDGED
    except ReportError as error:
        _complain(str(error))
        return Exit.BAD_INPUT


def _one(plan: Plan, candidate: Candidate, reporters: list[Reporter], most: int | None, out: TextIO) -> Exit:
    """Judge one candidate; with ``most``, tell its slowest steps after the receipt."""
    from replay.run import run  # noqa: PLC0415 - as above
    from replay.slowest import Slowest  # noqa: PLC0415 - as above

    if most is None:
        return run(plan, candidate, reporters).exit
    slowest = Slowest(most)
    exit_ = run(plan, slowest.timed(candidate), [*reporters, slowest]).exit
    out.flush()
    sys.stderr.writelines(f"{line}\n" for line in slowest.lines())
    return exit_


def _refused(names: Sequence[str], report: Path | None, sources: Sequence[Source]) -> str | None:
    """Why these arguments cannot go together, or None."""
    if len({discreet(name) for name in names}) < len(names) or len(names) > _MOST_CANDIDATES:
        return f"--candidate takes different candidates, at most {_MOST_CANDIDATES}"
    if report is not None and any(same_file(report, source.path) for source in sources):
        return "--report-json names a journal that is to be judged: a report never replaces one"
    return None


def _refused_for_one(names: Sequence[str], options: argparse.Namespace) -> str | None:
    """Why these candidates cannot be timed, or be judged in several processes, or None."""
    if options.slowest is not None and len(names) > 1:
        return "--slowest takes one candidate"
    if options.jobs == 1:
        return None
    if options.slowest is not None:
        return "--slowest times the calls of one process: it does not go together with --jobs"
    if len(names) > 1:
        return "--jobs judges one candidate: run several one after the other"
    if names[0].startswith("http") or options.go_port is not None:
        return "--jobs starts a candidate in each process, and this one is there once: a façade over HTTP, or --go-port"
    return None


def _made(name: str, options: argparse.Namespace) -> Candidate:
    means = _means(options)
    if options.jobs == 1:
        return made(name, means)
    from replay.candidates.resting import Resting  # noqa: PLC0415 - only several processes need it

    return Resting(lambda: made(name, means))


def _means(options: argparse.Namespace) -> Means:
    return Means(
        options.transport,
        options.go,
        options.cache,
        http_path=options.http_path,
        http_fields=options.http_fields,
        go_port=options.go_port,
        deadline=options.deadline,
    )


def _serve(options: argparse.Namespace, out: TextIO) -> int:
    from replay.serve import serve  # noqa: PLC0415 - it loads the HTTP stack: --help must not

    return serve(options.file, options.port, out, _complain)


def _rules(options: argparse.Namespace, out: TextIO) -> int:
    with At(LOADING):
        from replay.rules.command import rules  # noqa: PLC0415 - it loads the port: --help must not

    return rules(options, out, _complain)


def _drift(options: argparse.Namespace, out: TextIO) -> int:
    from replay.drift.command import drift  # noqa: PLC0415 - as above

    return drift(options, out, _complain)


def _fuzz(options: argparse.Namespace, out: TextIO) -> int:
    from replay.fuzz.command import fuzz  # noqa: PLC0415 - as above

    return fuzz(options, out, _complain)


def _explain(options: argparse.Namespace, out: TextIO) -> int:
    from replay.explain.command import explain  # noqa: PLC0415 - as above

    return explain(options, out, _complain)


def _report(options: argparse.Namespace, out: TextIO) -> int:
    from replay.report_command import report  # noqa: PLC0415 - as above

    return report(options, out, _complain)


def _record(options: argparse.Namespace, out: TextIO) -> int:
    from replay.record.command import record  # noqa: PLC0415 - as above

    return record(options, out, _complain)


def _show(options: argparse.Namespace, out: TextIO) -> int:
    from replay.show import show  # noqa: PLC0415 - as above

    return show(options, out, _complain)


def _reduce(options: argparse.Namespace, out: TextIO) -> int:
    from replay.reduce.command import reduce  # noqa: PLC0415 - as above

    return reduce(options, _means(options), out, _complain)


def _status(options: argparse.Namespace, out: TextIO) -> int:
    from replay.status.command import status  # noqa: PLC0415 - as above

    return status(options, out, _complain)


def _doctor(options: argparse.Namespace, out: TextIO) -> int:
    from replay.doctor.command import doctor  # noqa: PLC0415 - as above

    return doctor(options, out, _complain)


def _migrate(options: argparse.Namespace, out: TextIO) -> int:
    from replay.migrate.command import migrate  # noqa: PLC0415 - as above

    return migrate(options, out, _complain)


def _review(options: argparse.Namespace, out: TextIO) -> int:
    from replay.review.command import review  # noqa: PLC0415 - as above

    return review(options, out, _complain)


def _waive(options: argparse.Namespace, out: TextIO) -> int:
    from replay.waivers.command import waive  # noqa: PLC0415 - as above

    return waive(options, out, _complain)


_VERBS: Final = {
    "run": _run,
    "serve": _serve,
    "rules": _rules,
    "drift": _drift,
    "fuzz": _fuzz,
    "explain": _explain,
    "report": _report,
    "show": _show,
    "record": _record,
    "reduce": _reduce,
    "status": _status,
    "doctor": _doctor,
    "migrate": _migrate,
    "review": _review,
    "waive": _waive,
}
