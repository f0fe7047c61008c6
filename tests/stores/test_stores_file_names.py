from __future__ import annotations

import pytest

from parity.stores.errors import FileNameError
from parity.stores.file_names import backup_name, file_name


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("a.md", b"a.md"),
        ("...md", b"...md"),
        ("..md", b"..md"),
        (".hidden", b".hidden"),
        ("Élève.md", "Élève.md".encode()),
        ("bad\udcff.md", b"bad\xff.md"),
        ("new\nline", b"new\nline"),
        ("a\\b", b"a\\b"),
        ("é" * 127 + "x", "é".encode() * 127 + b"x"),
    ],
)
def test_a_plain_file_name_is_its_bytes(name: str, encoded: bytes) -> None:
    assert file_name(name) == encoded


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is empty"),
        (".", "leaves the folder"),
        ("..", "leaves the folder"),
        ("a/b", "leaves the folder"),
        ("/etc/passwd", "leaves the folder"),
        ("../x.md", "leaves the folder"),
        ("a\0b", "holds a NUL"),
        ("é" * 128, "is 256 bytes long, over 255"),
        ("\ud800", "holds a surrogate that stands for no byte"),
        ("\udcc3\udca9", "spells characters byte by byte"),
    ],
)
def test_any_other_name_is_refused_with_its_reason(name: str, reason: str) -> None:
    with pytest.raises(FileNameError, match=reason):
        file_name(name)


def test_the_message_shows_a_hostile_name_without_obeying_it() -> None:
    with pytest.raises(FileNameError) as refused:
        file_name("\x1b[31m/" + "é" * 500)
    assert str(refused.value) == "the file name '\\x1b[31m/" + "\\xe9" * 74 + "' leaves the folder"


def test_the_version_before_is_kept_beside_the_page() -> None:
    assert backup_name("a.md") == "a.md.bak"
