"""keepimg.md, Store: names, data URLs, references, and what the model receives."""

from __future__ import annotations

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.gostd import base64
from parity.images.message import Message
from parity.images.references import MISSING, Image, data_url, file_name, for_model, read_data_url, referenced_name

WEBP: Final = "data:image/webp;base64,UklGRjAwMDBXRUJQVlA4IA=="
NAME: Final = "d7cec322281d62558a1597bc2210ad9f.webp"
"""Recorded: what the store called the image above."""

NOTHING: Final[dict[str, bytes]] = {}


def part(url: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": url}}


def test_a_name_is_half_the_sha256_in_hex_and_the_extension_of_the_format() -> None:
    assert read_data_url(WEBP) == Image(NAME, b"RIFF0000WEBPVP8 ")


@pytest.mark.parametrize(("kind", "ending"), [("jpeg", "jpg"), ("png", "png"), ("gif", "gif"), ("webp", "webp")])
def test_four_formats_are_known(kind: str, ending: str) -> None:
    image = read_data_url(f"data:image/{kind};base64,QUJD")
    assert image == Image(file_name(b"ABC", f".{ending}"), b"ABC")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://exemple.invalid/a.png",
        "data:image/bmp;base64,QUJD",
        "data:image/jpg;base64,QUJD",
        "data:image/PNG;base64,QUJD",
        "DATA:image/png;base64,QUJD",
        "data:image/png,QUJD",
        "data:image/png;charset=utf-8;base64,QUJD",
        " data:image/png;base64,QUJD",
        "data:image/png;base64",
        "loki-img:d7cec322281d62558a1597bc2210ad9f.webp",
    ],
)
def test_a_remote_url_or_an_unknown_format_is_not_read(url: str) -> None:
    assert read_data_url(url) is None


@pytest.mark.parametrize(
    "coded",
    [
        "",
        "====",
        "@@@",
        "QQ",
        "QQ=",
        "QQ==QQ==",
        "QR==",
        "__--",
        "QUJD ",
        " QUJD",
        "QUJD=",
        "QUJDé",
        "QUJ\ud800",
        "ＱＵＪＤ",
    ],
)
def test_base64_is_read_strictly_and_is_not_empty(coded: str) -> None:
    assert read_data_url("data:image/png;base64," + coded) is None


@pytest.mark.parametrize("coded", ["QU\nJD", "QUJD\n", "\nQUJD", "QUJD\r\n", "QQ=\n="])
def test_a_newline_in_the_base64_is_refused_since_the_rebuilt_url_would_be_another(coded: str) -> None:
    assert read_data_url("data:image/png;base64," + coded) is None


@given(st.binary(min_size=1, max_size=200), st.sampled_from(["jpeg", "png", "gif", "webp"]))
def test_a_data_url_and_its_image_are_inverse(content: bytes, kind: str) -> None:
    url = f"data:image/{kind};base64,{base64.encode_std(content)}"
    image = read_data_url(url)
    assert image is not None
    assert image.content == content
    assert data_url(image) == url


def test_a_reference_names_a_file_of_the_store() -> None:
    assert referenced_name(f"loki-img:{NAME}") == NAME


@pytest.mark.parametrize(
    "url",
    [
        "",
        NAME,
        "loki-img:",
        "loki-img:../../etc/passwd",
        f"loki-img:../{NAME}",
        f"loki-img:/{NAME}",
        f"loki-img:a/{NAME}",
        f"loki-img:{NAME}\n",
        f"loki-img:{NAME}/",
        f"loki-img:{NAME}\0",
        f"loki-img:{NAME.upper()}",
        f"loki-img:loki-img:{NAME}",
        f"LOKI-IMG:{NAME}",
        f"loki-img:{NAME[1:]}",
        f"loki-img:0{NAME}",
        "loki-img:d7cec322281d62558a1597bc2210ad9f.bmp",
        "loki-img:d7cec322281d62558a1597bc2210ad9fxwebp",
        "loki-img:٠٠cec322281d62558a1597bc2210ad9f.webp",
    ],
)
def test_a_reference_never_leads_out_of_the_folder(url: str) -> None:
    assert referenced_name(url) is None


def test_the_model_receives_the_data_url_for_a_reference_byte_for_byte_and_no_mark() -> None:
    kept = Message("user", ({"type": "text", "text": "x"}, part(f"loki-img:{NAME}")), relay=True, cost=300)
    sent = for_model(kept, {NAME: b"RIFF0000WEBPVP8 "}.get)
    assert sent == {"role": "user", "content": ({"type": "text", "text": "x"}, part(WEBP))}


def test_the_request_that_first_shows_an_image_is_byte_identical_with_and_without_the_key() -> None:
    shown = part(WEBP) | {"image_url": {"url": WEBP, "detail": "high"}}
    referenced = shown | {"image_url": {"url": f"loki-img:{NAME}", "detail": "high"}}
    without = Message("user", [shown], others={"name": "x"})
    kept = Message("user", (referenced,), relay=True, others={"name": "x"})
    read = {NAME: b"RIFF0000WEBPVP8 "}.get
    assert json.dumps(for_model(kept, read)) == json.dumps(for_model(without, read))


@pytest.mark.parametrize("name", [NAME, "../secret", ""])
def test_a_missing_file_or_a_name_that_leads_out_becomes_the_contracts_text(name: str) -> None:
    assert MISSING == "[image indisponible : fichier supprimé]"
    sent = for_model(Message("user", [part(WEBP), part(f"loki-img:{name}")], relay=True), NOTHING.get)
    assert sent == {"role": "user", "content": (part(WEBP), {"type": "text", "text": MISSING})}


@pytest.mark.parametrize(
    "content",
    ["loki-img:x", None, 5, [], [part(WEBP)], [{"type": "text", "text": f"loki-img:{NAME}"}, None, "x"], [{"url": 1}]],
)
def test_what_holds_no_reference_is_sent_as_it_is(content: object) -> None:
    sent = for_model(Message("user", content), NOTHING.get)
    assert sent.get("content") is content


def test_what_stands_beside_a_reference_is_sent_as_it_is() -> None:
    sent = for_model(Message("user", [None, "x", 7, {"type": "input_audio"}, part("loki-img:")]), NOTHING.get)
    assert sent["content"] == (None, "x", 7, {"type": "input_audio"}, {"type": "text", "text": MISSING})
