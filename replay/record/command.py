"""``loki-parity record``: what is typed becomes a recording, or one sentence that says why not."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from parity.stores.state import Settings
from replay.configuration import ConfigurationError, nearest, policy
from replay.counted import counted
from replay.journal import JournalError, load, loads
from replay.journal.drawing import visible
from replay.journal.model import KEEPIMG
from replay.record import partial as partials
from replay.record.live_go import TOKEN_VARIABLE, Asked, LiveGo, token
from replay.record.partial import Partial
from replay.record.playing import Player, Session, unstable
from replay.record.redaction import Redaction
from replay.record.refusal import GoRefusedError, NoAnswerError, RecordingRefusedError
from replay.record.state import FolderStates, ShownStates
from replay.record.written import journal_bytes
from replay.run import Exit, exit_of
from replay.sources import ENDING, NoJournalError, configured

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from replay.journal.model import Journal, LooseField
    from replay.record.playing import Recorded

PENDING: Final = ".pending"
"""``JOURNAL.pending`` waits beside the journal until somebody has looked at it."""

_SHOWN: Final = 20
"""So many lines of one sort are told."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where the scenario is, where the journal goes, where it lies while it is not whole."""

    scenario: Path
    journal: Path
    partial: Path


def record(options: argparse.Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Record, tell what was recorded on ``out``, and give the exit status."""
    secret = os.environ.get(TOKEN_VARIABLE)
    if secret:
        return _record(options, out, lambda sentence: complain(sentence.replace(secret, "[token]")))
    return _record(options, out, complain)


def _record(options: argparse.Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    try:
        _refuse_parts(options)
        files = _files(options)
        scenario = load(files.scenario, file_name=os.fspath(files.scenario), inputs_only=True)
        _check_target(options, files, scenario)
        session = _session(options, scenario)
        return _Recording(session, files, out, complain, options.resume, bool(options.update)).run()
    except JournalError as error:
        complain(str(error))
        return exit_of(error)
    except ConfigurationError as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    except GoRefusedError as refused:
        complain(f"{options.go_url} cannot be recorded: {refused}")
        return refused.exit
    except RecordingRefusedError as refused:
        complain(str(refused))
        return refused.exit


def _refuse_parts(options: argparse.Namespace) -> None:
    for name in ("tool", "step", "shard"):
        if getattr(options, name):
            message = (
                f"--{name}: a journal is recorded whole, since each step stands on the state that those before it left"
            )
            raise RecordingRefusedError(message)


def _files(options: argparse.Namespace) -> Files:
    if bool(options.scenario) == bool(options.update):
        message = "record takes a SCENARIO, or --update with a journal"
        raise RecordingRefusedError(message)
    if options.update:
        if options.out is not None:
            message = "--update writes beside the journal, for review: it takes no --out"
            raise RecordingRefusedError(message)
        journal = Path(options.update)
        if journal.suffix in (PENDING, partials.ENDING):
            message = f"--update takes a journal, and {journal} is none yet"
            raise RecordingRefusedError(message)
        return Files(journal, _beside(journal, PENDING), _beside(journal, partials.ENDING))
    scenario = Path(options.scenario)
    target = options.out or scenario.with_name(f"{scenario.name.removesuffix(ENDING)}.recorded{ENDING}")
    if not target.name or target.suffix in (PENDING, partials.ENDING):
        message = f"--out {target}: no name for a journal"
        raise RecordingRefusedError(message)
    return Files(scenario, target, _beside(target, partials.ENDING))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")


def _check_target(options: argparse.Namespace, files: Files, scenario: Journal) -> None:
    """Raises RecordingRefusedError where the journal must not or cannot be written, before anything is played."""
    if scenario.kind == KEEPIMG:
        message = f"{files.scenario}: a journal of kept images holds no calls of a tool, so it cannot be recorded"
        raise RecordingRefusedError(message)
    target = files.journal
    if os.path.isdir(target):  # noqa: PTH112 - any text at all may stand there
        message = f"{target} is a folder"
        raise RecordingRefusedError(message)
    if not options.update and target.exists():
        if _same(target, files.scenario):
            message = f"{target} is the scenario itself: --update records a journal again, for review"
            raise RecordingRefusedError(message)
        if any(_same(target, one) for one in _of_the_gate()):
            message = f"{target} is a journal of the gate: --update records it again, for review"
            raise RecordingRefusedError(message)


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _of_the_gate() -> Sequence[Path]:
    """The journals that the nearest pyproject.toml names, if there is one that does."""
    try:
        return [source.path for source in configured(nearest())]
    except (ConfigurationError, NoJournalError):
        return []


def _session(options: argparse.Namespace, scenario: Journal) -> Session:
    secret = token()
    rules: dict[str, str] = dict(policy().redact)
    for name, pattern in options.redact:
        if rules.setdefault(name, pattern) != pattern:
            message = f"the redaction rule {name} is given twice"
            raise RecordingRefusedError(message)
    redaction = Redaction(rules, secret)
    go = LiveGo(options.go_url, deadline=options.deadline, token=secret)
    settings = scenario.settings
    folder: Path | None = options.memory_folder
    if folder is not None and settings is None:
        message = f"--memory-folder: a journal of the kind {scenario.kind} records no memory"
        raise RecordingRefusedError(message)
    shared = None if folder is None else FolderStates(folder, settings or Settings())
    can, declared = go.capabilities()
    identity = go.identity(declared, Asked(options.go_version, options.go_commit))
    shown = ShownStates(go) if settings is not None and can.read_state else None
    return Session(
        replace(scenario, target=identity.target), go, identity, can, shared or shown, redaction, twice=options.twice
    )


@dataclass(frozen=True, slots=True)
class _Recording:
    """One recording, from the first call to the file."""

    session: Session
    files: Files
    out: TextIO
    complain: Callable[[str], None]
    resume: bool
    update: bool

    def run(self) -> int:
        player = Player(self.session)
        with Partial(self.files.partial, self.session.about(), resume=self.resume) as partial:
            try:
                passes = player.play(partial)
                redacted = [one for recorded in passes[0] for one in recorded.redacted]
                loose = unstable(self.session, *passes) if self.session.twice else []
                self._write(self._bytes(passes[0], redacted, loose))
            except KeyboardInterrupt:
                self._end(partial, keep=True)
                self.complain(f"interrupted after {self._told(partial)}")
                return Exit.INTERRUPTED
            except NoAnswerError as refused:
                self._end(partial, keep=True)
                kept = "" if not partial.records else f"; {self._told(partial)}"
                message = f"{refused}{kept}"
                raise NoAnswerError(message) from None
            except BaseException:
                self._end(partial, keep=self.resume)
                raise
            partial.remove()
        self._tell(player.notices, redacted, loose)
        return Exit.MATCH

    def _end(self, partial: Partial, *, keep: bool) -> None:
        if not keep or not partial.records:
            partial.remove()

    def _told(self, partial: Partial) -> str:
        if not partial.records:
            return "no step: nothing was written"
        total = len(self.session.scenario.steps) * (2 if self.session.twice else 1)
        return f"{partial.records} of {counted(total, 'call')}: --resume goes on from {self.files.partial}"

    def _bytes(self, steps: Sequence[Recorded], redacted: Sequence[LooseField], loose: Sequence[LooseField]) -> bytes:
        """The journal, read back by the loader before it is written anywhere."""
        raw = journal_bytes(self.session.scenario, self.session.identity, [one.raw for one in steps], redacted, loose)
        loads(raw, os.fspath(self.files.journal))
        return raw

    def _write(self, raw: bytes) -> None:
        """Whole or not at all: a temporary file beside it, synced, renamed over; the partial's lock is held."""
        target = Path(os.path.realpath(self.files.journal))
        temporary = target.with_name(f".{target.name}.writing")
        try:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
            with temporary.open("xb") as stream:
                stream.write(raw)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        except OSError as error:
            message = f"{self.files.journal} cannot be written: {error.strerror}"
            raise RecordingRefusedError(message) from None
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _tell(self, notices: Sequence[str], redacted: Sequence[LooseField], loose: Sequence[LooseField]) -> None:
        session = self.session
        go = f"{session.identity.target.version} (commit {session.identity.commit})"
        self._say(f"recorded {counted(len(session.scenario.steps), 'step')} from {go}: {self.files.journal}")
        if self.update:
            self._say(f"it waits for review: {self.files.scenario} is as it was")
        for notice in dict.fromkeys(notices):
            self._say(f"not recorded or not checked — {notice}")
        self._list(
            [
                f"redacted — step {one.step}, {one.field}: rule {one.rule}, {counted(one.times, 'time')}, "
                f"{counted(one.characters, 'character')}"
                for one in redacted
            ]
        )
        self._list([f"unstable in Go — step {one.step}, {one.field}: not the same twice" for one in loose])
        if session.twice and not loose:
            self._say("played twice: Go answered everything the same way")

    def _list(self, lines: Sequence[str]) -> None:
        for line in lines[:_SHOWN]:
            self._say(line)
        if len(lines) > _SHOWN:
            self._say(f"… and {len(lines) - _SHOWN} more, all in the journal's head")

    def _say(self, line: str) -> None:
        self.out.write(f"{visible(line)}\n")
