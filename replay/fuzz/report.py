"""What a campaign did, for people: subjects, inputs, differences, and the boundaries that were never reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.counted import counted, named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.fuzz.campaign import Campaign, Tally
    from replay.fuzz.trial import Subject
    from replay.report.styles import Plain

_WIDTH: Final = 24


def summary(
    campaign: Campaign, styles: Plain, *, explored: str = "", found: int = 0, interrupted: bool = False
) -> Iterator[str]:
    """The whole of it; the same inputs give the same lines."""
    target = campaign.target
    yield styles.strong(f"{target.version}, Unicode {target.unicode}, {target.goarch} · seed {campaign.seed}")
    for tally in campaign.tallies:
        yield _line(tally, styles)
    yield from _buckets(campaign, styles)
    if explored:
        yield f"explored   {explored}"
    if interrupted:
        yield styles.bad(f"verdict    INTERRUPTED after {counted(campaign.inputs, 'input')}")
    elif found:
        differ = f"{found} of {len(campaign.tallies)} {named(found, 'differs', 'differ')}"
        yield styles.bad(f"verdict    DIVERGED: {differ}, {counted(campaign.inputs, 'input')}")
    else:
        yield styles.good(f"verdict    MATCH: no difference in {counted(campaign.inputs, 'input')}")


def _line(tally: Tally, styles: Plain) -> str:
    subject = tally.subject
    verdict = styles.good("no difference") if tally.place is None else styles.bad("differs")
    return (
        f"  {subject.judge:<6} {subject.name:<{_WIDTH}} {tally.inputs:>9,} {named(tally.inputs, 'input'):<6}  {verdict}"
    )


def _buckets(campaign: Campaign, styles: Plain) -> Iterator[str]:
    total = sum(len(tally.subject.buckets) for tally in campaign.tallies)
    never = campaign.never
    reached = f"{total - len(never)} of {total} reached (rule × boundary)"
    yield f"buckets    {(styles.bad if never else styles.good)(reached)}" + (", never:" if never else "")
    for subject, bucket in never:
        yield f"  {subject.name}: {bucket}"


def rarity(campaign: Campaign) -> Iterator[str]:
    """How many inputs reached each boundary, the rarest of all first."""
    counted = [
        (count, f"{tally.subject.name}: {bucket}", tally.inputs)
        for tally in campaign.tallies
        for bucket, count in zip(tally.subject.buckets, tally.reached, strict=True)
    ]
    yield "rarity     how many inputs reached each boundary, of those of its tool"
    for count, name, inputs in sorted(counted, key=lambda one: one[0] / max(one[2], 1)):
        yield f"  {count:>9,} of {inputs:>9,}  {name}"


def speed(campaign: Campaign) -> str:
    """How fast it was; not part of the report, which is the same for the same inputs."""
    seconds = max(campaign.seconds, 1e-9)
    return (
        f"{counted(campaign.inputs, 'input')}, {counted(campaign.questions, 'question')} in {campaign.seconds:.1f} s: "
        f"{campaign.inputs / seconds:,.0f} inputs and {campaign.questions / seconds:,.0f} questions a second"
    )


def listing(subjects: Sequence[Subject]) -> Iterator[str]:
    """What can be fuzzed, who judges it, and the boundaries of its rules."""
    for subject in subjects:
        yield f"{subject.name} ({subject.judge})"
        for bucket in subject.buckets:
            yield f"  {bucket}"
