"""The boundaries of the rules of memory.md and tracker.md, and how to tell that a call reached one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from parity.gostd import strings, utf8
from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from parity.stores.state import Settings
    from parity.tools.interface import Tracker
    from replay.fields import Fields, Value

Reached = "Callable[[Mapping[str, object], Fields], object]"


@dataclass(frozen=True, slots=True)
class MemoryBucket(Bucket):
    """A bucket of one tool; ``memory``: of a walk over all of them."""

    tool: str = "memory"


def _args(seen: Mapping[str, object]) -> Mapping[str, object]:
    return cast("Mapping[str, object]", seen["args"])


def _text(seen: Mapping[str, object], name: str) -> str:
    value = _args(seen).get(name)
    return value if isinstance(value, str) else ""


def _result(actual: Fields) -> str:
    return str(actual.get("result", ""))


def _files(seen: Mapping[str, object]) -> Mapping[str, bytes]:
    return cast("Mapping[str, bytes]", seen["files"])


def _trackers(seen: Mapping[str, object]) -> Mapping[str, Tracker]:
    return cast("Mapping[str, Tracker]", seen["trackers"])


def _settings(seen: Mapping[str, object]) -> Settings:
    return cast("Settings", seen["settings"])


def _hits(actual: Fields) -> int:
    return ("\n" + _result(actual)).count("\n- ")


def _is(text: str) -> Callable[[Mapping[str, object], Fields], object]:
    """The result is a text."""
    return lambda _, actual: _result(actual) == text


def _holds(*parts: str) -> Callable[[Mapping[str, object], Fields], object]:
    """The result holds all of these."""
    return lambda _, actual: all(part in _result(actual) for part in parts)


def _limit(name: str, test: Callable[[float], object], tool_worked: Callable[[Fields], object]) -> Callable[[Mapping[str, object], Fields], object]:
    def reached(seen: Mapping[str, object], actual: Fields) -> object:
        value = _args(seen).get(name)
        return isinstance(value, float) and test(value) and tool_worked(actual)

    return reached


def _search(rule: str, boundary: str, reached: Callable[[Mapping[str, object], Fields], object]) -> MemoryBucket:
    return MemoryBucket(f"memory/{rule}", boundary, reached, "mem_search")


def _read(rule: str, boundary: str, reached: Callable[[Mapping[str, object], Fields], object]) -> MemoryBucket:
    return MemoryBucket(f"memory/{rule}", boundary, reached, "mem_read")


def _add(rule: str, boundary: str, reached: Callable[[Mapping[str, object], Fields], object]) -> MemoryBucket:
    return MemoryBucket(f"memory/{rule}", boundary, reached, "mem_add")


def _edit(rule: str, boundary: str, reached: Callable[[Mapping[str, object], Fields], object]) -> MemoryBucket:
    return MemoryBucket(f"memory/{rule}", boundary, reached, "mem_edit")


def _track(rule: str, boundary: str, reached: Callable[[Mapping[str, object], Fields], object]) -> MemoryBucket:
    return MemoryBucket(f"tracker/{rule}", boundary, reached, "tracker")


def _walk(rule: str, boundary: str, reached: Callable[[Mapping[str, object], Fields], object]) -> MemoryBucket:
    return MemoryBucket(f"memory/{rule}", boundary, reached, "memory")


def _created(actual: Fields) -> bool:
    return _result(actual).startswith("[ok] page")


def _edited(actual: Fields) -> bool:
    return _result(actual).endswith("modifiée")


def _diff(actual: Fields) -> tuple[Mapping[str, Value], ...]:
    return cast("tuple[Mapping[str, Value], ...]", actual.get("diff") or ())


def _file(actual: Fields, name: str) -> Mapping[str, Value]:
    return cast("Mapping[str, Mapping[str, Value]]", actual["files"]).get(name, {})


def _repeated(seen: Mapping[str, object]) -> bool:
    """Whether the text to replace overlaps with itself in some page."""
    old = _text(seen, "old").encode()
    return len(old) > 1 and any(page.count(old) == 1 and _overlaps(page, old) for page in _files(seen).values())


def _overlaps(page: bytes, old: bytes) -> bool:
    first = page.find(old)
    return page.find(old, first + 1) > 0


def _points(actual: Fields) -> str:
    head = _result(actual).partition("\n")[0]
    return head if " points" in head else ""


_SIXTY: Final = " — {} points"

BUCKETS: Final[tuple[MemoryBucket, ...]] = (
    # --- mem_search ---
    _search("mem_search/terms", "none", lambda seen, actual: not strings.fields(_text(seen, "query")) and _hits(actual)),
    _search("mem_search/terms", "twice the same in another case", lambda seen, _: "a A" in _text(seen, "query")),
    _search("mem_search/terms", "U+001F does not cut", lambda seen, _: "\x1f" in _text(seen, "query")),
    _search("mem_search/matching", "none", _is("[aucun résultat]")),
    _search("mem_search/limit", "0 and below", _limit("limit", lambda value: value <= 0, _hits)),
    _search("mem_search/limit", "31", _limit("limit", lambda value: value == 31, _hits)),
    _search("mem_search/limit", "one of several", lambda seen, actual: _hits(actual) == 1 and _args(seen).get("limit") == 1.0 and len(_files(seen)) > 1),
    _search("mem_search/limit", "2^63 and above", _limit("limit", lambda value: value >= 2.0**63, _hits)),
    _search("mem_search/limit", "30 of more", lambda seen, actual: _hits(actual) == 30 and len(_files(seen)) > 30),
    _search("mem_search/order", "several hits, several terms", lambda seen, actual: _hits(actual) > 1 and len(strings.fields(_text(seen, "query"))) > 1),
    _search("mem_search/head", "cut after 160 bytes", lambda seen, actual: not strings.fields(_text(seen, "query")) and "…" in _result(actual)),
    _search("mem_search/window", "cut before", lambda _, actual: "\n  …" in _result(actual)),
    _search("mem_search/window", "cut after", lambda seen, actual: strings.fields(_text(seen, "query")) and "…\n" in _result(actual) + "\n"),
    _search("mem_search/window", "inside a character", lambda seen, actual: "\ufffd…" in _result(actual) or "…\ufffd" in _result(actual)),
    _search("mem_search/panic", "start after the end", lambda _, actual: "slice bounds" in str(actual.get("panic"))),
    _search("mem_search/flat", "bad bytes", lambda seen, actual: _hits(actual) and "\ufffd" in _result(actual)),
    _search("mem_search/field", "the name holds a term", lambda seen, actual: _hits(actual) and "md" in strings.fields(_text(seen, "query"))),
    _search("listing/locked-title", "a page that cannot be read", _holds("🔒 (chiffré — mémoire verrouillée)")),
    _search("listing/title", "empty", lambda _, actual: " — \n" in _result(actual) + "\n"),
    _search("listing/entries", "no page", lambda seen, actual: _files(seen) and not any(name.endswith((".md", ".MD", ".Md")) for name in _files(seen))),
    _search("mem_search/result", "an empty snippet at the end", lambda _, actual: _hits(actual) and _result(actual).endswith("\n  ")),
    # --- mem_read ---
    _read("mem_read/lines", "CR stays", lambda _, actual: "\r" in _result(actual) and _result(actual)[:1] != "["),
    _read("mem_read/lines", "an empty page", lambda _, actual: _result(actual) == "1\t"),
    _read("mem_read/lines", "bad bytes", lambda _, actual: "\ufffd" in _result(actual)),
    _read("mem_read/lines", "a last line of nothing", lambda _, actual: _result(actual)[:2] == "1\t" and _result(actual).endswith("\t")),
    _read("mem_read/offset", "past the end", lambda seen, actual: actual.get("result") == "" and cast("float", _args(seen).get("offset") or 0) > 1),
    _read("mem_read/offset", "0 and below", _limit("offset", lambda value: value <= 0, lambda actual: "\t" in _result(actual))),
    _read("mem_read/offset", "2", _limit("offset", lambda value: value == 2, lambda actual: _result(actual).startswith("2\t"))),
    _read("mem_read/offset", "2^63 and above", _limit("offset", lambda value: value >= 2.0**63, lambda actual: "\t" in _result(actual))),
    _read("mem_read/limit", "one", _limit("limit", lambda value: value == 1, lambda actual: "\t" in _result(actual) and "\n" not in _result(actual))),
    _read("mem_read/limit", "500", _limit("limit", lambda value: value == 500, lambda actual: "\t" in _result(actual))),
    _read("mem_read/limit", "501", _limit("limit", lambda value: value == 501, lambda actual: "\t" in _result(actual))),
    _read("mem_read/unreadable", "not there", _holds("introuvable")),
    _read("mem_read/unreadable", "locked", _holds("chiffrée — mémoire verrouillée")),
    _read("mem_read/unreadable", "damaged", lambda seen, actual: "introuvable" in _result(actual) and _text(seen, "file") in _files(seen) and _settings(seen).dek is not None and not _settings(seen).locked and _text(seen, "file").endswith(".md")),
    _read("sealed/opening", "opened", lambda seen, actual: _result(actual)[:2] == "1\t" and _files(seen).get(_text(seen, "file"), b"").startswith(b"LOKIMEMv1")),
    _read("names/extension", "K is no k", lambda seen, _: "\u212a.md" in _text(seen, "file")),
    _read("names/alphabet", "a newline at the end", lambda seen, _: _text(seen, "file") == "x.md\n"),
    _read("names/empty", "blank", lambda seen, _: _text(seen, "file") and not strings.trim_space(_text(seen, "file"))),
    # --- mem_add ---
    _add("mem_add/exists", "it exists", _holds("la page existe déjà")),
    _add("names/empty", "nothing", _is("[erreur] nom vide")),
    _add("names/alphabet", "another character", _is("[erreur] nom invalide (alphanum, ._-)")),
    _add("names/inside", "two dots", lambda seen, actual: strings.trim_space(_text(seen, "file")) == ".." and _created(actual)),
    _add("names/normalised", "another case of .md", lambda seen, actual: strings.trim_space(_text(seen, "file")).endswith(".MD") and _created(actual)),
    _add("mem_add/body", "newlines at the end", lambda seen, actual: _text(seen, "content").endswith("\n\n") and _created(actual)),
    _add("mem_add/body", "empty", lambda seen, actual: not _text(seen, "content") and _created(actual)),
    _add("mem_add/body", "CR at the end", lambda seen, actual: _text(seen, "content").endswith("\r\n") and _created(actual)),
    _add("mem_add/diff", "over 120 lines", lambda _, actual: len(_diff(actual)) == 121),
    _add("index/seed", "no index before", lambda seen, actual: _created(actual) and "MEMORY.md" not in _files(seen) and "MEMORY.md" in cast("Mapping[str, object]", actual["files"])),
    _add("index/blank", "blank", lambda seen, actual: _created(actual) and "MEMORY.md" in _files(seen) and not strings.trim_space(utf8.text(_files(seen)["MEMORY.md"]))),
    _add("index/itself", "the index", lambda seen, actual: _created(actual) and strings.trim_space(_text(seen, "file")).upper() in {"MEMORY", "MEMORY.MD"}),
    _add("index/present", "a line holds it", lambda seen, actual: _created(actual) and "MEMORY.md.bak" not in cast("Mapping[str, object]", actual["files"]) and "MEMORY.md" in _files(seen)),
    _add("index/entry", "no title", lambda seen, actual: _created(actual) and not strings.trim_space(_text(seen, "content").replace("#", ""))),
    _add("writing/backup", "of the index", lambda _, actual: _created(actual) and "MEMORY.md.bak" in cast("Mapping[str, object]", actual["files"])),
    _add("encrypted/setting", "written sealed", lambda seen, actual: _created(actual) and _settings(seen).config and any(_file(actual, name).get("sealed") for name in cast("Mapping[str, object]", actual["files"]) if name not in _files(seen))),
    _add("encrypted/setting", "locked", _is("[erreur] page chiffrée, mémoire verrouillée")),
    _add("sealed/sealing", "a key, but not encrypted", lambda seen, actual: _created(actual) and _settings(seen).dek is not None and not _settings(seen).config),
    # --- mem_edit ---
    _edit("mem_edit/old-empty", "empty", _is("[erreur] old vide")),
    _edit("mem_edit/occurrences", "none", _is("[erreur] old introuvable dans la page")),
    _edit("mem_edit/occurrences", "two", _holds("old apparaît 2 fois")),
    _edit("mem_edit/occurrences", "more than five", lambda _, actual: any(f"apparaît {count} fois" in _result(actual) for count in (6, 7, 8, 9, 12))),
    _edit("mem_edit/occurrences", "one that overlaps with itself", lambda seen, actual: _edited(actual) and _repeated(seen)),
    _edit("mem_edit/up-to-date", "new is there, old is not", _holds("déjà à jour")),
    _edit("mem_edit/result", "nothing in its place", lambda seen, actual: _edited(actual) and not _text(seen, "new")),
    _edit("mem_edit/result", "the same", lambda seen, actual: _edited(actual) and _text(seen, "new") == _text(seen, "old")),
    _edit("mem_edit/result", "the index", lambda seen, actual: _edited(actual) and _text(seen, "file").startswith("MEMORY")),
    _edit("writing/backup", "the version before", lambda seen, actual: _edited(actual) and _text(seen, "file") + ".bak" not in _files(seen) and _text(seen, "file") + ".bak" in cast("Mapping[str, object]", actual["files"])),
    _edit("diff/walk", "kept, removed and added", lambda _, actual: {line["op"] for line in _diff(actual)} == {" ", "-", "+"}),
    _edit("diff/lines", "CR LF", lambda seen, actual: _edited(actual) and "\r\n" in _text(seen, "old")),
    _edit("diff/cut", "over 120 entries", lambda _, actual: len(_diff(actual)) == 121),
    _edit("diff/cut", "120 entries", lambda _, actual: len(_diff(actual)) == 120),
    _edit("diff/long", "over 400 lines", lambda seen, actual: _edited(actual) and max(_text(seen, "old").count("\n"), _text(seen, "new").count("\n")) > 400),
    _edit("diff/long", "400 lines", lambda seen, actual: _edited(actual) and max(_text(seen, "old").count("\n"), _text(seen, "new").count("\n")) == 399),
    _edit("encrypted/setting", "locked", _is("[erreur] page chiffrée, mémoire verrouillée")),
    _edit("mem_read/unreadable", "not there", _holds("introuvable")),
    # --- tracker ---
    _track("arguments/text", "a number", lambda seen, _: isinstance(_args(seen).get("name"), float)),
    _track("arguments/text", "a map", lambda seen, _: isinstance(_args(seen).get("text"), dict)),
    _track("arguments/trimmed", "no-break space", lambda seen, _: "\xa0" in _text(seen, "name")),
    _track("slug", "over 40 bytes", lambda seen, actual: "ajouté" in _result(actual) and "trop long" in _text(seen, "name")),
    _track("slug", "a dash at the cut", lambda seen, actual: "ajouté" in _result(actual) and "voila-x y" in _text(seen, "name")),
    _track("slug", "every accent", lambda seen, actual: "ajouté" in _result(actual) and "ÀÂÄ" in _text(seen, "name")),
    _track("slug", "U+0130", lambda seen, _: "İ" in _text(seen, "name")),
    _track("add/slug", "none left", lambda seen, actual: "ajouté" in _result(actual) and strings.trim_space(_text(seen, "name")) in {"!!!", "漢字", "«»"}),
    _track("add/checks", "no name", _is("[erreur] nom de tracker vide")),
    _track("add/checks", "no text", _is("[erreur] contenu vide")),
    _track("add/created", "new", lambda seen, actual: "ajouté" in _result(actual) and len(cast("Mapping[str, object]", actual["trackers"])) > len(_trackers(seen))),
    _track("add/created", "a blank stored name", lambda seen, actual: "ajouté" in _result(actual) and any(not strings.trim_space(tracker.name) for tracker in _trackers(seen).values())),
    _track("add/id", "before 1970", lambda seen, actual: "(id -" in _result(actual)),
    _track("save/sorted", "not at the end", lambda seen, actual: "ajouté" in _result(actual) and str(seen["now"]) not in str(actual["trackers"])[-120:]),
    _track("when/now", "maintenant", lambda seen, actual: "ajouté" in _result(actual) and "MAINTENANT" in _text(seen, "when")),
    _track("when/first-t", "T", lambda seen, actual: "ajouté" in _result(actual) and "T" in _text(seen, "when")[10:11]),
    _track("when/first-t", "a second T", lambda seen, actual: "TT" in _text(seen, "when") and "comprise" in _result(actual)),
    *(
        _track("when/layouts", shape, lambda seen, actual, length=length: "ajouté" in _result(actual) and len(_text(seen, "when")) == length and _text(seen, "when")[:4].isdigit())
        for shape, length in (("year", 4), ("month", 7), ("day", 10), ("hour", 13), ("minute", 16), ("second", 19))
    ),
    _track("when/layouts", "a fraction", lambda seen, actual: "ajouté" in _result(actual) and "," in _text(seen, "when")[19:]),
    _track("when/misunderstood", "refused", _holds("date non comprise")),
    _track("when/misunderstood", "quoted with an escape", lambda _, actual: "date non comprise" in _result(actual) and "\\u" in _result(actual)),
    _track("edit", "no id", _is("[erreur] name et id sont requis pour modifier un point")),
    _track("edit/fields", "neither text nor date", lambda seen, actual: "modifié" in _result(actual) and not _text(seen, "text") and not _text(seen, "when")),
    _track("edit/fields", "a bad date leaves it", lambda seen, actual: "date non comprise" in _result(actual) and "edit" in _text(seen, "action")),
    _track("edit/fields", "a date", lambda seen, actual: "modifié" in _result(actual) and _text(seen, "when")),
    _track("edit", "no such id", _is("[erreur] événement introuvable")),
    _track("edit", "no tracker", _is("[erreur] tracker introuvable")),
    _track("delete", "no name", _is("[erreur] name requis")),
    _track("delete", "no id", _is("[erreur] id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil")),
    _track("delete", "several with one id", lambda seen, actual: "supprimé" in _result(actual) and sum(len(tracker.events) for tracker in _trackers(seen).values()) - str(actual["trackers"]).count("'ts'") > 1),
    _track("delete", "the last one", lambda seen, actual: "supprimé" in _result(actual) and "'events': ()" in str(actual["trackers"])),
    _track("action/unknown", "quoted", _holds("action inconnue")),
    _track("action/view", "in capitals", lambda seen, actual: _text(seen, "action") == "VIEW" and "Tracker" in _result(actual)),
    _track("view/overview", "none", _holds("Aucun tracker dans ce projet")),
    _track("view/overview", "another project's are left out", lambda seen, actual: "Trackers du projet" in _result(actual) and any(not key.startswith(f"{_settings(seen).project_slug}/") for key in _trackers(seen))),
    _track("view/overview-order", "three or more", lambda _, actual: "Trackers du projet" in _result(actual) and _result(actual).count("\n- ") > 2),
    _track("view/unknown", "not there", _holds("[aucun tracker «")),
    _track("view/empty", "no points", _holds("vide pour l'instant")),
    _track("view/skeleton", "this year", _holds("(année en cours)")),
    _track("view/skeleton", "another year", lambda _, actual: "Années :" in _result(actual) and "année en cours" not in _result(actual)),
    _track("view/year", "nothing", _holds("rien en")),
    _track("view/year", "months", _holds("pour un mois", "points :\n")),
    _track("view/points", "60", lambda _, actual: "Modifier/supprimer" in _result(actual) and _SIXTY.format(60) in _points(actual)),
    _track("view/points", "over 60", _holds("les 60 plus récents")),
    _track("view/points", "none", lambda _, actual: " — 0 points :\nModifier" in _result(actual)),
    _track("view/level", "a time of day", lambda seen, actual: "Modifier/supprimer" in _result(actual) and len(_text(seen, "when")) in {13, 16}),
    _track("view/level", "more than four parts", lambda seen, actual: _text(seen, "when").count("-") > 2 and "Modifier" in _result(actual)),
    _track("view/point", "date only", lambda _, actual: "Modifier/supprimer" in _result(actual) and "] 20" in _result(actual)),
    _track("view/matching", "part of a month", lambda seen, actual: len(_text(seen, "when")) == 6 and "Modifier" in _result(actual)),
    MemoryBucket("labels/tracker", "neither", lambda _, actual: actual.get("label") == "", "tracker"),
    # --- walks ---
    _walk("encrypted/setting", "encrypted", lambda seen, _: _settings(seen).config and _settings(seen).dek is not None),
    _walk("sealed/damaged", "not opened", lambda seen, actual: "introuvable" in _result(actual) and _settings(seen).dek is not None),
    _walk("writing/backup", "twice", lambda seen, actual: _edited(actual) and any(name.endswith(".bak") for name in _files(seen))),
    MemoryBucket("tracker/save/sorted", "sealed values under a lock", lambda seen, _: _settings(seen).locked and bool(_trackers(seen)), "memory"),
)  # fmt: skip
