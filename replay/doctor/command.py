"""``loki-parity doctor``: whether the gate can run here, what else can, and how to mend what cannot."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from replay.doctor.findings import Finding, State, looked
from replay.doctor.looks import LOOKS
from replay.report.value_text import cut
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

_LONGEST: Final = 500


def doctor(options: Namespace, out: TextIO, _: Callable[[str], None]) -> int:
    """Run the verb. 0: the gate can run here. 3: it cannot."""
    findings = [looked(one) for one in LOOKS]
    if not options.paths:
        findings = [_without_home(one) for one in findings]
    runs = all(one.state is not State.BROKEN for one in findings)
    if options.json:
        told = {"gate_can_run": runs, "findings": [asdict(one) for one in findings]}
        out.write(json.dumps(told, indent=1) + "\n")
    else:
        out.writelines(f"{line}\n" for line in _lines(findings, runs=runs))
    return Exit.MATCH if runs else Exit.NOT_JUDGED


def _lines(findings: Sequence[Finding], *, runs: bool) -> Iterator[str]:
    for one in findings:
        line = f"{one.state:<8} {one.name:<10} {cut(one.says, _LONGEST)}"
        if one.without:
            line += f" · cannot run: {one.without}"
        yield line + (f" · {one.remedy}" if one.remedy else "")
    yield ""
    yield "the gate can run here" if runs else "the gate cannot run here: see what is broken"


def _without_home(finding: Finding) -> Finding:
    """A finding with the home folder written as ``~``."""
    named = os.environ.get("HOME", "")
    homes = {named, os.path.realpath(named), str(Path("~").expanduser())}
    says = finding.says
    for home in sorted(homes, key=len, reverse=True):
        if Path(home).is_absolute() and home != os.sep:
            says = says.replace(home.rstrip(os.sep) + os.sep, "~" + os.sep)
    return Finding(finding.name, finding.state, says, finding.without, finding.remedy)
