"""The state of a memory as a journal records it: files and trackers, after every step all of them.

A journal repeats the same state hundreds of times. What stands there exactly as it stood before is not read again but
recognised, and equal contents are held once: a journal of thousands of steps takes the memory of what changes in it.
"""

from __future__ import annotations

import base64
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from parity.stores.errors import FileNameError
from parity.stores.file_names import file_name
from parity.stores.state import State
from parity.tools.interface import Tracker, TrackerEvent
from replay.journal import octets, shapes
from replay.journal.aliases import CONTENT, EVENT, INITIAL, TRACKER
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.shapes import Fields, described, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.journal.scan import Scanner
    from replay.journal.walk import Tree

V = TypeVar("V")


class _Repeated(Generic[V]):
    """Objects with free keys, such as all files after a step: as a whole, and member by member, often as before."""

    def __init__(self, scanner: Scanner, check: Callable[[str], None], convert: Callable[[Tree], V]) -> None:
        self._scanner = scanner
        self._check = check
        self._convert = convert
        self._last: tuple[str, Mapping[str, V]] | None = None
        self._members: dict[str, tuple[str, V]] = {}

    def read(self) -> Mapping[str, V]:
        """Read one; null is an empty one, as Go writes an empty map."""
        scanner = self._scanner
        if scanner.null():
            return MappingProxyType({})
        if self._last is not None and scanner.same(self._last[0]):
            return self._last[1]
        values: dict[str, V] = {}

        def member(name: str) -> None:
            self._check(name)
            values[name] = self._member(name)

        start = scanner.at
        scanner.mapping(member)
        whole = MappingProxyType(values)
        self._last = (scanner.text[start : scanner.at], whole)
        return whole

    def forget(self) -> None:
        """Recognise nothing that was read so far."""
        self._last = None
        self._members.clear()

    def _member(self, name: str) -> V:
        before = self._members.get(name)
        if before is not None and self._scanner.same(before[0]):
            return before[1]
        start = self._scanner.at
        value = self._scanner.leaf(self._convert)
        self._members[name] = (self._scanner.text[start : self._scanner.at], value)
        return value


class States:
    """Reads the states of one journal."""

    def __init__(self, scanner: Scanner) -> None:
        """Nothing is known yet."""
        self._scanner = scanner
        self._contents: dict[bytes, bytes] = {}
        self._events: dict[Tree, TrackerEvent] = {}
        self._files = _Repeated(scanner, _check_file_name, self._content)
        self._trackers = _Repeated(scanner, _check_nothing, self._tracker)

    def files(self) -> Mapping[str, bytes]:
        """Read all files of a state."""
        return self._files.read()

    def trackers(self) -> Mapping[str, Tracker]:
        """Read all trackers of a state."""
        return self._trackers.read()

    def forget(self) -> None:
        """Let go of what is held to be recognised: a long journal would fill the memory with it."""
        self._contents.clear()
        self._events.clear()
        self._files.forget()
        self._trackers.forget()

    def initial(self) -> State:
        """Read the state before the first step."""
        files: Mapping[str, bytes] = MappingProxyType({})
        trackers: Mapping[str, Tracker] = MappingProxyType({})

        def member(name: str) -> None:
            nonlocal files, trackers
            if name == "files":
                files = self.files()
            else:
                trackers = self.trackers()

        self._scanner.object(INITIAL, member)
        return State(files, trackers)

    def _content(self, tree: Tree) -> bytes:
        if isinstance(tree, str):
            octets.text(tree)
            content = octets.raw(tree)
        elif isinstance(tree, tuple):
            content = Fields(tree, CONTENT).need("base64", _strict_base64)
        else:
            raise wrong_type(tree, 'a string or {"base64": …}')
        return self._contents.setdefault(content, content)

    def _tracker(self, tree: Tree) -> Tracker:
        fields = Fields(tree, TRACKER)
        name = fields.need("name", shapes.text)
        return Tracker(name, fields.get("events", self._all_events, ()))

    def _all_events(self, tree: Tree) -> tuple[TrackerEvent, ...]:
        return shapes.each(tree, self._event)

    def _event(self, tree: Tree) -> TrackerEvent:
        # The same points stand in every state. A tree that holds no array can be looked up, and equal trees are equal
        # in every type: numbers are bytes, never beside true and false.
        try:
            known = self._events.get(tree)
        except TypeError:
            known = None
        if known is None:
            known = _event(tree)
            self._events[tree] = known
        return known


def _event(tree: Tree) -> TrackerEvent:
    fields = Fields(tree, EVENT)
    return TrackerEvent(
        fields.need("id", shapes.text),
        fields.need("ts", shapes.int64),
        fields.need("text", shapes.text),
        fields.get("date_only", shapes.boolean, default=False),
    )


def _check_file_name(name: str) -> None:
    try:
        file_name(name)
    except FileNameError:
        expected = "the name of a file inside its folder, at most 255 bytes"
        raise Defect(Kind.FILE_NAME, f"the file name {quoted(name)}", expected, at_key=True) from None


def _check_nothing(_: str) -> None:
    """A tracker's key is free: it is a key of a store, never a path."""


def _strict_base64(tree: Tree) -> bytes:
    written = shapes.text(tree)
    try:
        content = base64.b64decode(written, validate=True)
    except ValueError:
        content = None
    # Python passes over bits that are left at the end, and padding in the wrong place; to write it again shows both.
    if content is None or base64.b64encode(content).decode("ascii") != written:
        raise Defect(Kind.BASE64, described(tree), "standard base64, padded, of whole bytes")
    return content
