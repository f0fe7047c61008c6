"""recall.md, recall(id). Texts and cases are the contract's and real Go's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from vectors_reader import every_vector

from parity.gostd.strconv import NumError
from parity.gostd.target import GO_1_25, GO_1_27
from parity.tools.interface import Block, Env
from parity.tools.recall import parse_id, recall, without_prefix

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Blocks


@dataclass
class Reads:
    """An archive of one block that remembers what was asked of it."""

    held: Block | None = None
    asked: list[int] = field(default_factory=list)

    def block(self, seq: int) -> Block | None:
        self.asked.append(seq)
        return self.held if self.held is not None and self.held.seq == seq else None

    def blocks(self) -> Blocks:
        raise AssertionError


SEVEN = Block("r7", 7, "read: a\tb\n", "tool", "un\n\ndeux  \n", 0)


def call(args: dict[str, object], target: GoTarget = GO_1_25) -> tuple[str, list[int]]:
    archive = Reads(SEVEN)
    return recall(args, Env(target, archive=archive)).result, archive.asked


@every_vector("parse_id")
def test_an_id_is_read_as_go_reads_it(target: GoTarget, entry: dict[str, Any]) -> None:
    if "out" in entry:
        assert parse_id(entry["in"]) == int(entry["out"])
    else:
        with pytest.raises(NumError) as refused:
            parse_id(entry["in"])
        assert (refused.value.text(target), refused.value.kind) == (entry["err"], entry["kind"])


@pytest.mark.parametrize("given", [None, 7.0, True, [], {}, "", " \t ", "\u3000\u0085"])
def test_an_id_that_is_no_text_or_blank_is_missing_and_nothing_is_read(given: object) -> None:
    assert call({"id": given}) == ("[erreur] id manquant", [])


def test_an_absent_id_is_missing() -> None:
    assert call({}) == ("[erreur] id manquant", [])


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("r7", "7"),
        ("R7", "7"),
        ("rR7", "7"),
        ("Rr7", "r7"),
        ("rr7", "r7"),
        (" r \u3000 7\n", "7"),
        ("r R7", "R7"),
        ("RR7", "R7"),
    ],
)
def test_one_r_then_one_R_is_dropped_between_two_trims(text: str, rest: str) -> None:  # noqa: N802 - the rule's letters
    assert without_prefix(text) == rest


@pytest.mark.parametrize(
    "text", ["Rr7", "r7x", "r-7", "r+7", "r7_0", "r\uff17", "r\u0667", "\x1c7", "r18446744073709551616", "r"]
)
def test_a_malformed_id_is_not_found_and_the_archive_is_not_read(text: str) -> None:
    result, asked = call({"id": text})
    assert asked == []
    assert result.startswith('[erreur] bloc "')


def test_an_absent_block_and_a_malformed_id_have_the_same_text() -> None:
    expected = "[erreur] bloc {} introuvable — vérifie l'id, ou utilise recall_search pour le retrouver par mots-clés"
    assert call({"id": "r8"}) == (expected.format('"r8"'), [8])
    assert call({"id": "r8x"}) == (expected.format('"r8x"'), [])


def test_the_id_is_quoted_as_received_untrimmed() -> None:
    assert call({"id": ' r8"\n\u00a0'})[0].startswith('[erreur] bloc " r8\\"\\n\\u00a0" introuvable')


def test_what_is_printable_depends_on_the_unicode_of_the_go_that_is_copied() -> None:
    assert '"\\u1c89"' in call({"id": "\u1c89"}, GO_1_25)[0]
    assert '"\u1c89"' in call({"id": "\u1c89"}, GO_1_27)[0]


@pytest.mark.parametrize("text", ["7", "r7", "R7", "rR7", "  r  7\n", "r" + "0" * 5000 + "7"])
def test_a_found_block_is_given_back_verbatim(text: str) -> None:
    assert call({"id": text}) == ("[r7 — read: a\tb\n, rappelé verbatim]\nun\n\ndeux  \n", [7])


def test_the_largest_seq_is_read() -> None:
    assert call({"id": "18446744073709551615"})[1] == [18446744073709551615]


def test_a_brace_in_a_block_is_a_character_like_another() -> None:
    block = Block("r7", 7, "{content}", "tool", "{id} {0} {", 0)
    answer = recall({"id": "7"}, Env(GO_1_25, archive=Reads(block)))
    assert answer.result == "[r7 — {content}, rappelé verbatim]\n{id} {0} {"


def test_the_label_is_the_id_as_received() -> None:
    assert recall({"id": " r7 "}, Env(GO_1_25, archive=Reads())).label == " r7 "


def test_an_environment_without_an_archive_is_a_fault_of_the_caller() -> None:
    with pytest.raises(LookupError):
        recall({"id": "7"}, Env(GO_1_25))
