from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parity.gostd.target import GO_1_25
from parity.stores.ram import RamFolder, RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import DiffLine, Env, ToolAnswer, WriteRefused
from parity.tools.mem_add import body, mem_add

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.stores.memory import StoredMemory

SEED = (
    "# Index mémoire — Générale\n\nUne ligne par page de ce projet (`- [titre](fichier.md) — accroche`). "
    "Tenu à jour automatiquement à la création et à la suppression d'une page ; l'accroche après le titre, elle, est "
    "libre.\n"
)


def memory(files: Mapping[str, bytes] | None = None, settings: Settings | None = None) -> RamMemory:
    made = RamMemory(settings or Settings(), nonces=bytes)
    made.restore(State(files or {}))
    return made


def add(held: StoredMemory, **args: object) -> ToolAnswer:
    return mem_add(args, Env(GO_1_25, memory=held))


def test_a_new_page_is_written_entered_in_a_seeded_index_and_shown_as_added() -> None:
    held = memory()
    assert add(held, file="plantes", content="# Plantes\n\n\n") == ToolAnswer(
        "[ok] page 'plantes' créée",
        "plantes",
        (DiffLine("+", "# Plantes"), DiffLine("+", ""), DiffLine("+", ""), DiffLine("+", "")),
    )
    assert held.snapshot().files == {
        "MEMORY.md": f"{SEED}- [Plantes](plantes.md)\n".encode(),
        "MEMORY.md.bak": SEED.encode(),
        "plantes.md": b"# Plantes\n",
    }


@pytest.mark.parametrize(
    ("content", "expected"),
    [("", b"\n"), ("\n\n", b"\n"), ("a", b"a\n"), ("a\n\n", b"a\n"), ("a\r\n", b"a\r\n"), ("a\n ", b"a\n \n")],
)
def test_the_page_ends_in_exactly_one_newline(content: str, expected: bytes) -> None:
    assert body(content) == expected


def test_without_content_the_page_is_one_newline_and_nothing_is_shown() -> None:
    held = memory()
    assert add(held, file="vide", content=7.0) == ToolAnswer("[ok] page 'vide' créée", "vide")
    assert held.snapshot().files["vide.md"] == b"\n"


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("", "nom vide"),
        (" ", "nom vide"),
        ("a b", "nom invalide (alphanum, ._-)"),
        ("../a", "nom invalide (alphanum, ._-)"),
    ],
)
def test_a_bad_name_is_told_and_nothing_is_written(file: str, reason: str) -> None:
    held = memory()
    assert add(held, file=file, content="x") == ToolAnswer(f"[erreur] {reason}", file)
    assert held.snapshot() == State()


@pytest.mark.parametrize("raw", [b"", b"x", b"LOKIMEMv1"])
def test_a_page_that_is_there_readable_or_not_is_not_replaced(raw: bytes) -> None:
    held = memory({"a.md": raw})
    assert add(held, file=" a", content="x") == ToolAnswer(
        "[erreur] la page existe déjà — utilise mem_edit pour la modifier", " a"
    )
    assert held.snapshot().files == {"a.md": raw}


def test_upper_and_lower_case_are_two_pages() -> None:
    held = memory({"a.md": b"x"})
    assert add(held, file="A.MD", content="y").result == "[ok] page 'A.MD' créée"
    assert held.pages.read("A.MD") == b"y\n"


def test_a_locked_encrypted_memory_writes_nothing() -> None:
    held = memory(settings=Settings(config={"MEM_ENCRYPTED": "1"}, dek=bytes(32), locked=True))
    assert add(held, file="a", content="x") == ToolAnswer("[erreur] page chiffrée, mémoire verrouillée", "a")
    assert held.snapshot() == State()


def test_a_page_stands_although_its_index_could_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    write = RamFolder.write

    def refused(folder: RamFolder, name: str, raw: bytes) -> None:
        if name == "MEMORY.md":
            raise WriteRefused(name, system=True)
        write(folder, name, raw)

    monkeypatch.setattr(RamFolder, "write", refused)
    held = memory()
    assert add(held, file="a", content="x").result == "[ok] page 'a' créée"
    assert held.snapshot().files == {"a.md": b"x\n"}


def test_what_the_system_refuses_is_told_and_marked_as_the_systems() -> None:
    held = memory()
    answer = add(held, file="n" * 253, content="x")
    assert answer.result == "[erreur] nom de fichier refusé"
    assert answer.system_error
    assert held.snapshot() == State()


def test_an_error_of_the_contract_is_not_the_systems() -> None:
    held = memory(settings=Settings(config={"MEM_ENCRYPTED": "1"}, dek=bytes(32), locked=True))
    assert not add(held, file="a", content="x").system_error
