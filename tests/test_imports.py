"""Imports go one way, and the port's core reaches nothing outside: both are read off the source, not trusted."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP: Final = Path(__file__).parent.parent

ALLOWED: Final[dict[str, frozenset[str]]] = {
    layer: frozenset(below.split())
    for layer, below in {
        "parity.gostd": "",
        "parity.rules": "",
        "parity.tools": "parity.gostd parity.rules",
        "parity.zones": "parity.gostd",
        "parity.stores": "parity.gostd parity.rules parity.tools",
        "parity.images": "parity.gostd parity.rules parity.tools parity.stores",
        "parity.facade": "parity.gostd parity.rules parity.tools parity.stores parity.images parity.zones",
        "fake_go": "parity.gostd parity.tools",
        "replay.counted": "",
        "replay.configuration": "replay.fields",
        "replay.discretion": "",
        "replay.requirements": "",
        "replay.sources": "replay.configuration replay.journal",
        "replay.journal": "parity.gostd parity.stores parity.tools parity.zones replay.counted",
        "replay.fields": "parity.stores parity.tools replay.journal",
        "replay.compare": "parity.gostd replay.fields",
        "replay.outcome": "replay.compare replay.journal",
        "replay.interrupts": "",
        "replay.surroundings": "",
        "replay.whereabouts": "",
        "replay.candidates": (
            "parity fake_go replay.compare replay.counted replay.discretion replay.fields replay.journal replay.oracle "
            "replay.outcome replay.surroundings replay.whereabouts"
        ),
        "replay.engine": (
            "parity.gostd parity.stores parity.tools replay.candidates replay.compare replay.fields replay.journal "
            "replay.outcome replay.requirements replay.surroundings"
        ),
        "replay.numbering": "replay.journal",
        "replay.tally": "replay.counted replay.engine replay.journal replay.numbering replay.outcome",
        "replay.plants": "parity.stores parity.tools replay.compare replay.fields replay.journal",
        "replay.case_plants": "replay.journal",
        "replay.exercise": "replay.compare replay.outcome",
        "replay.case_drill": (
            "replay.candidates replay.case_plants replay.engine replay.exercise replay.fields replay.journal "
            "replay.numbering replay.outcome replay.talkative replay.tally"
        ),
        "replay.drill": (
            "replay.candidates replay.case_drill replay.compare replay.engine replay.exercise replay.fields "
            "replay.journal replay.numbering replay.outcome replay.plants replay.talkative replay.tally"
        ),
        "replay.observed": "parity.tools replay.candidates replay.fields replay.journal",
        "replay.talkative": "replay.candidates replay.fields replay.journal replay.observed",
        "replay.remembered": "parity.tools replay.candidates replay.fields replay.journal",
        "replay.scope": "replay.candidates replay.counted replay.fields replay.journal replay.outcome",
        "replay.waivers.digest": "replay.compare replay.fields",
        "replay.waivers.waiver": "replay.journal replay.outcome",
        "replay.waivers.watch": (
            "replay.counted replay.fields replay.outcome replay.waivers.digest replay.waivers.waiver"
        ),
        "replay.work": "replay.compare replay.engine replay.journal replay.numbering replay.outcome replay.scope",
        "replay.workers": (
            "replay.candidates replay.engine replay.interrupts replay.journal replay.lifeline replay.numbering "
            "replay.outcome replay.tally replay.waivers.watch replay.whereabouts replay.work"
        ),
        "replay.run": (
            "replay.candidates replay.compare replay.counted replay.discretion replay.drill replay.engine "
            "replay.exercise replay.fields replay.interrupts replay.journal replay.numbering replay.outcome "
            "replay.remembered replay.scope replay.sources replay.tally replay.waivers.waiver replay.waivers.watch "
            "replay.work replay.workers"
        ),
        "replay.report": (
            "parity.gostd replay.candidates replay.compare replay.counted replay.discretion replay.exercise "
            "replay.fields replay.journal replay.outcome replay.run replay.tally replay.whereabouts"
        ),
        "replay.oracle": "parity replay.candidates replay.counted replay.journal",
    }.items()
}
"""What each layer may import, besides itself; a layer that is not named here is an edge, and may import everything."""

LAYERS: Final = sorted(ALLOWED, key=len, reverse=True)

OUTSIDE: Final = frozenset(
    {
        "datetime",
        "getpass",
        "glob",
        "http",
        "httpx",
        "importlib",
        "io",
        "locale",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "platform",
        "random",
        "secrets",
        "select",
        "shutil",
        "signal",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "unicodedata",
        "urllib",
        "uuid",
        "zoneinfo",
    }
)
"""Modules through which a file, a socket, a clock, a random source or Python's own Unicode would come in."""

PACKAGES: Final = frozenset({"parity", "replay", "fake_go"})

BUILTINS_OUTSIDE: Final = frozenset({"open", "input", "print", "exec", "eval", "__import__", "breakpoint"})


def _modules(package: str) -> Iterator[tuple[str, Path]]:
    for file in sorted((TOP / package).rglob("*.py")):
        yield ".".join(file.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__"), file


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import hides where it leads"
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _layer(module: str) -> str | None:
    return next((layer for layer in LAYERS if module == layer or module.startswith(layer + ".")), None)


MODULES: Final = [pytest.param(*one, id=one[0]) for package in sorted(PACKAGES) for one in _modules(package)]


@pytest.mark.parametrize(("module", "file"), MODULES)
def test_a_module_imports_only_what_its_layer_may(module: str, file: Path) -> None:
    layer = _layer(module)
    if layer is None:
        return
    allowed = ALLOWED[layer]
    for imported in _imports(file):
        if imported.split(".")[0] not in PACKAGES or imported in PACKAGES:
            continue  # what a package gives by its name is checked below it: "from parity import rules" yields both
        fine = any(imported == one or imported.startswith(one + ".") for one in (layer, *allowed))
        assert fine, f"{module} imports {imported}"


def test_the_port_never_imports_the_harness() -> None:
    for _, file in _modules("parity"):
        assert not [one for one in _imports(file) if one.split(".")[0] in {"replay", "fake_go"}]


@pytest.mark.parametrize(
    ("module", "file"), [one for one in MODULES if str(one.id).startswith(("parity.gostd", "parity.tools"))]
)
def test_gostd_and_tools_touch_no_file_socket_clock_or_random_source(module: str, file: Path) -> None:
    roots = {one.split(".")[0] for one in _imports(file)}
    assert not roots & OUTSIDE, f"{module} imports {sorted(roots & OUTSIDE)}"
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in BUILTINS_OUTSIDE, f"{module}:{node.lineno} calls {node.func.id}"


def test_the_modules_that_are_checked_are_there() -> None:
    assert len(MODULES) > 50
