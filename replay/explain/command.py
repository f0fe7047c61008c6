"""``loki-parity explain``: what Go does with a text, rule by rule, and real Go's own answer beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from parity import zones
from parity.gostd import json
from parity.gostd.target import TargetNotOfferedError
from replay.counted import counted
from replay.explain import paging, recalling, rendering, tracking, wording
from replay.explain.explanation import ExplainError, bytes_of, text_of
from replay.explain.kinds import KINDS
from replay.go_version import NoVersionError, target_of
from replay.journal import octets
from replay.journal.defects import Defect
from replay.journal.header import DEFAULT_GO
from replay.journal.instants import instant
from replay.journal.model import MEMORY, RECALL
from replay.loaded import NoUsableJournalError, journal, journals
from replay.oracle.errors import NoGoError, OracleError
from replay.oracle.start import oracle
from replay.report.value_text import cut
from replay.rules.book import BookError, book
from replay.rules.by_step import rules_of_steps, steps_of_rules
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from parity.tools.interface import Block
    from replay.explain.explanation import Explanation


def explain(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb.

    0: told, and real Go says the same as far as it could be asked. 1: real Go says otherwise. 2: a text, a journal or
    an option that cannot be used. 3: the Go is not offered, or the oracle is broken; everything else was told.
    """
    try:
        known = book()
        told = _explained(options)
    except (ExplainError, NoVersionError, zones.UnknownZoneError) as error:
        complain(str(error))
        return Exit.BAD_INPUT
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    except (BookError, TargetNotOfferedError) as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    out.writelines(f"{line}\n" for line in rendering.explained(told, known))
    out.writelines(f"{line}\n" for line in _shown_by(told, options.kind))
    return _beside_real_go(told, options, out, complain)


def _explained(options: Namespace) -> Explanation:
    first, *rest = _texts(options)
    if options.kind == "score":
        return _score(options, first, *rest)
    target = DEFAULT_GO if options.go_version is None else target_of(options.go_version)
    if options.kind == "id":
        return recalling.explain_id(first, target, _blocks(options.journal))
    if options.kind == "when":
        return tracking.explain_when(first, target, zones.zone(options.zone), _now(options.now))
    if options.kind == "snippet" and options.query is not None:
        return paging.explain_page_snippet(first, options.query, target)
    return PLAIN[options.kind](first, *rest, target)


PLAIN: Mapping[str, Callable[..., Explanation]] = {
    "query": recalling.explain_query,
    "snippet": recalling.explain_snippet,
    "limit": wording.explain_limit,
    "quote": wording.explain_quote,
    "label": wording.explain_label,
    "name": paging.explain_name,
    "title": paging.explain_title,
    "diff": paging.explain_diff,
    "slug": tracking.explain_slug,
}
"""The kinds that need nothing but their texts and the target."""


def _texts(options: Namespace) -> list[str]:
    """As many texts as the kind takes."""
    wanted = KINDS[options.kind].texts
    if len(options.texts) != len(wanted):
        given = counted(len(options.texts), "text was", "texts were")
        message = f"explain {options.kind} takes {' '.join(wanted)}, and {given} given"
        raise ExplainError(message)
    return [*options.texts]


def _blocks(path: str | None) -> Sequence[Block]:
    if path is None:
        return ()
    read = journal(path)
    if read.kind != RECALL:
        message = f"{cut(read.file)}: a journal of the kind {read.kind} holds no blocks"
        raise ExplainError(message)
    return read.blocks


def _now(text: str | None) -> int | None:
    """The clock in nanoseconds since 1970."""
    if text is None:
        return None
    try:
        return instant(octets.seen(bytes_of(text)))
    except Defect:
        message = f"{cut(text)} is not a moment (expected such as 2026-10-16T09:30:00Z)"
        raise ExplainError(message) from None


def _score(options: Namespace, path: str, query: str) -> Explanation:
    read = journal(path)
    target = read.target if options.go_version is None else target_of(options.go_version)
    raw = b'{"query":' + json.marshal(text_of(query), target)
    if options.limit is not None:
        raw += b',"limit":' + wording.checked_json(options.limit, target)
    raw += b"}"
    if read.kind == RECALL:
        return recalling.explain_score(read, raw, target, options.of)
    if read.kind == MEMORY:
        if read.settings is not None and read.settings.dek is not None and not options.reveal:
            message = f"{cut(read.file)} holds the key of a sealed memory: its texts are shown with --reveal only"
            raise ExplainError(message)
        return paging.explain_page_score(read, raw, target, options.step, options.of)
    message = f"{cut(read.file)}: in a journal of the kind {read.kind} nothing is ranked"
    raise ExplainError(message)


def _shown_by(told: Explanation, kind: str) -> Iterator[str]:
    """The steps of the configured journals that show these rules."""
    tools = KINDS[kind].tools
    try:
        read = journals(())
    except NoUsableJournalError as error:
        yield f"not shown: which steps exercise these rules ({error})"
        return
    steps = steps_of_rules(rules_of_steps(read, lambda step: not tools or step.tool in tools))
    yield from rendering.shown_by(told.rules, steps)


def _beside_real_go(told: Explanation, options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    if options.no_go or not told.asks:
        out.write("real Go was not asked\n")
        return Exit.MATCH
    version = told.target.version
    try:
        with oracle(version.removeprefix("go"), go=options.go, cache=options.cache) as asked:
            said = asked.hello().version
            found = [ask(asked) for ask in told.asks]
    except NoGoError as error:
        out.write(f"real Go was not asked: {error}\n")
        return Exit.MATCH
    except OracleError as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    out.writelines(f"{line}\n" for line in rendering.verdicts(said, found))
    return Exit.MATCH if all(one.same for one in found) else Exit.DIVERGED
