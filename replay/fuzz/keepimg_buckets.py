"""The boundaries of the rules of keepimg.md, and how to tell that an operation reached one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.fields import Fields
    from replay.journal.model import KeepimgCase


def _op(seen: Mapping[str, object]) -> Mapping[str, object]:
    return cast("Mapping[str, object]", seen["op"])


def _is(seen: Mapping[str, object], name: str) -> bool:
    return _op(seen)["op"] == name


def _case(seen: Mapping[str, object]) -> KeepimgCase:
    return cast("KeepimgCase", seen["case"])


def _trials(seen: Mapping[str, object]) -> int:
    return cast("int", seen["trials"])


def _kept(seen: Mapping[str, object]) -> int:
    return cast("int", seen["kept"])


def _now(actual: Fields, name: str) -> int:
    found = actual.get(name)
    return found if isinstance(found, int) else 0


def _measured(seen: Mapping[str, object], actual: Fields) -> bool:
    """Whether what was on trial is kept now."""
    return _is(seen, "observe") and _trials(seen) > 0 and not actual.get("stopped") and not _now(actual, "on_trial")


def _rejected(seen: Mapping[str, object], actual: Fields) -> bool:
    return _is(seen, "observe") and _trials(seen) > 0 and bool(actual.get("stopped"))


def _grown(seen: Mapping[str, object], actual: Fields) -> int:
    return _now(actual, "kept_tokens") - _kept(seen)


def _messages(actual: Fields, name: str) -> Sequence[object]:
    return cast("Sequence[object]", actual.get(name) or ())


BUCKETS: Final = (
    Bucket("keepimg/on/setting", "capitals and spaces of Go", lambda seen, actual: actual.get("active") and _case(seen).keep_turn_images == "\u00a0True\u3000"),
    Bucket("keepimg/on/setting", "U+001C is no space", lambda seen, actual: not actual.get("active") and _case(seen).keep_turn_images == "\x1con"),
    Bucket("keepimg/on/setting", "full width", lambda seen, actual: not actual.get("active") and _case(seen).keep_turn_images == "ＯＮ"),
    Bucket("keepimg/on/state", "another thread", lambda seen, actual: not actual.get("active") and _case(seen).thread != "main"),
    Bucket("keepimg/on/state", "no conversation", lambda seen, actual: not actual.get("active") and not _case(seen).conversation),
    Bucket("keepimg/on/state", "no vision", lambda seen, actual: not actual.get("active") and not _case(seen).vision),
    Bucket("keepimg/on/without-state", "relay", lambda seen, actual: not actual.get("active") and _is(seen, "relay")),
    Bucket("keepimg/constants/budget", "0", lambda _, actual: actual.get("active") and actual.get("budget") == 0),
    Bucket("keepimg/constants/budget", "cut", lambda seen, _: _case(seen).ctx_window == 159),
    Bucket("keepimg/relay/stopped", "stopped before", lambda seen, actual: _is(seen, "relay") and actual.get("stopped") and not _op(seen).get("store_fails")),
    Bucket("keepimg/relay/budget-full", "full", lambda seen, actual: _is(seen, "relay") and actual.get("stopped") and _kept(seen) >= _now(actual, "budget") > 0),
    Bucket("keepimg/relay/refused", "the store refuses", lambda seen, actual: _is(seen, "relay") and actual.get("stopped") and _op(seen).get("store_fails")),
    Bucket("keepimg/relay/on-trial", "a second one", lambda seen, actual: _is(seen, "relay") and _now(actual, "on_trial") > 1),
    Bucket("keepimg/relay/first-notes", "from beyond the messages", lambda seen, actual: _is(seen, "relay") and _now(actual, "on_trial") == 1 and cast("int", _op(seen).get("from", 0)) >= len(_messages(actual, "messages"))),
    Bucket("keepimg/sending", "with one on trial", lambda seen, _: _is(seen, "sending") and _trials(seen)),
    Bucket("keepimg/observe/after", "incomplete", lambda seen, _: _is(seen, "observe") and _op(seen).get("complete") is False),
    Bucket("keepimg/observe/after", "no prompt", lambda seen, _: _is(seen, "observe") and _op(seen).get("prompt_tokens") == 0),
    Bucket("keepimg/observe/after", "a prompt below 0", lambda seen, _: _is(seen, "observe") and cast("int", _op(seen).get("prompt_tokens", 0)) < 0),
    Bucket("keepimg/context/after-completion", "more reasoning than generated", lambda seen, _: _is(seen, "observe") and cast("int", _op(seen).get("reasoning_tokens", 0)) > cast("int", _op(seen).get("gen_tokens", 0))),
    Bucket("keepimg/context/after-completion", "echoed", lambda seen, _: _is(seen, "observe") and _op(seen).get("reasoning_echoed")),
    Bucket("keepimg/observe/measured", "one", lambda seen, actual: _measured(seen, actual) and _trials(seen) == 1),
    Bucket("keepimg/measure/shares", "several", lambda seen, actual: _measured(seen, actual) and _trials(seen) > 1),
    Bucket("keepimg/measure/refused", "16 tokens an image", lambda seen, actual: _measured(seen, actual) and _grown(seen, actual) == 16 * _trials(seen)),
    Bucket("keepimg/measure/refused", "the whole budget", lambda seen, actual: _measured(seen, actual) and _now(actual, "kept_tokens") == _now(actual, "budget")),
    Bucket("keepimg/observe/rejected", "one", lambda seen, actual: _rejected(seen, actual)),
    Bucket("keepimg/observe/rejected", "several", lambda seen, actual: _rejected(seen, actual) and _trials(seen) > 1),
    Bucket("keepimg/measure/impossible", "not complete", lambda seen, actual: _rejected(seen, actual) and _op(seen).get("complete") is False),
    Bucket("keepimg/rewritten", "with one on trial", lambda seen, actual: _is(seen, "rewritten") and _trials(seen) and actual.get("stopped")),
    Bucket("keepimg/rewritten", "nothing on trial", lambda seen, actual: _is(seen, "rewritten") and not _trials(seen) and actual.get("active")),
    Bucket("keepimg/publishable", "one left out", lambda seen, actual: _is(seen, "publishable") and len(_messages(actual, "published")) < len(_messages(actual, "messages"))),
    Bucket("keepimg/finish", "with one on trial", lambda seen, actual: _is(seen, "finish") and _trials(seen)),
    Bucket("keepimg/finish", "nothing on trial", lambda seen, actual: _is(seen, "finish") and not _trials(seen) and actual.get("active")),
    Bucket("keepimg/drop", "something kept", lambda seen, actual: _is(seen, "drop") and _now(actual, "freed") > 0),
    Bucket("keepimg/drop", "nothing kept", lambda seen, actual: _is(seen, "drop") and actual.get("freed") == 0),
    Bucket("keepimg/drop/captions", "kept, and no image part", lambda seen, actual: _is(seen, "drop") and _now(actual, "freed") > 0 and "Voici." in str(actual["messages"])),
    Bucket("keepimg/kept", "a cost below 0", lambda _, actual: "'img_tokens': -1" in str(actual.get("messages"))),
    Bucket("keepimg/store/one-image", "none", lambda seen, actual: _is(seen, "store") and actual.get("stored") is False and "image_url" not in str(_op(seen))),
    Bucket("keepimg/store/one-image", "two", lambda seen, actual: _is(seen, "store") and actual.get("stored") is False and str(_op(seen)).count("'image_url': {") > 1),
    Bucket("keepimg/store/data-url", "a bad one", lambda seen, actual: _is(seen, "store") and actual.get("stored") is False and "image_url" in str(_op(seen))),
    Bucket("keepimg/store/rebuilt", "a newline inside", lambda seen, actual: _is(seen, "store") and actual.get("stored") is False and "\\n" in str(_op(seen))),
    Bucket("keepimg/store/weight", "stored", lambda seen, actual: _is(seen, "store") and _now(actual, "weight") > 0),
)  # fmt: skip
