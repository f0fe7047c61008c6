"""One suite for both memories: what holds on disk holds in RAM."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Final, Protocol

import pytest

from parity.stores import lock
from parity.stores.disk import DiskMemory
from parity.stores.errors import FileNameError, StateRefusedError
from parity.stores.ram import RamMemory
from parity.stores.seal import is_sealed, seal, unseal
from parity.stores.state import Settings, State
from parity.tools.interface import Memory, PageLocked, PageUnreadable, Tracker, TrackerEvent, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from parity.stores.memory import StoredMemory

KEY: Final = bytes(range(32))
YES: Final = {"MEM_ENCRYPTED": "1"}
PLAIN: Final = Settings()
OPEN: Final = Settings(config=YES, dek=KEY)
LOCKED: Final = Settings(config=YES, dek=KEY, locked=True)
SEALED: Final = seal(b"# Secret\n", KEY, b"twelve bytes")
DAMAGED: Final = b"LOKIMEMv1" + bytes(27)
POIDS: Final = Tracker("Poids", (TrackerEvent("7", 1767312000000, "78,2 kg", date_only=True),))
EMPTY: Final = Tracker("Vide")


class Make(Protocol):
    """Makes the memory under test; the same ``root`` is the same memory only on disk."""

    def __call__(self, settings: Settings = PLAIN) -> StoredMemory: ...


def counter() -> Callable[[], bytes]:
    numbers = itertools.count()
    return lambda: next(numbers).to_bytes(12, "big")


@pytest.fixture(params=["disk", "ram"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    def made(settings: Settings = PLAIN) -> StoredMemory:
        if request.param == "ram":
            return RamMemory(settings, nonces=counter())
        return DiskMemory(tmp_path / "root", settings, nonces=counter(), patience=0.05)

    return made


def holding(memory: StoredMemory, **files: bytes) -> StoredMemory:
    memory.restore(State({name.replace("_", "."): raw for name, raw in files.items()}))
    return memory


def test_it_is_a_memory(make: Make) -> None:
    memory: Memory = make(Settings(project_name="Projet"))
    assert memory.project_name == "Projet"
    assert memory.memo == {}


def test_a_new_memory_has_no_page_and_no_tracker(make: Make) -> None:
    memory = make()
    assert list(memory.pages.names()) == []
    assert dict(memory.trackers.all()) == {}
    assert memory.trackers.get("poids") is None
    assert memory.snapshot() == State()


def test_what_is_written_is_read(make: Make) -> None:
    pages = make().pages
    pages.write("a.md", b"\xff\r\n\0")
    assert pages.read("a.md") == b"\xff\r\n\0"
    assert pages.exists("a.md")
    assert list(pages.names()) == ["a.md"]


def test_names_differ_by_case(make: Make) -> None:
    pages = make().pages
    pages.write("x.md", b"small")
    pages.write("X.MD", b"large")
    assert (pages.read("x.md"), pages.read("X.MD")) == (b"small", b"large")


def test_names_are_sorted_by_their_bytes_and_hidden_ones_and_backups_are_among_them(make: Make) -> None:
    names = [".hidden.md", "B.md", "a.md", "a.md.bak", "\udcff.md", "\ue000.md", "\U0001f512.md"]
    memory = make()
    memory.restore(State(dict.fromkeys(names, b"")))
    assert list(memory.pages.names()) == [
        ".hidden.md",
        "B.md",
        "a.md",
        "a.md.bak",
        "\ue000.md",
        "\U0001f512.md",
        "\udcff.md",
    ]
    assert list(memory.snapshot().files) == list(memory.pages.names())


def test_the_version_before_is_kept(make: Make) -> None:
    memory = make()
    for content in (b"1", b"2", b"3"):
        memory.pages.write("a.md", content)
    assert memory.snapshot().files == {"a.md": b"3", "a.md.bak": b"2"}


def test_the_first_version_leaves_no_backup_and_an_equal_one_does(make: Make) -> None:
    memory = make()
    memory.pages.write("a.md", b"1")
    assert memory.snapshot().files == {"a.md": b"1"}
    memory.pages.write("a.md", b"1")
    assert memory.snapshot().files == {"a.md": b"1", "a.md.bak": b"1"}


def test_a_page_whose_backup_could_have_no_name_is_written_all_the_same(make: Make) -> None:
    memory = make()
    name = "n" * 252 + ".md"
    memory.pages.write(name, b"1")
    memory.pages.write(name, b"2")
    assert memory.snapshot().files == {name: b"2"}


@pytest.mark.parametrize("name", ["", ".", "..", "../a.md", "a/b.md", "/a.md", "a\0.md", "n" * 253 + ".md", "\ud800"])
def test_a_name_that_is_no_file_name_is_unreadable_absent_and_not_written(make: Make, name: str) -> None:
    memory = make()
    with pytest.raises(PageUnreadable):
        memory.pages.read(name)
    assert not memory.pages.exists(name)
    with pytest.raises(WriteRefused) as refused:
        memory.pages.write(name, b"")
    assert refused.value.system
    assert memory.snapshot() == State()


@pytest.mark.parametrize("name", ["absent.md", "sub.md"])
def test_an_absent_page_is_unreadable_and_not_locked(make: Make, name: str) -> None:
    with pytest.raises(PageUnreadable) as unreadable:
        make(LOCKED).pages.read(name)
    assert not isinstance(unreadable.value, PageLocked)


def test_an_encrypted_memory_seals_pages_and_their_backups_stay_as_they_were(make: Make) -> None:
    memory = holding(make(OPEN), plain_md=b"before")
    memory.pages.write("plain.md", b"1")
    memory.pages.write("new.md", b"2")
    files = memory.snapshot().files
    assert files["plain.md.bak"] == b"before"
    assert unseal(files["plain.md"], KEY) == b"1"
    memory.pages.write("plain.md", b"3")
    assert memory.snapshot().files["plain.md.bak"] == files["plain.md"]
    assert memory.pages.read("plain.md") == b"3"
    assert files["plain.md"][9:21] != files["new.md"][9:21]


def test_a_plain_memory_with_a_key_opens_sealed_pages_and_writes_plain_ones(make: Make) -> None:
    memory = holding(make(Settings(dek=KEY)), s_md=SEALED)
    assert memory.pages.read("s.md") == b"# Secret\n"
    memory.pages.write("s.md", b"plain")
    assert memory.snapshot().files == {"s.md": b"plain", "s.md.bak": SEALED}


def test_a_locked_memory_reads_plain_pages_and_writes_none(make: Make) -> None:
    memory = holding(make(LOCKED), plain_md=b"p", s_md=SEALED, d_md=DAMAGED)
    assert memory.pages.read("plain.md") == b"p"
    for name in ("s.md", "d.md"):
        with pytest.raises(PageLocked):
            memory.pages.read(name)
        assert memory.pages.exists(name)
    for name in ("plain.md", "s.md", "new.md"):
        with pytest.raises(WriteRefused) as refused:
            memory.pages.write(name, b"x")
        assert refused.value.text == "page chiffrée, mémoire verrouillée"
        assert not refused.value.system
    assert memory.snapshot().files == {"plain.md": b"p", "s.md": SEALED, "d.md": DAMAGED}


@pytest.mark.parametrize("raw", [DAMAGED, SEALED[:-1], SEALED[:36], SEALED[:20], b"LOKIMEMv1", b"LOKIMEMv1 in plain"])
def test_a_damaged_page_is_unreadable_and_not_locked_where_there_is_a_key(make: Make, raw: bytes) -> None:
    memory = holding(make(OPEN), d_md=raw)
    with pytest.raises(PageUnreadable) as unreadable:
        memory.pages.read("d.md")
    assert not isinstance(unreadable.value, PageLocked)


def test_content_that_starts_like_a_sealed_page_survives_sealing_only(make: Make) -> None:
    memory = make(OPEN)
    memory.pages.write("m.md", b"LOKIMEMv1 in plain")
    assert memory.pages.read("m.md") == b"LOKIMEMv1 in plain"
    plain = make()
    plain.pages.write("p.md", b"LOKIMEMv1 in plain")
    assert plain.snapshot().files["p.md"] == b"LOKIMEMv1 in plain"
    with pytest.raises(PageLocked):
        plain.pages.read("p.md")


def test_a_tracker_is_given_back_as_it_was_put_in_the_order_of_slugs(make: Make) -> None:
    trackers = make().trackers
    trackers.put("vide", EMPTY)
    trackers.put("poids", POIDS)
    assert list(trackers.all().items()) == [("poids", POIDS), ("vide", EMPTY)]
    assert trackers.get("poids") == POIDS
    trackers.put("poids", EMPTY)
    assert trackers.get("poids") == EMPTY


def test_other_projects_trackers_are_kept_and_not_listed(make: Make) -> None:
    memory = make()
    kept = {"autre/poids": EMPTY, "generale/poids": POIDS, "generale2/x": EMPTY, "sans": EMPTY}
    memory.restore(State({}, kept))
    assert dict(memory.trackers.all()) == {"poids": POIDS}
    memory.trackers.put("poids", EMPTY)
    assert memory.snapshot().trackers == kept | {"generale/poids": EMPTY}
    assert make(Settings(project_slug="autre")).trackers.get("vide") is None


def test_a_tracker_of_an_encrypted_memory_is_sealed_and_unreadable_once_locked(make: Make) -> None:
    memory = make(OPEN)
    memory.restore(State({}, {"generale/a": POIDS}))
    memory.trackers.put("b", POIDS)
    values = memory.trackers._values.all()
    assert [is_sealed(value) for value in values.values()] == [True, True]
    assert memory.snapshot().trackers == {"generale/a": POIDS, "generale/b": POIDS}
    locked = make(LOCKED)
    locked.trackers._values.change(values, ())
    assert locked.snapshot() == State()
    assert locked.trackers.get("a") is None


def test_a_locked_memory_reads_plain_trackers_and_stores_none(make: Make) -> None:
    memory = make(LOCKED)
    memory.restore(State({}, {"generale/poids": POIDS}))
    assert memory.trackers.get("poids") == POIDS
    with pytest.raises(WriteRefused) as refused:
        memory.trackers.put("poids", EMPTY)
    assert refused.value.text == "valeur chiffrée, mémoire verrouillée"
    assert not refused.value.system
    assert memory.trackers.get("poids") == POIDS


@pytest.mark.parametrize("value", [DAMAGED, b"", b"{", SEALED])
def test_a_damaged_tracker_is_as_if_absent_and_replaced_by_the_next(make: Make, value: bytes) -> None:
    memory = make(OPEN)
    memory.trackers._values.put("generale/poids", value)
    assert memory.trackers.get("poids") is None
    assert dict(memory.trackers.all()) == {}
    memory.trackers.put("poids", POIDS)
    assert memory.trackers.get("poids") == POIDS


STATES: Final = [
    State(),
    State({"a.md": b"1"}),
    State({"a.md": b"2", "b.md": b"", ".dot": b"\xff", "a.md.bak": SEALED, "\udcff\udcfe": b"x", "n" * 255: b"y"}),
    State({}, {"generale/poids": POIDS, "autre/x": EMPTY}),
    State({"b.md": DAMAGED}, {"generale/poids": EMPTY, "": EMPTY, "a\0b": POIDS, "é/ü": EMPTY}),
]


@pytest.mark.parametrize("settings", [PLAIN, OPEN, LOCKED], ids=["plain", "open", "locked"])
def test_snapshot_is_the_inverse_of_restore_from_any_state_to_any_other(make: Make, settings: Settings) -> None:
    memory = make(settings)
    for before, after in itertools.product(STATES, repeat=2):
        memory.restore(before)
        memory.restore(after)
        assert memory.snapshot() == after


def test_a_state_does_not_change_with_the_memory_it_was_taken_from_or_put_into(make: Make) -> None:
    memory = make()
    given = {"a.md": b"1"}
    memory.restore(State(given))
    taken = memory.snapshot()
    memory.pages.write("a.md", b"2")
    assert given == {"a.md": b"1"}
    assert taken.files == {"a.md": b"1"}


def test_what_a_locked_memory_cannot_open_is_left_alone_unless_the_state_names_it(make: Make) -> None:
    memory = make(LOCKED)
    memory.trackers._values.put("generale/s", SEALED)
    memory.trackers._values.put("generale/t", SEALED)
    memory.restore(State({}, {"generale/t": POIDS}))
    assert memory.trackers._values.get("generale/s") == SEALED
    assert memory.snapshot().trackers == {"generale/t": POIDS}


@pytest.mark.parametrize("name", ["", ".", "..", "../a.md", "a/b.md", "/etc/passwd", "a\0", "n" * 256, "\ud800"])
def test_a_state_with_a_name_that_is_no_file_name_is_refused_before_anything_changes(make: Make, name: str) -> None:
    memory = holding(make(), a_md=b"1")
    with pytest.raises(StateRefusedError, match="the file name '"):
        memory.restore(State({"b.md": b"2", name: b"3"}, {"generale/poids": POIDS}))
    assert memory.snapshot() == State({"a.md": b"1"})


def test_a_state_with_a_tracker_key_that_is_no_text_is_refused_before_anything_changes(make: Make) -> None:
    memory = holding(make(), a_md=b"1")
    with pytest.raises(StateRefusedError, match=r"the tracker key 'k\\ud800' holds a lone surrogate"):
        memory.restore(State({}, {"k\ud800": POIDS}))
    assert memory.snapshot() == State({"a.md": b"1"})


@pytest.mark.parametrize("slug", ["", ".", "..", "../x", "a/b", "a\0"])
def test_a_project_slug_that_cannot_name_a_folder_is_refused(make: Make, slug: str) -> None:
    with pytest.raises(FileNameError):
        make(Settings(project_slug=slug))


def test_the_same_thread_may_take_the_memory_again(make: Make) -> None:
    memory = make()
    with memory.exclusive(), memory.exclusive():
        memory.pages.write("a.md", b"1")
        memory.trackers.put("poids", POIDS)
    with memory.exclusive():
        memory.pages.write("a.md", b"2")
    assert memory.pages.read("a.md") == b"2"


def test_while_one_thread_holds_the_memory_another_is_refused_with_a_clear_answer(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parity.stores.ram.PATIENCE", 0.05)
    memory = make()
    refusals: list[WriteRefused] = []
    changes: list[Callable[[], None]] = [
        lambda: memory.pages.write("a.md", b"2"),
        lambda: memory.trackers.put("poids", POIDS),
        lambda: memory.restore(State()),
    ]

    def write() -> None:
        for change in changes:
            try:
                change()
            except WriteRefused as refused:
                refusals.append(refused)

    with memory.exclusive():
        memory.pages.write("a.md", b"1")
        other = threading.Thread(target=write)
        other.start()
        other.join()
    assert [(refused.text, refused.system) for refused in refusals] == [(lock.BUSY, True)] * 3
    assert memory.snapshot() == State({"a.md": b"1"})


def test_threads_that_read_and_write_under_the_lock_lose_nothing(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parity.stores.disk.PATIENCE", 10.0)
    memory = make()
    memory.pages.write("a.md", b"")
    refused: list[str] = []

    def append(letter: bytes) -> None:
        for _ in range(20):
            while True:
                try:
                    with memory.exclusive():
                        memory.pages.write("a.md", memory.pages.read("a.md") + letter)
                    break
                except WriteRefused as busy:
                    refused.append(busy.text)

    threads = [threading.Thread(target=append, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(memory.pages.read("a.md")) == sorted(b"abc" * 20)
    assert set(refused) <= {lock.BUSY}
