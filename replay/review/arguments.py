"""What can be typed after ``loki-parity review``."""

from __future__ import annotations

import argparse
import re
from typing import Final, TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)

_EXITS: Final = """\
On a terminal each group is shown and one key decides: a accept, r reject, s skip, q quit (what was decided until then
is carried out). Elsewhere, and without an option that decides, the groups are only listed.

exit status: 0 nothing waits (any more); 1 something still does; 2 bad input, or a decision that cannot be carried out;
3 no journal is configured here, or a Go that is not offered; 130 interrupted (at a question: nothing has changed)
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "review",
        help="what a re-recorded journal says otherwise: accept it or not, edit by edit",
        description=(
            "Compares JOURNAL.pending, a re-recorded journal, with JOURNAL. The same edit in many steps is one group "
            "and one decision.\nWhat is accepted goes into JOURNAL, what is rejected out of JOURNAL.pending; nothing "
            "changes without a decision.\nA regenerated snapshot, NAME.pending, is reviewed in the same way."
        ),
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a journal, what waits beside it, or a folder; none: the folders of the configured journals",
    )
    decide = verb.add_argument_group("decisions")
    decide.add_argument("--accept-all", action="store_true", help="accept every group")
    decide.add_argument("--reject-all", action="store_true", help="reject every group")
    decide.add_argument(
        "--accept", action="append", default=[], type=_numbers, metavar="N,M", help="accept these groups"
    )
    decide.add_argument(
        "--reject", action="append", default=[], type=_numbers, metavar="N,M", help="reject these groups"
    )
    verb.add_argument("--list", action="store_true", help="only list the groups, on a terminal too")
    verb.add_argument("--reveal", action="store_true", help="show the texts of sealed memories")


def _numbers(text: str) -> list[int]:
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text, re.ASCII):
        message = f"{text!a} does not name groups (expected such as 1,3)"
        raise argparse.ArgumentTypeError(message)
    return [int(one) for one in text.split(",")]
