"""Every defect has its kind, its place, and one sentence that says what stands there and what was expected."""

from __future__ import annotations

import pytest

from replay.journal import JournalError, loads
from replay.journal.defects import Kind
from replay.journal.limits import Limits

A_JOURNAL = "a journal (a JSON object in UTF-8)"
DOUBLE = '"tool": "recall", "result": ""'


def recall(step: str) -> str:
    return (
        '{"kind": "recall",\n "blocks": [{"id": "r1", "seq": 1, "label": "", "content": ""}],\n "steps": [\n'
        f"  {{{DOUBLE}}},\n  {step}]}}"
    )


def memory(step: str) -> str:
    return f'{{"kind": "memory",\n "steps": [\n  {{"tool": "mem_read", "result": "",\n   {step}}}]}}'


def keepimg(operation: str) -> str:
    return (
        '{"kind": "keepimg",\n "cases": [\n  {"keep_turn_images": "on", "thread": "main", "conversation": "c",'
        f' "vision": true,\n   "steps": [{operation}]}}]}}'
    )


BEGINNINGS: list[tuple[Kind, bytes, str]] = [
    (Kind.EMPTY, b"", f":1:1: found an empty file, expected {A_JOURNAL}"),
    (Kind.BLANK, b" \n\t", f":1:1: found nothing but white space, expected {A_JOURNAL}"),
    (Kind.BOM, b"\xef\xbb\xbf{}", f":1:1: found a byte order mark before the JSON, expected {A_JOURNAL}"),
    (Kind.UTF_16, "{}".encode("utf-16"), f":1:1: found UTF-16 with a byte order mark, expected {A_JOURNAL}"),
    (Kind.UTF_16, b"\xfe\xff\0{", f":1:1: found UTF-16 with a byte order mark, expected {A_JOURNAL}"),
    (Kind.UTF_16, "{}".encode("utf-16-le"), f":1:1: found UTF-16, expected {A_JOURNAL}"),
    (Kind.UTF_16, "{}".encode("utf-16-be"), f":1:1: found UTF-16, expected {A_JOURNAL}"),
    (Kind.UTF_32, "{}".encode("utf-32"), f":1:1: found UTF-32 with a byte order mark, expected {A_JOURNAL}"),
    (Kind.UTF_32, b"\0\0\xfe\xff\0\0\0{", f":1:1: found UTF-32 with a byte order mark, expected {A_JOURNAL}"),
    (Kind.UTF_32, "{}".encode("utf-32-le"), f":1:1: found UTF-32, expected {A_JOURNAL}"),
    (Kind.UTF_32, "{}".encode("utf-32-be"), f":1:1: found UTF-32, expected {A_JOURNAL}"),
    (Kind.COMPRESSED, b"\x1f\x8b\x08\0", f":1:1: found gzip data, expected {A_JOURNAL}"),
    (Kind.COMPRESSED, b"PK\x03\x04", f":1:1: found a zip archive, expected {A_JOURNAL}"),
    (Kind.COMPRESSED, b"BZh91AY", f":1:1: found bzip2 data, expected {A_JOURNAL}"),
    (Kind.COMPRESSED, b"\xfd7zXZ\0", f":1:1: found xz data, expected {A_JOURNAL}"),
    (Kind.COMPRESSED, b"\x28\xb5\x2f\xfd", f":1:1: found zstandard data, expected {A_JOURNAL}"),
    (Kind.BINARY, b"\n\x7fELF\0", f":2:5: found binary data (the byte 0x00), expected {A_JOURNAL}"),
    (Kind.MARKUP, b"\n<!DOCTYPE html>", f":2:1: found markup, as of HTML, expected {A_JOURNAL}"),
    (Kind.NOT_AN_OBJECT, b" [{}]", f":1:2: found an array, expected {A_JOURNAL}"),
    (Kind.NOT_AN_OBJECT, b'"abc"', f':1:1: found the string "abc", expected {A_JOURNAL}'),
    (Kind.NOT_AN_OBJECT, b"\n12", f":2:1: found the number 12, expected {A_JOURNAL}"),
    (Kind.NOT_AN_OBJECT, b"null", f":1:1: found null, expected {A_JOURNAL}"),
    (Kind.JSON_LINES, b'{"tool": "recall"}\r\n\n{"to', ":3:1: found one JSON object a line, expected a single JSON object"),
    (Kind.NOT_JSON, b"# Notes\n", f':1:1: found "#", expected {A_JOURNAL}'),
    (Kind.NOT_JSON, b"\xe9t\xe9\n", f":1:1: found the byte 0xe9, expected {A_JOURNAL}"),
]

SYNTAX: list[tuple[Kind, str, str]] = [
    (Kind.NOT_JSON, '{"about": "" "go"', ':1:14: found "\\"", expected "," or "}"'),
    (Kind.NOT_JSON, '{"about"; 1}', ':1:9: found ";", expected ":"'),
    (Kind.NOT_JSON, "{\n'about': 1}", ":2:1: found \"'\", expected a key"),
    (Kind.NOT_JSON, '{"about": "",}', ':1:14: found "}", expected a key'),
    (Kind.NOT_JSON, '{"steps": [,]}', ':1:12 at steps[0]: found ",", expected a value'),
    (Kind.NOT_JSON, '{"steps": [é]}', ':1:12 at steps[0]: found "é", expected a value'),
    (
        Kind.NOT_JSON,
        '{"about": "é\n"}',
        ':1:13 at about: found "\\x0a", expected the rest of a string (a control character must be escaped)',
    ),
    (Kind.NOT_JSON, '{"about": "\\q12345"}', ':1:12 at about: found the escape "\\\\q1234", expected an escape of JSON'),
    (Kind.NOT_JSON, '{"about": "\\u12g4"}', ':1:12 at about: found the escape "\\\\u12g4", expected an escape of JSON'),
    (Kind.NOT_JSON, '{"about": NaN}', ':1:11 at about: found "N", expected a value'),
    (Kind.NOT_JSON, '{"about": 01}', ":1:11 at about: found the number 0, expected a string"),
    (Kind.NOT_JSON, '{"locked": nullx}', ':1:16: found "x", expected "," or "}"'),
    (Kind.NOT_JSON, '{"config": {"a": +1}}', ':1:18 at config.a: found "+", expected a value'),
    (Kind.CUT_OFF, "{", ":1:2: found the end of the file, expected a key"),
    (Kind.CUT_OFF, '{"about', ":1:8: found the end of the file, expected the rest of a string"),
    (Kind.CUT_OFF, '{"about"', ':1:9: found the end of the file, expected ":"'),
    (Kind.CUT_OFF, '{"about":\n', ":2:1 at about: found the end of the file, expected a value"),
    (Kind.CUT_OFF, '{"about": "é', ":1:13 at about: found the end of the file, expected the rest of a string"),
    (Kind.CUT_OFF, '{"about": "\\u00', ":1:16 at about: found the end of the file, expected the rest of a string"),
    (Kind.CUT_OFF, '{"about": ""', ':1:13: found the end of the file, expected "," or "}"'),
    (Kind.CUT_OFF, '{"locked": fal', ":1:15 at locked: found the end of the file, expected the rest of false"),
    (Kind.CUT_OFF, '{"cases": [{"ctx_window": -', ":1:28 at cases[0].ctx_window: found the end of the file, expected the rest of a number"),
    (Kind.CUT_OFF, '{"steps": [', ":1:12 at steps[0]: found the end of the file, expected a value"),
    (Kind.CUT_OFF, '{"steps": [{"args": [1, ', ":1:25 at steps[0].args[1]: found the end of the file, expected a value"),
    (Kind.TRAILING, '{"kind": "recall"}\n}', ':2:1: found "}", expected the end of the file'),
]
