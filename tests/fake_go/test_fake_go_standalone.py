"""The fake Go on its own: announced, logged, ended by a signal."""

from __future__ import annotations

import signal
import socket
import threading
import urllib.error
import urllib.request

import pytest

from fake_go.app import FakeGo
from fake_go.standalone import serve


def ask(url: str) -> int:
    try:
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - our own server
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        refused.close()
        return refused.code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_and_says_which(number: signal.Signals) -> None:
    urls: list[str] = []
    lines: list[str] = []
    statuses: list[int] = []
    former = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)

    def client() -> None:
        statuses.extend(ask(urls[0] + path) for path in ("/internal/v1/recall/blocks", "/%1b[31m"))
        signal.raise_signal(number)

    def announce(url: str) -> None:
        urls.append(url)
        threading.Thread(target=client).start()

    assert serve(FakeGo(), announce=announce, log=lines.append) == number
    assert statuses == [200, 404]
    assert lines == ["GET /internal/v1/recall/blocks", "GET /%1b[31m"]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == former


def test_a_signal_that_comes_at_once_is_not_missed() -> None:
    assert serve(FakeGo(), announce=lambda _: signal.raise_signal(signal.SIGTERM), log=print) == signal.SIGTERM


def test_it_serves_in_another_thread_until_it_is_stopped() -> None:
    stop, announced = threading.Event(), threading.Event()
    ended: list[int | None] = []

    def run() -> None:
        ended.append(serve(FakeGo(), announce=lambda _: announced.set(), log=print, stop=stop))

    thread = threading.Thread(target=run)
    thread.start()
    assert announced.wait(10)
    stop.set()
    thread.join(10)
    assert ended == [None]


def test_a_port_that_is_taken_is_an_error_and_the_signals_come_back() -> None:
    former = signal.getsignal(signal.SIGINT)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        serve(FakeGo(), announce=print, log=print, port=taken.getsockname()[1])
    assert signal.getsignal(signal.SIGINT) is former
