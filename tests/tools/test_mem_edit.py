from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parity.gostd.target import GO_1_25
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import DiffLine, Env, ToolAnswer, WriteRefused
from parity.tools.mem_edit import mem_edit

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def memory(content: bytes = b"one two two", settings: Settings | None = None) -> RamMemory:
    made = RamMemory(settings or Settings(), nonces=bytes)
    made.restore(State({"a.md": content}))
    return made


def edit(held: RamMemory, **args: object) -> ToolAnswer:
    return mem_edit(args, Env(GO_1_25, memory=held))


def refused(held: RamMemory, **args: object) -> str:
    """The result of an edit that must write nothing and show no diff."""
    before = held.snapshot()
    answer = edit(held, **args)
    assert held.snapshot() == before
    assert answer.diff == ()
    return answer.result


def test_the_one_occurrence_is_replaced_and_the_version_before_kept() -> None:
    held = memory()
    assert edit(held, file=" a ", old="one", new="1\n2") == ToolAnswer(
        "[ok] page ' a ' modifiée", " a ", (DiffLine("-", "one"), DiffLine("+", "1"), DiffLine("+", "2"))
    )
    assert held.snapshot().files == {"a.md": b"1\n2 two two", "a.md.bak": b"one two two"}


def test_without_a_new_text_the_old_one_goes() -> None:
    held = memory()
    assert edit(held, file="a", old="one ").diff == (DiffLine("-", "one "),)
    assert held.pages.read("a.md") == b"two two"


def test_an_edit_that_changes_nothing_is_written_all_the_same() -> None:
    held = memory()
    assert edit(held, file="a", old="one", new="one") == ToolAnswer(
        "[ok] page 'a' modifiée", "a", (DiffLine(" ", "one"),)
    )
    assert held.snapshot().files == {"a.md": b"one two two", "a.md.bak": b"one two two"}


def test_bytes_around_that_are_not_utf_8_stay_as_they_are() -> None:
    held = memory(b"\xffone\xc3\r\n")
    edit(held, file="a", old="one", new="é")
    assert held.pages.read("a.md") == b"\xff\xc3\xa9\xc3\r\n"


def test_a_replacement_character_is_not_the_bad_byte_it_is_shown_for() -> None:
    assert refused(memory(b"\xff"), file="a", old="\ufffd", new="x") == "[erreur] old introuvable dans la page"


def test_an_old_text_is_found_as_it_stands_carriage_returns_and_all() -> None:
    assert refused(memory(b"a\r\nb"), file="a", old="a\nb", new="x") == "[erreur] old introuvable dans la page"


def test_a_new_text_that_is_there_already_is_up_to_date() -> None:
    assert (
        refused(memory(), file="a", old="absent", new="two")
        == "[ok] page 'a' déjà à jour — la page contient déjà cette modification"
    )


@pytest.mark.parametrize("new", ["", "absent too"])
def test_an_absent_old_text_is_told_unless_the_new_one_is_there(new: str) -> None:
    assert refused(memory(), file="a", old="absent", new=new) == "[erreur] old introuvable dans la page"


@pytest.mark.parametrize(
    ("content", "old", "count"), [(b"one two two", "two", 2), (b"aaaaa", "aa", 2), (b"\n\n\n", "\n", 3)]
)
def test_occurrences_are_counted_without_overlap_and_several_are_refused(content: bytes, old: str, count: int) -> None:
    assert (
        refused(memory(content), file="a", old=old, new="x")
        == f"[erreur] old apparaît {count} fois — ajoute du contexte pour le rendre unique"
    )


def test_three_letters_hold_two_of_them_once() -> None:
    held = memory(b"aaa")
    edit(held, file="a", old="aa", new="b")
    assert held.pages.read("a.md") == b"ba"


@pytest.mark.parametrize("old", ["", None, 7.0])
def test_an_empty_old_text_is_told_once_the_page_was_read(old: object) -> None:
    assert refused(memory(), file="a", old=old, new="x") == "[erreur] old vide"
    assert refused(memory(), file="b", old=old, new="x") == "[erreur] page 'b' introuvable"


def test_a_page_that_cannot_be_read_is_told_as_in_mem_read() -> None:
    assert refused(memory(b"LOKIMEMv1"), file="a", old="x") == "[erreur] page 'a' chiffrée — mémoire verrouillée"
    assert refused(memory(), file="a b", old="x") == "[erreur] page 'a b' introuvable"


def test_a_locked_encrypted_memory_refuses_the_write_of_a_plain_page() -> None:
    locked = Settings(config={"MEM_ENCRYPTED": "1"}, locked=True)
    assert (
        refused(memory(settings=locked), file="a", old="one", new="1") == "[erreur] page chiffrée, mémoire verrouillée"
    )
    assert refused(memory(settings=locked), file="a", old="absent", new="1") == "[erreur] old introuvable dans la page"


def test_the_index_is_edited_like_any_page_and_never_by_itself() -> None:
    held = memory()
    held.restore(State({"MEMORY.md": b"- [a](a.md)\n"}))
    edit(held, file="MEMORY", old=")", new=") - more")
    assert held.snapshot().files == {"MEMORY.md": b"- [a](a.md) - more\n", "MEMORY.md.bak": b"- [a](a.md)\n"}


class Busy(RamMemory):
    def exclusive(self) -> AbstractContextManager[None]:
        text = "mémoire occupée"
        raise WriteRefused(text, system=True)


def test_what_the_system_refuses_is_told_and_marked_as_the_systems() -> None:
    answer = edit(Busy(Settings(), nonces=bytes), file="a", old="one", new="1")
    assert answer == ToolAnswer("[erreur] mémoire occupée", "a", system_error=True)
