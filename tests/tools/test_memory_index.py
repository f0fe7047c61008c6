from __future__ import annotations

import pytest

from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from parity.stores.ram import RamMemory
from parity.stores.seal import seal, unseal
from parity.stores.state import Settings, State
from parity.tools import memory_index
from parity.tools.interface import Env
from parity.tools.mem_add import mem_add

KEY = bytes(32)
SEED = (
    "# Index mémoire — Projet {x}\n\nUne ligne par page de ce projet (`- [titre](fichier.md) — accroche`). "
    "Tenu à jour automatiquement à la création et à la suppression d'une page ; l'accroche après le titre, elle, est "
    "libre.\n"
).encode()


def added(files: dict[str, bytes], file: str = "a", content: str = "# Titre", **settings: object) -> dict[str, bytes]:
    """The files after a page was added to a memory of these."""
    memory = RamMemory(Settings(project_name="Projet {x}", **settings), nonces=lambda: bytes(12))  # type: ignore[arg-type]
    memory.restore(State(files))
    assert mem_add({"file": file, "content": content}, Env(GO_1_25, memory=memory)).result.startswith("[ok]")
    return dict(memory.snapshot().files)


def test_a_missing_index_is_seeded_with_the_projects_name_as_it_stands() -> None:
    files = added({})
    assert files["MEMORY.md"] == SEED + b"- [Titre](a.md)\n"
    assert files["MEMORY.md.bak"] == SEED


@pytest.mark.parametrize("blank", [b"", b"\n", " \t\r\n\u00a0\u2003".encode()])
def test_a_blank_index_is_seeded_too(blank: bytes) -> None:
    assert added({"MEMORY.md": blank})["MEMORY.md"] == SEED + b"- [Titre](a.md)\n"


@pytest.mark.parametrize("index", [b"LOKIMEMv1", seal(b"# Index", bytes(range(32)), bytes(12))])
def test_an_unreadable_index_is_seeded_and_gone_after_the_second_write(index: bytes) -> None:
    files = added({"MEMORY.md": index}, dek=KEY)
    assert files["MEMORY.md"] == SEED + b"- [Titre](a.md)\n"
    assert files["MEMORY.md.bak"] == SEED


def test_an_index_of_bytes_that_are_no_space_is_not_blank() -> None:
    assert added({"MEMORY.md": b"\x85\xa0\n"})["MEMORY.md"] == b"\x85\xa0\n- [Titre](a.md)\n"


@pytest.mark.parametrize("line", [b"](a.md)", b"text [x](a.md) text", b"- [other](a.md) - more"])
def test_a_line_that_links_to_the_page_is_left_as_it_is(line: bytes) -> None:
    files = added({"MEMORY.md": b"# I\n" + line + b"\n\n"})
    assert files["MEMORY.md"] == b"# I\n" + line + b"\n\n"
    assert "MEMORY.md.bak" not in files


@pytest.mark.parametrize("line", [b"(a.md)", b"](A.md)", b"](a.md", b"](./a.md)", b"]( a.md)"])
def test_any_other_line_is_no_link_to_the_page(line: bytes) -> None:
    assert added({"MEMORY.md": line})["MEMORY.md"] == line + b"\n- [Titre](a.md)\n"


def test_the_entry_follows_the_index_without_its_trailing_newlines_and_the_version_before_is_kept() -> None:
    files = added({"MEMORY.md": b"# I\r\n\xff \n\n\n"})
    assert files["MEMORY.md"] == b"# I\r\n\xff \n- [Titre](a.md)\n"
    assert files["MEMORY.md.bak"] == b"# I\r\n\xff \n\n\n"


@pytest.mark.parametrize(
    ("content", "title"), [("", "a.md"), ("##\n", "a.md"), ("x ](a) [", "x ](a) ["), ("# \ufffd", "\ufffd")]
)
def test_a_page_is_entered_by_its_title_or_by_its_name_when_it_has_none(content: str, title: str) -> None:
    assert added({"MEMORY.md": b"# I\n"}, content=content)["MEMORY.md"] == f"# I\n- [{title}](a.md)\n".encode()


@pytest.mark.parametrize("target", [GO_1_25, GO_1_27], ids=lambda target: target.version)
@pytest.mark.parametrize("name", ["MEMORY.md", "memory.md", "Memory.MD"])
def test_the_index_is_not_entered_in_itself_in_any_case(name: str, target: GoTarget) -> None:
    assert memory_index.is_index(name, target)
    assert added({}, file=name, content="x") == {name: b"x\n"}


@pytest.mark.parametrize("name", ["MEMORY.md.md", "MEMORY", "MEM0RY.md", "...md"])
def test_any_other_name_is_not_the_index(name: str) -> None:
    assert not memory_index.is_index(name, GO_1_25)


def test_the_index_and_its_backup_are_sealed_as_any_page() -> None:
    files = added({}, config={"MEM_ENCRYPTED": "oui"}, dek=KEY)
    assert unseal(files["MEMORY.md"], KEY) == SEED + b"- [Titre](a.md)\n"
    assert unseal(files["MEMORY.md.bak"], KEY) == SEED
