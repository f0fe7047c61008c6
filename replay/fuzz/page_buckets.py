"""The boundaries of the rules of memory.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from parity.gostd import strings, utf8
from replay.fuzz.reached import (
    all_of,
    answers,
    any_of,
    args,
    argument,
    holds,
    none_of,
    number,
    of_type,
    result,
    seen_is,
    shows,
)
from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parity.stores.state import Settings
    from replay.fields import Fields, Value
    from replay.fuzz.reached import Reached, Seen

INDEX: Final = "MEMORY.md"
_MARK: Final = b"LOKIMEMv1"

_LISTED: Final = result(lambda text: text.startswith("- "))
_LINES: Final = result(lambda text: "\t" in text[:20])
_CREATED: Final = result(lambda text: text.startswith("[ok] page"))
_EDITED: Final = result(lambda text: text.endswith("modifiée"))
_LOCKED_WRITE: Final = answers("[erreur] page chiffrée, mémoire verrouillée")
_NO_LABEL: Final = shows("label", lambda value: value == "")


def _files(seen: Seen) -> Mapping[str, bytes]:
    """The files before the call."""
    return cast("Mapping[str, bytes]", seen["files"])


def _before(test: Callable[[Mapping[str, bytes]], object]) -> Reached:
    return lambda seen, _: test(_files(seen))


def _after(test: Callable[[Mapping[str, Mapping[str, Value]]], object]) -> Reached:
    return shows("files", lambda value: test(cast("Mapping[str, Mapping[str, Value]]", value)))


def _settings(test: Callable[[Settings], object]) -> Reached:
    return seen_is("settings", lambda value: test(cast("Settings", value)))


_HAS_KEY: Final = _settings(lambda held: held.dek is not None and not held.locked)
_ENCRYPTED: Final = _settings(lambda held: bool(held.config))


def _terms(test: Callable[[list[str]], object]) -> Reached:
    return lambda seen, _: test(strings.fields(str(args(seen).get("query", ""))))


def _hits(test: Callable[[int], object]) -> Reached:
    return all_of(_LISTED, result(lambda text: test(f"\n{text}".count("\n- "))))


def _file_is_there(seen: Seen, _: Fields) -> bool:
    file = args(seen).get("file")
    return isinstance(file, str) and file.endswith(".md") and file in _files(seen)


def _was_sealed(seen: Seen, _: Fields) -> bool:
    return _files(seen).get(str(args(seen).get("file")), b"").startswith(_MARK)


def _new_sealed_file(seen: Seen, actual: Fields) -> bool:
    after = cast("Mapping[str, Mapping[str, Value]]", actual["files"])
    return any(page["sealed"] for name, page in after.items() if name not in _files(seen))


def _new_backup(seen: Seen, actual: Fields) -> bool:
    backup = f"{args(seen).get('file')}.bak"
    return backup not in _files(seen) and backup in cast("Mapping[str, Value]", actual["files"])


def _overlaps_with_itself(seen: Seen, _: Fields) -> bool:
    """Whether some page holds the text to replace once as Go counts, and again inside that."""
    old = str(args(seen).get("old", "")).encode()
    if len(old) < 2:
        return False
    return any(page.count(old) == 1 and page.find(old, page.find(old) + 1) > 0 for page in _files(seen).values())


def _same_texts(seen: Seen, _: Fields) -> bool:
    return args(seen).get("new") == args(seen).get("old")


def _lines_of(count: int, *, exactly: bool = False) -> Reached:
    """One of the two texts of an edit has so many newlines, or more."""

    def reached(seen: Seen, _: Fields) -> bool:
        most = max(str(args(seen).get(name, "")).count("\n") for name in ("old", "new"))
        return most == count if exactly else most >= count

    return all_of(_EDITED, reached)


def _entries(count: int) -> Reached:
    return shows("diff", lambda value: len(cast("Sequence[Value]", value)) == count)


def _all_operations(value: Value) -> bool:
    return {line["op"] for line in cast("Sequence[Mapping[str, Value]]", value)} == {" ", "-", "+"}


def _is_blank(raw: bytes) -> bool:
    return not strings.trim_space(utf8.text(raw))


def _file(test: Callable[[str], object]) -> Reached:
    return argument("file", lambda text: test(strings.trim_space(text)))


def _content(test: Callable[[str], object]) -> Reached:
    return argument("content", test)


_NO_TEXT: Final = (float, bool, list, dict)
_NO_NUMBER: Final = (str, bool, list, dict)


def _pages(seen: Seen) -> list[tuple[str, str]]:
    """The pages before the call, as their names and texts in lower case; sealed ones as they lie there."""
    return [
        (name.lower(), utf8.decode(raw).lower())
        for name, raw in _files(seen).items()
        if name[-3:].lower() == ".md" and name[0] != "."
    ]


def _lowered_terms(seen: Seen) -> list[str]:
    return strings.fields(str(args(seen).get("query", "")).lower())


def _some_page(test: Callable[[str, str, list[str]], object]) -> Reached:
    """Hits are listed, and of a page's name and text and the terms, all in lower case, something holds."""

    def reached(seen: Seen, _: Fields) -> bool:
        terms = _lowered_terms(seen)
        return any(test(name, text, terms) for name, text in _pages(seen))

    return all_of(_LISTED, _terms(bool), reached)


def _holders(test: Callable[[int, int], object]) -> Reached:
    """The first of several terms is held by so many of so many pages."""

    def reached(seen: Seen, _: Fields) -> object:
        term, *others = _lowered_terms(seen)
        pages = _pages(seen)
        return others and test(sum(term in f"{name}\n{text}" for name, text in pages), len(pages))

    return all_of(_LISTED, _terms(bool), reached)


def _second_comes_first(_: str, text: str, terms: list[str]) -> bool:
    return len(terms) > 1 and 0 <= text.find(terms[1]) < text.find(terms[0])


def _in_title(_: str, text: str, terms: list[str]) -> bool:
    return text.startswith("#") and terms[0] in text.partition("\n")[0]


def _both_cases(files: Mapping[str, bytes]) -> bool:
    firsts = {name[0] for name in files if name.endswith(".md")}
    return any(one.islower() for one in firsts) and any(one.isupper() for one in firsts)


def _index_changed(seen: Seen, actual: Fields) -> bool:
    after = cast("Mapping[str, Mapping[str, Value]]", actual["files"])
    return len(after) > len(_files(seen)) and str(after[INDEX]["content"]).count("](") > 0


def _is_linked(seen: Seen, _: Fields) -> bool:
    """Whether the index links to the page that is added, before it is."""
    name = strings.trim_space(str(args(seen)["file"]))
    return f"]({name.removesuffix('.md')}.md)".encode() in _files(seen).get(INDEX, b"")


def _keeps_files(seen: Seen, actual: Fields) -> bool:
    return cast("Mapping[str, Value]", actual["files"]).keys() == _files(seen).keys()


def _moved_line(value: Value) -> bool:
    lines = cast("Sequence[Mapping[str, Value]]", value)
    return any({"op": "+", "text": line["text"]} in lines for line in lines if line["op"] == "-")


def _is_padded(text: str) -> bool:
    return text != strings.trim_space(text)


_HAS_INDEX: Final = _before(lambda files: INDEX in files and not _is_blank(files[INDEX]))
_NOT_THE_INDEX: Final = _file(lambda text: text.upper() not in {"MEMORY", "MEMORY.MD"})
_OTHER_CASE: Final = _file(lambda text: text[-3:] != ".md" and text[-3:].upper() == ".MD")
_SIDE_BY_SIDE: Final = holds("\ufffd\ufffd")

_SEARCH: Final = "memory/mem_search"
_READ: Final = "memory/mem_read"
_EDIT: Final = "memory/mem_edit"

SEARCH: Final = (
    Bucket(f"{_SEARCH}/terms", "none", all_of(_LISTED, _terms(lambda terms: not terms))),
    Bucket(f"{_SEARCH}/terms", "twice the same in another case", argument("query", lambda text: "a A" in text)),
    Bucket(f"{_SEARCH}/terms", "U+001F does not cut", argument("query", lambda text: "\x1f" in text)),
    Bucket(f"{_SEARCH}/matching", "none", answers("[aucun résultat]")),
    Bucket(f"{_SEARCH}/limit", "0 and below", all_of(_LISTED, number("limit", lambda value: value <= 0))),
    Bucket(f"{_SEARCH}/limit", "31", all_of(_LISTED, number("limit", lambda value: value == 31))),
    Bucket(
        f"{_SEARCH}/limit", "30 of more", all_of(_hits(lambda hits: hits == 30), _before(lambda files: len(files) > 30))
    ),
    Bucket(
        f"{_SEARCH}/limit", "8 of more", all_of(_hits(lambda hits: hits == 8), _before(lambda files: len(files) > 20))
    ),
    Bucket(f"{_SEARCH}/limit", "1", all_of(_hits(lambda hits: hits == 1), number("limit", lambda value: value == 1))),
    Bucket(f"{_SEARCH}/limit", "2^63 and above", all_of(_LISTED, number("limit", lambda value: value >= 2.0**63))),
    Bucket(
        f"{_SEARCH}/order", "hits of terms", all_of(_hits(lambda hits: hits > 1), _terms(lambda terms: len(terms) > 1))
    ),
    Bucket(f"{_SEARCH}/head", "cut after 160 bytes", all_of(_LISTED, holds("…"), _terms(lambda terms: not terms))),
    Bucket(f"{_SEARCH}/window", "cut before", holds("\n  …")),
    Bucket(f"{_SEARCH}/window", "cut after", all_of(_terms(bool), result(lambda text: "…\n" in f"{text}\n"))),
    Bucket(f"{_SEARCH}/window", "inside a character", any_of(holds("\ufffd…"), holds("…\ufffd"))),
    Bucket(f"{_SEARCH}/panic", "start after the end", shows("panic", lambda value: "slice bounds" in str(value))),
    Bucket(f"{_SEARCH}/flat", "bad bytes", all_of(_LISTED, holds("\ufffd"))),
    Bucket(f"{_SEARCH}/field", "the name holds a term", all_of(_LISTED, _terms(lambda terms: "md" in terms))),
    Bucket(
        f"{_SEARCH}/result", "an empty snippet at the end", all_of(_LISTED, result(lambda text: text.endswith("\n  ")))
    ),
    Bucket(f"{_SEARCH}/count", "twice in a page", _some_page(lambda _, text, terms: text.count(terms[0]) > 1)),
    Bucket(f"{_SEARCH}/tf", "ten times in a page", _some_page(lambda _, text, terms: text.count(terms[0]) > 9)),
    Bucket(f"{_SEARCH}/df", "in every page", _holders(lambda holding, pages: holding == pages > 1)),
    Bucket(f"{_SEARCH}/idf", "in one of several", _holders(lambda holding, pages: holding == 1 < pages)),
    Bucket(f"{_SEARCH}/score", "in a title", _some_page(_in_title)),
    Bucket(f"{_SEARCH}/hay", "in a name alone", _some_page(lambda name, text, terms: terms[0] in name and not text)),
    Bucket(f"{_SEARCH}/hay", "U+FFFD", all_of(_LISTED, _terms(lambda terms: "\ufffd" in terms))),
    Bucket(f"{_SEARCH}/first", "the second term", _some_page(_second_comes_first)),
    Bucket(f"{_SEARCH}/snippet", "cut on both sides", result(lambda text: "\n  …" in text and "…\n" in f"{text}\n")),
    Bucket(
        f"{_SEARCH}/panics-beyond-limit",
        "under a limit",
        all_of(
            shows("panic", lambda value: "slice" in str(value)), number("limit", bool), _before(lambda v: len(v) > 1)
        ),
    ),
    Bucket("memory/arguments/text", "no text", of_type("query", *_NO_TEXT)),
    Bucket("memory/arguments/number", "no number", all_of(_LISTED, of_type("limit", *_NO_NUMBER))),
    Bucket("memory/listing/order", "capitals first", all_of(_hits(lambda hits: hits > 1), _before(_both_cases))),
    Bucket("memory/listing/no-folder", "no page", all_of(answers("[aucun résultat]"), _before(lambda v: not v))),
    Bucket("memory/listing/unreadable", "damaged", all_of(holds("🔒"), _HAS_KEY)),
    Bucket("memory/result/clean", "bad bytes side by side", all_of(_LISTED, _SIDE_BY_SIDE)),
    Bucket("memory/listing/locked-title", "a page that cannot be read", holds("🔒 (chiffré — mémoire verrouillée)")),
    Bucket("memory/listing/title", "empty", all_of(_LISTED, result(lambda text: " — \n" in f"{text}\n"))),
    Bucket("memory/listing/entries", "others beside", all_of(_LISTED, _before(lambda files: ".cache.md" in files))),
    Bucket("labels/argument", "no text", _NO_LABEL),
)

READ: Final = (
    Bucket(f"{_READ}/lines", "CR stays", all_of(_LINES, holds("\r"))),
    Bucket(f"{_READ}/lines", "an empty page", answers("1\t")),
    Bucket(f"{_READ}/lines", "bad bytes", all_of(_LINES, holds("\ufffd"))),
    Bucket(f"{_READ}/lines", "a last line of nothing", all_of(_LINES, result(lambda text: text.endswith("\t")))),
    Bucket(f"{_READ}/offset", "past the end", all_of(answers(""), number("offset", lambda value: value > 1))),
    Bucket(f"{_READ}/offset", "0 and below", all_of(_LINES, number("offset", lambda value: value <= 0))),
    Bucket(f"{_READ}/offset", "2", all_of(_LINES, number("offset", lambda value: value == 2))),
    Bucket(f"{_READ}/offset", "2^63 and above", all_of(_LINES, number("offset", lambda value: value >= 2.0**63))),
    Bucket(f"{_READ}/limit", "1", all_of(_LINES, number("limit", lambda value: value == 1))),
    Bucket(f"{_READ}/limit", "500", all_of(_LINES, number("limit", lambda value: value == 500))),
    Bucket(f"{_READ}/limit", "501", all_of(_LINES, number("limit", lambda value: value == 501))),
    Bucket(f"{_READ}/unreadable", "not there", holds("introuvable")),
    Bucket(f"{_READ}/unreadable", "locked", holds("chiffrée — mémoire verrouillée")),
    Bucket("memory/sealed/damaged", "not opened", all_of(holds("introuvable"), _HAS_KEY, _file_is_there)),
    Bucket("memory/sealed/opening", "opened", all_of(_LINES, _was_sealed)),
    Bucket("memory/arguments/text", "no text", of_type("file", *_NO_TEXT)),
    Bucket("memory/arguments/number", "no number", all_of(_LINES, of_type("offset", *_NO_NUMBER))),
    Bucket("memory/names/case", "another case of .md", all_of(_LINES, _OTHER_CASE)),
    Bucket("memory/result/clean", "bad bytes side by side", all_of(_LINES, _SIDE_BY_SIDE)),
    Bucket("memory/names/extension", "the Kelvin sign", _file(lambda text: "\u212a.md" in text)),
    Bucket("memory/names/alphabet", "a newline at the end", argument("file", lambda text: text == "x.md\n")),
    Bucket("memory/names/empty", "blank", argument("file", lambda text: text and not strings.trim_space(text))),
    Bucket("labels/argument", "no text", _NO_LABEL),
)

ADD: Final = (
    Bucket("memory/mem_add/exists", "it exists", holds("la page existe déjà")),
    Bucket("memory/names/empty", "nothing", answers("[erreur] nom vide")),
    Bucket("memory/names/alphabet", "another character", answers("[erreur] nom invalide (alphanum, ._-)")),
    Bucket("memory/names/inside", "two dots", all_of(_CREATED, _file(lambda text: text == ".."))),
    Bucket(
        "memory/names/normalised", "another case of .md", all_of(_CREATED, _file(lambda text: text.endswith(".MD")))
    ),
    Bucket(
        "memory/mem_add/body", "newlines at the end", all_of(_CREATED, _content(lambda text: text.endswith("\n\n")))
    ),
    Bucket("memory/mem_add/body", "empty", all_of(_CREATED, _content(lambda text: not text))),
    Bucket("memory/mem_add/body", "CR LF at the end", all_of(_CREATED, _content(lambda text: text.endswith("\r\n")))),
    Bucket("memory/mem_add/diff", "over 120 lines", all_of(_CREATED, _entries(121))),
    Bucket("memory/mem_add/created", "spaces around the name", all_of(_CREATED, argument("file", _is_padded))),
    Bucket("memory/mem_add/written-then-indexed", "both", all_of(_CREATED, _NOT_THE_INDEX, _index_changed)),
    Bucket("memory/arguments/text", "no text", all_of(_CREATED, of_type("content", *_NO_TEXT))),
    Bucket("memory/index/kept", "an index before", all_of(_CREATED, _HAS_INDEX, _NOT_THE_INDEX)),
    Bucket("memory/index/present", "it is there", all_of(_CREATED, _is_linked)),
    Bucket("memory/sealed/form", "a new page", all_of(_CREATED, _new_sealed_file)),
    Bucket("memory/writing/locked", "nothing is written", all_of(_LOCKED_WRITE, _keeps_files)),
    Bucket("memory/index/seed", "no index before", all_of(_CREATED, none_of(_before(lambda files: INDEX in files)))),
    Bucket(
        "memory/index/blank",
        "blank",
        all_of(_CREATED, _before(lambda files: INDEX in files and _is_blank(files[INDEX]))),
    ),
    Bucket(
        "memory/index/itself",
        "the index",
        all_of(_CREATED, _file(lambda text: text.upper() in {"MEMORY", "MEMORY.MD"})),
    ),
    Bucket("memory/index/entry", "no title", all_of(_CREATED, _content(lambda text: not text.strip("# \n\t\r")))),
    Bucket("memory/writing/backup", "of the index", all_of(_CREATED, _after(lambda files: f"{INDEX}.bak" in files))),
    Bucket("memory/encrypted/setting", "written sealed", all_of(_CREATED, _ENCRYPTED, _new_sealed_file)),
    Bucket("memory/encrypted/setting", "locked", _LOCKED_WRITE),
    Bucket("memory/sealed/sealing", "a key, not encrypted", all_of(_CREATED, _HAS_KEY, none_of(_ENCRYPTED))),
    Bucket("labels/argument", "no text", _NO_LABEL),
)

EDIT: Final = (
    Bucket(f"{_EDIT}/old-empty", "empty", answers("[erreur] old vide")),
    Bucket(f"{_EDIT}/occurrences", "none", answers("[erreur] old introuvable dans la page")),
    Bucket(f"{_EDIT}/occurrences", "2", holds("old apparaît 2 fois")),
    Bucket(f"{_EDIT}/occurrences", "6", holds("old apparaît 6 fois")),
    Bucket(f"{_EDIT}/occurrences", "1 that overlaps with itself", all_of(_EDITED, _overlaps_with_itself)),
    Bucket(f"{_EDIT}/up-to-date", "new is there, old is not", holds("déjà à jour")),
    Bucket(f"{_EDIT}/result", "nothing in its place", all_of(_EDITED, argument("new", lambda text: not text))),
    Bucket(f"{_EDIT}/result", "the same", all_of(_EDITED, _same_texts)),
    Bucket(f"{_EDIT}/result", "the index", all_of(_EDITED, _file(lambda text: text == INDEX))),
    Bucket("memory/writing/backup", "the version before", all_of(_EDITED, _new_backup)),
    Bucket("memory/writing/backup-name", "another case of .md", all_of(_EDITED, _new_backup, _OTHER_CASE)),
    Bucket(f"{_EDIT}/index-untouched", "an index before", all_of(_EDITED, _HAS_INDEX, _NOT_THE_INDEX)),
    Bucket("memory/arguments/text", "no text", of_type("old", *_NO_TEXT)),
    Bucket("memory/diff/common", "a line moved", shows("diff", _moved_line)),
    Bucket(
        "memory/writing/backup",
        "a second one",
        all_of(_EDITED, _before(lambda files: any(".bak" in one for one in files))),
    ),
    Bucket("memory/diff/walk", "kept, removed and added", shows("diff", _all_operations)),
    Bucket("memory/diff/lines", "CR LF", all_of(_EDITED, argument("old", lambda text: "\r\n" in text))),
    Bucket("memory/diff/cut", "over 120 entries", all_of(_EDITED, _entries(121))),
    Bucket("memory/diff/cut", "120 entries", all_of(_EDITED, _entries(120))),
    Bucket("memory/diff/long", "over 400 lines", _lines_of(400)),
    Bucket("memory/diff/long", "400 lines", _lines_of(399, exactly=True)),
    Bucket("memory/encrypted/setting", "locked", _LOCKED_WRITE),
    Bucket(f"{_READ}/unreadable", "not there", holds("introuvable")),
    Bucket("labels/argument", "no text", _NO_LABEL),
)

WALK: Final = (
    Bucket("memory/encrypted/setting", "encrypted", all_of(_ENCRYPTED, _HAS_KEY)),
    Bucket("memory/sealed/damaged", "not opened", all_of(holds("introuvable"), _HAS_KEY, _file_is_there)),
    Bucket(
        "memory/writing/backup",
        "a second one",
        all_of(_EDITED, _before(lambda files: any(".bak" in one for one in files))),
    ),
    Bucket("memory/sealed/plain", "beside sealed ones", all_of(_HAS_KEY, _LISTED)),
)
