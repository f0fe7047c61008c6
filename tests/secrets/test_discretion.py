"""Tokens and passwords are taken out of a text, and nothing else is."""

from __future__ import annotations

import time

import pytest

from replay.discretion import discreet

CANARY = "zq-canari-7391"


@pytest.mark.parametrize(
    "text",
    [
        f"http://user:{CANARY}@host:8080/base",
        f"https://{CANARY}@host",
        f"cmd:node facade.js --token {CANARY} --port 8",
        f"cmd:node facade.js --api-key={CANARY}",
        f"cmd:env LOKI_PARITY_TOKEN={CANARY} node facade.js",
        f"cmd:node facade.js --password '{CANARY} with spaces {CANARY}'",
        f'cmd:curl -H "Authorization: Bearer {CANARY}"',
        f"cmd:curl -H 'X-Auth-Token: {CANARY}'",
        f"http://host/base?access_token={CANARY}&x=1",
        f"it answered 401: bearer {CANARY} is not known",
        f"the program said {CANARY} last",
    ],
)
def test_a_secret_is_taken_out(text: str) -> None:
    shown = discreet(text, {"LOKI_PARITY_TOKEN": CANARY if "last" in text else "x" * 20})
    assert CANARY not in shown
    assert "***" in shown


@pytest.mark.parametrize("piece", ["a", "-", "token", "://", "token=", "a-token:", "bearer "])
def test_a_long_text_takes_no_time(piece: str) -> None:
    started = time.process_time()
    discreet(piece * 1_000_000, {})
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "text",
    [
        "SyntaxError: Unexpected token < in JSON at position 0",
        "its answer is no JSON: tokens: 12, kept_tokens 3",
        "http://127.0.0.1:8080/base",
        "cmd:node facade.js --tokenize",
        "somebody@example.org",
        "short abc",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert discreet(text, {"LOKI_PARITY_TOKEN": "abc", "HOME": "SyntaxError"}) == text
