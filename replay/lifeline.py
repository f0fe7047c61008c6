"""A process that ends with another: the lifeline is a pipe, of which the other holds the writing end."""

from __future__ import annotations

import os


def die_with(parent: int, lifeline: int, status: int) -> None:
    """Let SIGIO end this process when the parent has ended, whatever Python is doing: its end of the pipe closes.

    If it has ended already, this process ends now, with the status.
    """
    import fcntl  # noqa: PLC0415 - where there is a fork, there is this

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if os.getppid() != parent:
        os._exit(status)
