"""Every defect has its kind, its place, and one sentence that says what stands there and what was expected."""

from __future__ import annotations

import json

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


BEGINNINGS: list[tuple[Kind, bytes, str, str, str]] = [
    (Kind.EMPTY, b"", ":1:1", "an empty file", A_JOURNAL),
    (Kind.BLANK, b" \n\t", ":1:1", "nothing but white space", A_JOURNAL),
    (Kind.BOM, b"\xef\xbb\xbf{}", ":1:1", "a byte order mark before the JSON", A_JOURNAL),
    (Kind.UTF_16, "{}".encode("utf-16"), ":1:1", "UTF-16 with a byte order mark", A_JOURNAL),
    (Kind.UTF_16, b"\xfe\xff\0{", ":1:1", "UTF-16 with a byte order mark", A_JOURNAL),
    (Kind.UTF_16, "{}".encode("utf-16-le"), ":1:1", "UTF-16", A_JOURNAL),
    (Kind.UTF_16, "{}".encode("utf-16-be"), ":1:1", "UTF-16", A_JOURNAL),
    (Kind.UTF_32, "{}".encode("utf-32"), ":1:1", "UTF-32 with a byte order mark", A_JOURNAL),
    (Kind.UTF_32, b"\0\0\xfe\xff\0\0\0{", ":1:1", "UTF-32 with a byte order mark", A_JOURNAL),
    (Kind.UTF_32, "{}".encode("utf-32-le"), ":1:1", "UTF-32", A_JOURNAL),
    (Kind.UTF_32, "{}".encode("utf-32-be"), ":1:1", "UTF-32", A_JOURNAL),
    (Kind.COMPRESSED, b"\x1f\x8b\x08\0", ":1:1", "gzip data", A_JOURNAL),
    (Kind.COMPRESSED, b"PK\x03\x04", ":1:1", "a zip archive", A_JOURNAL),
    (Kind.COMPRESSED, b"BZh91AY", ":1:1", "bzip2 data", A_JOURNAL),
    (Kind.COMPRESSED, b"\xfd7zXZ\0", ":1:1", "xz data", A_JOURNAL),
    (Kind.COMPRESSED, b"\x28\xb5\x2f\xfd", ":1:1", "zstandard data", A_JOURNAL),
    (Kind.BINARY, b"\n\x7fELF\0", ":2:5", "binary data (the byte 0x00)", A_JOURNAL),
    (Kind.MARKUP, b"\n<!DOCTYPE html>", ":2:1", "markup, as of HTML", A_JOURNAL),
    (Kind.NOT_AN_OBJECT, b" [{}]", ":1:2", "an array", A_JOURNAL),
    (Kind.NOT_AN_OBJECT, b'"abc"', ":1:1", 'the string "abc"', A_JOURNAL),
    (Kind.NOT_AN_OBJECT, b"\n12", ":2:1", "the number 12", A_JOURNAL),
    (Kind.NOT_AN_OBJECT, b"null", ":1:1", "null", A_JOURNAL),
    (
        Kind.JSON_LINES,
        b'{"tool": "recall"}\r\n\n{"to',
        ":3:1",
        "one JSON object a line",
        "a single JSON object (a journal of lines has a name that ends in .jsonl)",
    ),
    (Kind.NOT_JSON, b"# Notes\n", ":1:1", '"#"', A_JOURNAL),
    (Kind.NOT_JSON, b"\xe9t\xe9\n", ":1:1", "the byte 0xe9", A_JOURNAL),
]

ZEROS = "0" * 64
ORIGIN = f'"reduced_from": {{"journal": "a.json", "sha256": "{ZEROS}", "step": '

SYNTAX: list[tuple[Kind, str, str, str, str]] = [
    (Kind.NOT_JSON, '{"about": "" "go"', ":1:14", '"\\""', '"," or "}"'),
    (Kind.NOT_JSON, '{"about"; 1}', ":1:9", '";"', '":"'),
    (Kind.NOT_JSON, "{\n'about': 1}", ":2:1", '"\'"', "a key"),
    (Kind.NOT_JSON, '{"about": "",}', ":1:14", '"}"', "a key"),
    (Kind.NOT_JSON, '{"steps": [,]}', ":1:12 at steps[0]", '","', "a value"),
    (Kind.NOT_JSON, '{"steps": [é]}', ":1:12 at steps[0]", '"é"', "a value"),
    (
        Kind.NOT_JSON,
        '{"about": "é\n"}',
        ":1:13 at about",
        '"\\x0a"',
        "the rest of a string (a control character must be escaped)",
    ),
    (
        Kind.NOT_JSON,
        '{"about": "\\q12345"}',
        ":1:12 at about",
        'the escape "\\\\q1234"',
        "an escape of JSON",
    ),
    (Kind.NOT_JSON, '{"about": "\\u12g4"}', ":1:12 at about", 'the escape "\\\\u12g4"', "an escape of JSON"),
    (Kind.NOT_JSON, '{"about": NaN}', ":1:11 at about", '"N"', "a value"),
    (Kind.NOT_JSON, '{"cases": [{"ctx_window": 01', ":1:28 at cases[0]", '"1"', '"," or "}"'),
    (Kind.NOT_JSON, '{"locked": nullx}', ":1:16", '"x"', '"," or "}"'),
    (Kind.NOT_JSON, '{"config": {"a": +1}}', ":1:18 at config.a", '"+"', "a value"),
    (Kind.CUT_OFF, "{", ":1:2", "the end of the file", "a key"),
    (Kind.CUT_OFF, '{"about', ":1:8", "the end of the file", "the rest of a string"),
    (Kind.CUT_OFF, '{"about"', ":1:9", "the end of the file", '":"'),
    (Kind.CUT_OFF, '{"about":\n', ":2:1 at about", "the end of the file", "a value"),
    (Kind.CUT_OFF, '{"about": "é', ":1:13 at about", "the end of the file", "the rest of a string"),
    (Kind.CUT_OFF, '{"about": "\\u00', ":1:16 at about", "the end of the file", "the rest of a string"),
    (Kind.CUT_OFF, '{"about": ""', ":1:13", "the end of the file", '"," or "}"'),
    (Kind.CUT_OFF, '{"locked": fal', ":1:15 at locked", "the end of the file", "the rest of false"),
    (
        Kind.CUT_OFF,
        '{"cases": [{"ctx_window": -',
        ":1:28 at cases[0].ctx_window",
        "the end of the file",
        "the rest of a number",
    ),
    (Kind.CUT_OFF, '{"steps": [', ":1:12 at steps[0]", "the end of the file", "a value"),
    (
        Kind.CUT_OFF,
        '{"steps": [{"args": [1, ',
        ":1:25 at steps[0].args[1]",
        "the end of the file",
        "a value",
    ),
    (Kind.TRAILING, '{"kind": "recall"}\n}', ":2:1", '"}"', "the end of the file"),
]

KEYS: list[tuple[Kind, str, str, str, str]] = [
    (
        Kind.DUPLICATE_KEY,
        '{"about": "",\n "about": ""}',
        ":2:2 at about",
        'the key "about" a second time',
        "each key once",
    ),
    (
        Kind.DUPLICATE_KEY,
        memory('"files": {"a.md": "",\n "\\u0061.md": ""}'),
        ':5:2 at steps[0].files["a.md"]',
        'the key "a.md" a second time',
        "each key once",
    ),
    (
        Kind.DUPLICATE_KEY,
        memory('"trackers": {"a/b": {"name": "",\n "events": [{"id": "", "ts": 1, "ts": 1}]}}'),
        ':5:33 at steps[0].trackers["a/b"].events[0].ts',
        'the key "ts" a second time',
        "each key once",
    ),
    (
        Kind.DUPLICATE_KEY,
        keepimg('{"step": {"op": "append", "message": {"a": {"b": 1,\n"b": 1}}}}'),
        ":5:1 at cases[0].steps[0].step.message.a.b",
        'the key "b" a second time',
        "each key once",
    ),
    (
        Kind.TWO_NAMES,
        '{"steps": [],\n "appels": []}',
        ":2:2 at appels",
        '"appels" beside "steps", which means the same',
        "one of them",
    ),
    (
        Kind.TWO_NAMES,
        recall('{"outil": "recall",\n"Tool": ""}'),
        ":6:1 at steps[1].Tool",
        '"Tool" beside "outil", which means the same',
        "one of them",
    ),
    (
        Kind.UNKNOWN_KEY,
        '{\n"stepps": []}',
        ":2:1 at stepps",
        'the unknown key "stepps"',
        '"steps", the nearest known',
    ),
    (
        Kind.UNKNOWN_KEY,
        '{"zzz": []}',
        ":1:2 at zzz",
        'the unknown key "zzz"',
        (
            "a key of a journal (format, kind, about, source, reduced_from, go, signed, redacted, unstable, blocks, "
            "project, clock, config, dek, locked, initial, steps, cases)"
        ),
    ),
    (
        Kind.UNKNOWN_KEY,
        recall('{"resullt": ""}'),
        ":5:4 at steps[1].resullt",
        'the unknown key "resullt"',
        '"result", the nearest known',
    ),
    (
        Kind.UNKNOWN_KEY,
        recall('{"résulttat": ""}'),
        ":5:4 at steps[1].résulttat",
        'the unknown key "résulttat"',
        '"result", the nearest known',
    ),
    (
        Kind.UNKNOWN_KEY,
        recall('{"fichierss": {}}'),
        ":5:4 at steps[1].fichierss",
        'the unknown key "fichierss"',
        '"fichiers", the nearest known',
    ),
    (
        Kind.UNKNOWN_KEY,
        '{"go": {\n"verson": ""}}',
        ":2:1 at go.verson",
        'the unknown key "verson"',
        '"version", the nearest known',
    ),
    (
        Kind.UNKNOWN_KEY,
        keepimg('{"step": {"op": "drop"}, "after": {\n"budgett": 1}}'),
        ":5:1 at cases[0].steps[0].after.budgett",
        'the unknown key "budgett"',
        '"budget", the nearest known',
    ),
    (
        Kind.MISPLACED_KEY,
        '{"kind": "memory", "steps": [],\n"blocs": []}',
        ":2:10 at blocs",
        'the key "blocs" in a journal of the kind memory',
        (
            "only format, kind, about, source, reduced_from, go, signed, redacted, unstable, project, clock, config, "
            "dek, locked, initial, steps"
        ),
    ),
    (
        Kind.MISPLACED_KEY,
        recall('{"tool": "recall", "result": "",\n"fichiers": {}}'),
        ":6:1 at steps[1].fichiers",
        'the key "fichiers" in a step of the kind recall',
        "it in journals of the kind memory only",
    ),
    (
        Kind.MISSING_KEY,
        '{"kind": "recall", "steps": []}',
        ":1:1",
        'a journal of the kind recall without "blocks"',
        'it, or "blocs"',
    ),
    (
        Kind.MISSING_KEY,
        recall('\n{"result": ""}'),
        ":6:1 at steps[1]",
        'a step without "tool"',
        'it, or "outil" or "name" or "nom"',
    ),
    (
        Kind.MISSING_KEY,
        recall('{"tool": "recall", "result": null, "panic": ""}'),
        ":5:3 at steps[1]",
        'a step without "result" and without "panic"',
        "one of them",
    ),
    (
        Kind.MISSING_KEY,
        memory('"diff": [\n{"op": "+"}]'),
        ":5:1 at steps[0].diff[0]",
        'a line of a diff without "text"',
        'it, or "texte"',
    ),
    (
        Kind.MISSING_KEY,
        memory('"files": {"a": {}}'),
        ":4:19 at steps[0].files.a",
        'a file\'s content without "base64"',
        "it",
    ),
    (
        Kind.MISSING_KEY,
        '{"project": {"slug": "x"}}',
        ":1:13 at project",
        'a project without "name"',
        'it, or "nom"',
    ),
    (
        Kind.MISSING_KEY,
        keepimg('{"step": {"op": "relay"}}'),
        ":4:23 at cases[0].steps[0].step",
        'a step without "message"',
        "it",
    ),
    (
        Kind.MISSING_KEY,
        keepimg('{"step": {"op": "drop"}}'),
        ":4:14 at cases[0].steps[0]",
        'an operation without "after"',
        'it, or "apres"',
    ),
    (
        Kind.MISSING_KEY,
        '{"cases": [{"steps": null}]}',
        ":1:12 at cases[0]",
        'a case without "keep_turn_images"',
        "it",
    ),
]

VALUES: list[tuple[Kind, str, str, str, str]] = [
    (Kind.WRONG_TYPE, '{"kind": 7}', ":1:10 at kind", "the number 7", "a string"),
    (Kind.WRONG_TYPE, '{"locked": "non"}', ":1:12 at locked", 'the string "non"', "true or false"),
    (Kind.WRONG_TYPE, '{"go": []}', ":1:8 at go", "an array", "an object"),
    (Kind.WRONG_TYPE, '{"steps": {}}', ":1:11 at steps", "an object", "an array"),
    (Kind.WRONG_TYPE, '{"steps": "é"}', ":1:11 at steps", 'the string "é"', "an array"),
    (Kind.WRONG_TYPE, '{"steps": [[]]}', ":1:12 at steps[0]", "an array", "an object"),
    (Kind.WRONG_TYPE, '{"config": {"a": true}}', ":1:18 at config.a", "true", "a string"),
    (Kind.WRONG_TYPE, recall('{"result": {}}'), ":5:14 at steps[1].result", "an object", "a string"),
    (
        Kind.WRONG_TYPE,
        recall('{"now": false}'),
        ":5:11 at steps[1].now",
        "false",
        "a moment such as 2026-10-16T09:30:00.000007123Z",
    ),
    (
        Kind.WRONG_TYPE,
        memory('"files": {"a.md": 1}'),
        ':4:22 at steps[0].files["a.md"]',
        "the number 1",
        'a string or {"base64": …}',
    ),
    (Kind.WRONG_TYPE, memory('"diff": {}'), ":4:12 at steps[0].diff", "an object", "an array"),
    (
        Kind.WRONG_TYPE,
        memory('"trackers": {"a/b": {"name": "", "events": [{"id": "", "ts": 1.5}]}}'),
        ':4:65 at steps[0].trackers["a/b"].events[0].ts',
        "the number 1.5",
        "an integer",
    ),
    (
        Kind.WRONG_TYPE,
        '{"blocks": [{"seq": 1.0}]}',
        ":1:21 at blocks[0].seq",
        "the number 1.0",
        "an integer",
    ),
    (
        Kind.WRONG_TYPE,
        memory('"trackers": {"a/b": {"name": "", "events": [{"id": [],\n "ts": {}}, 1]}}'),
        ':4:55 at steps[0].trackers["a/b"].events[0].id',
        "an array",
        "a string",
    ),
    (
        Kind.WRONG_TYPE,
        keepimg('{"after": {"messages": [1]}}'),
        ":4:38 at cases[0].steps[0].after.messages[0]",
        "the number 1",
        "an object",
    ),
    (
        Kind.WRONG_TYPE,
        keepimg('{"step": {"op": "drop", "from": null, "store_fails": 1}}'),
        ":4:67 at cases[0].steps[0].step.store_fails",
        "the number 1",
        "true or false",
    ),
    (
        Kind.WRONG_VALUE,
        '{"source": "modle"}',
        ":1:12 at source",
        'the string "modle"',
        '"model", the nearest known',
    ),
    (
        Kind.WRONG_VALUE,
        '{"go": {"version": "latest"}}',
        ":1:20 at go.version",
        'the string "latest"',
        "a Go version such as go1.25.5",
    ),
    (
        Kind.WRONG_VALUE,
        memory('"diff": [{"op": "*"}]'),
        ":4:20 at steps[0].diff[0].op",
        'the string "*"',
        'one of " ", "-", "+"',
    ),
    (
        Kind.OUT_OF_RANGE,
        '{"blocks": [{"seq": 18446744073709551616}]}',
        ":1:21 at blocks[0].seq",
        "the number 18446744073709551616",
        "an integer from 0 to 18446744073709551615",
    ),
    (
        Kind.OUT_OF_RANGE,
        '{"blocks": [{"seq": -1}]}',
        ":1:21 at blocks[0].seq",
        "the number -1",
        "an integer from 0 to 18446744073709551615",
    ),
    (
        Kind.OUT_OF_RANGE,
        f'{{"blocks": [{{"seq": {"7" * 5000}}}]}}',
        ":1:21 at blocks[0].seq",
        "the number " + "7" * 80 + "…",
        "an integer from 0 to 18446744073709551615",
    ),
    (
        Kind.OUT_OF_RANGE,
        keepimg('{"step": {"op": "append", "message": {"a": [1e400]}}}'),
        ":4:58 at cases[0].steps[0].step.message.a[0]",
        "the number 1e400",
        "a number that a double can hold",
    ),
    (
        Kind.OUT_OF_RANGE,
        keepimg('{"step": {"op": "relay", "message": {}, "from": -1}}'),
        ":4:62 at cases[0].steps[0].step.from",
        "the number -1",
        "an integer from 0 to 9223372036854775807",
    ),
    (
        Kind.UNKNOWN_FORMAT,
        '{"format": "loki-parity-journal/2"}',
        ":1:12 at format",
        'the string "loki-parity-journal/2"',
        '"loki-parity-journal/1", the only version that this loki-parity reads: a newer one wrote the file',
    ),
    (
        Kind.UNKNOWN_FORMAT,
        '{"blocks2": [], "kind": {},\n "format" : "loki-parity-journal/12", "zzz',
        ":2:13 at format",
        'the string "loki-parity-journal/12"',
        '"loki-parity-journal/1", the only version that this loki-parity reads: a newer one wrote the file',
    ),
    (
        Kind.UNKNOWN_FORMAT,
        '{"format": "loki-parity-vector/1"}',
        ":1:12 at format",
        'the string "loki-parity-vector/1"',
        '"loki-parity-journal/1"',
    ),
    (
        Kind.UNKNOWN_KEY,
        '{"zzzz": {"format": "loki-parity-journal/2"}}',
        ":1:2 at zzzz",
        'the unknown key "zzzz"',
        (
            "a key of a journal (format, kind, about, source, reduced_from, go, signed, redacted, unstable, blocks, "
            "project, clock, config, dek, locked, initial, steps, cases)"
        ),
    ),
    (
        Kind.NOT_JSON,
        '{"about": ?, "format": "loki-parity-journal/2"}',
        ":1:11 at about",
        '"?"',
        "a value",
    ),
    (
        Kind.MISPLACED_KEY,
        f'{{"kind": "memory", {ORIGIN}"1"}}, "steps": []}}',
        ":1:36 at reduced_from",
        'the key "reduced_from" in a journal whose source is recorded',
        "it where the source is reduced",
    ),
    (
        Kind.MISSING_KEY,
        '{"kind": "memory", "source": "reduced", "steps": [{"tool": "mem_read"}]}',
        ":1:1",
        'a journal of the kind memory without "reduced_from"',
        "it",
    ),
    (
        Kind.MISSING_KEY,
        '{"kind": "memory", "source": "model", "steps": [{"tool": "mem_read"}]}',
        ":1:49 at steps[0]",
        'a step without "result" and without "panic"',
        "one of them",
    ),
    (
        Kind.WRONG_VALUE,
        '{"source": "reduced", "reduced_from": {"journal": "a.json", "sha256": "0", "step": "1"}}',
        ":1:71 at reduced_from.sha256",
        'the string "0"',
        "64 characters 0-9a-f",
    ),
    (
        Kind.WRONG_VALUE,
        f'{{"source": "reduced", {ORIGIN}"-1"}}}}',
        ":1:147 at reduced_from.step",
        'the string "-1"',
        "the number of a step, such as 12 or 3.2",
    ),
    (
        Kind.UNKNOWN_KIND,
        '{"kind": "recal"}',
        ":1:10 at kind",
        'the kind "recal"',
        '"recall", the nearest known',
    ),
    (Kind.UNKNOWN_KIND, '{"kind": "x"}', ":1:10 at kind", 'the kind "x"', "one of recall, memory, keepimg"),
    (
        Kind.UNKNOWN_KIND,
        '{"about": "?"}',
        ":1:1",
        "no kind, and nothing that tells it",
        '"kind" (recall, memory, keepimg), or steps, blocks or cases that tell it',
    ),
    (
        Kind.UNKNOWN_TOOL,
        recall('{"tool": "recal"}'),
        ":5:12 at steps[1].tool",
        'the tool "recal"',
        '"recall", the nearest known',
    ),
    (
        Kind.UNKNOWN_TOOL,
        recall('{"tool": "bash"}'),
        ":5:12 at steps[1].tool",
        'the tool "bash"',
        "one of recall, recall_search, mem_search, mem_read, mem_add, mem_edit, tracker",
    ),
    (
        Kind.UNKNOWN_TOOL,
        recall('{"result": "", "outil":\n"tracker"}'),
        ":6:1 at steps[1].outil",
        'the tool "tracker"',
        "one of recall, recall_search",
    ),
    (
        Kind.UNKNOWN_OPERATION,
        keepimg('{"step": {"op": "rellay"}}'),
        ":4:30 at cases[0].steps[0].step.op",
        'the operation "rellay"',
        '"relay", the nearest known',
    ),
    (
        Kind.UNKNOWN_OPERATION,
        keepimg('{"step": {"op": ""}}'),
        ":4:30 at cases[0].steps[0].step.op",
        'the operation ""',
        "one of append, relay, sending, observe, rewritten, publishable, finish, drop, store",
    ),
    (
        Kind.UNKNOWN_ZONE,
        '{"clock": {"tz": "Europe/Pariss"}}',
        ":1:18 at clock.tz",
        'the time zone "Europe/Pariss"',
        '"Europe/Paris", the nearest known',
    ),
    (
        Kind.UNKNOWN_ZONE,
        '{"clock": {"tz": "Local"}}',
        ":1:18 at clock.tz",
        'the time zone "Local"',
        "a name of the IANA database",
    ),
    (
        Kind.GO_NOT_OFFERED,
        '{"go": {"version": "go1.28.1"}}',
        ":1:20 at go.version",
        'Go "go1.28.1"',
        "Go 1.21 to 1.27",
    ),
    (
        Kind.GO_NOT_OFFERED,
        '{"go": {"version": "devel go1.26-abc"}}',
        ":1:20 at go.version",
        'Go "devel go1.26-abc"',
        "Go 1.21 to 1.27",
    ),
    (
        Kind.GO_NOT_OFFERED,
        '{"go": {"goarch": "arm64"}}',
        ":1:19 at go.goarch",
        'the processor "arm64"',
        "amd64, the one offered",
    ),
    (
        Kind.GO_UNICODE,
        '{"go": {"unicode": "15.0.0", "version": "go1.27.3"}}',
        ":1:20 at go.unicode",
        'the string "15.0.0"',
        '"17.0.0", the Unicode of go1.27.3',
    ),
    (
        Kind.DUPLICATE_BLOCK,
        '{"blocks": [{"id": "r1", "seq": 1, "label": "", "content": ""},\n{"id": "r1", "seq": 1}]}',
        ":2:21 at blocks[1].seq",
        "a second block with the seq 1",
        "each seq once",
    ),
    (
        Kind.BLOCK_ID,
        '{"blocks": [{"id": "r01", "seq": 1}]}',
        ":1:20 at blocks[0].id",
        'the string "r01"',
        '"r1", r and the seq',
    ),
    (
        Kind.BAD_DEK,
        '{"dek": "00ff"}',
        ":1:9 at dek",
        "a text of 4 characters",
        "32 bytes in hex: 64 characters 0-9a-f",
    ),
    (
        Kind.BAD_TIME,
        recall('{"now": "2026-13-01T00:00:00Z"}'),
        ":5:11 at steps[1].now",
        'the string "2026-13-01T00:00:00Z" (parsing time "2026-13-01 00:00:00": month out of range)',
        "a moment such as 2026-10-16T09:30:00.000007123Z",
    ),
    (
        Kind.BAD_TIME,
        recall('{"now": "hier"}'),
        ":5:11 at steps[1].now",
        'the string "hier"',
        "a moment such as 2026-10-16T09:30:00.000007123Z",
    ),
    (
        Kind.BAD_TIME,
        recall('{"now": 1790000000}'),
        ":5:11 at steps[1].now",
        "the number 1790000000",
        "a moment such as 2026-10-16T09:30:00.000007123Z, or nanoseconds since 1970 (from 10^18 on)",
    ),
    (
        Kind.BASE64,
        memory('"files": {"a": {"base64": "QR=="}}'),
        ":4:30 at steps[0].files.a.base64",
        'the string "QR=="',
        "standard base64, padded, of whole bytes",
    ),
    (
        Kind.NO_STEPS,
        '{"kind": "recall", "blocks": [], "appels":\n[]}',
        ":2:1 at appels",
        "no steps",
        "at least one",
    ),
    (Kind.NO_STEPS, '{"cases": null}', ":1:11 at cases", "no cases", "at least one"),
    (Kind.NO_STEPS, keepimg(""), ":3:3 at cases[0]", "a case without operations", "at least one"),
]


NESTED = "[" * 5000 + "]" * 5000
IN_MESSAGE = "cases[0].steps[0].step.message.a" + "[0]" * 98
IN_FILE = "steps[0].files.a" + "[0]" * 100

# U+DCxx stands for the byte 0xxx, {offset} for where the last of the byte is.
BOUNDS: list[tuple[Kind, str, str, str, str]] = [
    (
        Kind.NOT_UTF8,
        recall('{"result": "é\udcc3"}'),
        ":5:16 at steps[1].result",
        "the byte 0xc3 at offset {offset}",
        "UTF-8",
    ),
    (
        Kind.NOT_UTF8,
        recall('{"re\udcffult": ""}'),
        ':5:7 at steps[1]["re�ult"]',
        "the byte 0xff at offset {offset}",
        "UTF-8",
    ),
    (
        Kind.NOT_UTF8,
        keepimg('{"step": {"op": "append", "message": {"a": ["\udced\udca0\udc80"]}}}'),
        ":4:59 at cases[0].steps[0].step.message.a[0]",
        "the byte 0xed at offset {offset}",
        "UTF-8",
    ),
    (
        Kind.NOT_UTF8,
        keepimg('{"step": {"op": "append", "message": {"\udcff": 1}}}'),
        ':4:53 at cases[0].steps[0].step.message["�"]',
        "the byte 0xff at offset {offset}",
        "UTF-8",
    ),
    (
        Kind.NOT_UTF8,
        memory('"files": {"a": "\udcff"}'),
        ":4:20 at steps[0].files.a",
        "the byte 0xff at offset {offset}",
        "UTF-8",
    ),
    (
        Kind.TOO_DEEP,
        keepimg('{"step": {"op": "append", "message": {"a":\n' + NESTED + "}}}"),
        f":5:99 at {IN_MESSAGE[:115]} … {IN_MESSAGE[-115:]}",
        "level 101",
        "at most 100 levels",
    ),
    (
        Kind.TOO_DEEP,
        keepimg('{"step": {"op": "append", "message": {"a":\n' + "[" * 99 + "]" * 99 + "}}}"),
        f":5:99 at {IN_MESSAGE[:115]} … {IN_MESSAGE[-115:]}",
        "level 101",
        "at most 100 levels",
    ),
    (
        Kind.TOO_DEEP,
        memory('"files": {"a":\n' + NESTED + "}"),
        f":5:101 at {IN_FILE[:115]} … {IN_FILE[-115:]}",
        "level 101",
        "at most 100 levels",
    ),
    (
        Kind.FILE_NAME,
        '{"project": {"slug": "../x"}}',
        ":1:22 at project.slug",
        'the string "../x"',
        "a slug that is the name of one folder",
    ),
]

FILE_NAMES = ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b", "x" * 256, "é" * 128]


def refused(data: bytes, limits: Limits | None = None) -> JournalError:
    with pytest.raises(JournalError) as caught:
        loads(data, "a.json") if limits is None else loads(data, "a.json", limits=limits)
    return caught.value


def check(error: JournalError, kind: Kind, place: str, found: str, expected: str) -> None:
    assert (error.kind, error.found, error.expected) == (kind, found, expected)
    assert str(error) == f"a.json{place}: found {found}, expected {expected}"


@pytest.mark.parametrize(("kind", "data", "place", "found", "expected"), BEGINNINGS)
def test_a_file_that_is_no_json_object_in_utf8_is_named_as_what_it_is(
    kind: Kind, data: bytes, place: str, found: str, expected: str
) -> None:
    check(refused(data), kind, place, found, expected)


@pytest.mark.parametrize(("kind", "text", "place", "found", "expected"), [*SYNTAX, *KEYS, *VALUES])
def test_a_defect_has_its_kind_its_place_and_a_sentence(
    kind: Kind, text: str, place: str, found: str, expected: str
) -> None:
    check(refused(text.encode()), kind, place, found, expected)


@pytest.mark.parametrize(("kind", "text", "place", "found", "expected"), BOUNDS)
def test_a_bound_that_is_passed_has_its_kind_its_place_and_a_sentence(
    kind: Kind, text: str, place: str, found: str, expected: str
) -> None:
    data = text.encode("utf-8", "surrogateescape")
    offset = max(data.rfind(bad) for bad in (b"\xc3", b"\xed", b"\xff"))
    check(refused(data), kind, place, found.replace("{offset}", str(offset)), expected)


@pytest.mark.parametrize("name", FILE_NAMES)
def test_a_file_name_that_could_leave_its_folder_or_is_none_is_refused(name: str) -> None:
    error = refused(memory(f'"files": {{{json.dumps(name)}: ""}}').encode())
    assert (error.kind, error.place.line, error.place.path[:14]) == (Kind.FILE_NAME, 4, "steps[0].files")
    assert error.expected == "the name of a file inside its folder, at most 255 bytes"


@pytest.mark.parametrize("name", ["x" * 255, "...", "-", "a\\b", "a b", "é" * 127, "\ufffd", "\x1b[31m"])
def test_any_other_name_of_a_file_is_taken(name: str) -> None:
    [step] = loads(memory(f'"files": {{{json.dumps(name)}: "x"}}').encode(), "a.json").steps
    assert step.expected.files == {name: b"x"}


def test_bytes_beyond_the_limit_are_not_read() -> None:
    error = refused(b"x" * 11, Limits(size=10))
    assert (error.kind, str(error)) == (Kind.TOO_LARGE, "a.json:1:1: found a larger file, expected at most 10 bytes")


def test_every_kind_of_defect_has_a_test() -> None:
    of_files = {Kind.MISSING_FILE, Kind.NOT_A_FILE, Kind.UNREADABLE, Kind.TOO_LARGE}  # test_journal_files.py
    of_signatures = {Kind.BROKEN_CHAIN, Kind.NOT_SIGNED}  # test_journal_signing.py
    of_lines = {Kind.A_REPORT, Kind.EMPTY_LINE, Kind.COUNT, Kind.CHANGED}  # test_journal_lines.py
    here = {kind for table in (BEGINNINGS, SYNTAX, KEYS, VALUES, BOUNDS) for kind, *_ in table}
    assert here | of_files | of_signatures | of_lines == set(Kind)


def test_what_a_terminal_would_obey_is_drawn_and_cut_short() -> None:
    error = refused(recall('{"tool": "\\u001b[31m\\u202e' + "x" * 200 + '"}').encode())
    assert error.found == 'the tool "\\x1b[31m\\u202e' + "x" * 66 + '…"'
    error = refused(b'{"\\u009b\\u0007": 1}')
    assert error.place.path == '["\\x9b\\x07"]'


def test_the_name_of_the_file_is_drawn_too() -> None:
    with pytest.raises(JournalError) as caught:
        loads(b"", "a\x1b[2J\udcff\n.json")
    assert str(caught.value).startswith("a\\x1b[2J\\udcff\\x0a.json:1:1: ")
