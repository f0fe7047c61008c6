"""The HTML report in Chromium, opened from disk: what a reader does with it, what hostile text does not do."""

from __future__ import annotations

import json
import os
import shutil
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pytest
from run_files import difference, footer, header, run_file, side, spot, step
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from replay.report.html import RuleLink, html
from replay.report.read import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)

SCRIPT: Final = "</script><script>window.ran = true; alert(1)</script><img src=x onerror='window.ran = true'>"
HOSTILE: Final = [
    SCRIPT,
    "<!--<script>",
    "\u202egnp.exe\u202c \u2066\u05d0\u05d1\u05d2\u2069",
    "\x1b]0;title\x07\x1b[2J\x1b[31mred",
    "nul\0 and \ufffe and \u2028 and \ud83d",
    "{{ 7 * 7 }} {% raw %}",
    "http://example.invalid/x.png <link rel=stylesheet href=http://example.invalid/a.css>",
    "e" + "\u0301" * 40,
    "x" * 200_000,
]
"""Texts that would run, turn the line, be fetched, or cover what stands beside them."""

RULES: Final = {
    "recall_search": [RuleLink("recall_search/order", "recall.md, recall_search, 4", "parity.tools.x.order")]
}


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    chromium = os.environ.get("CHROME") or shutil.which("chromium") or "chromium is not installed"
    driver = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver") or "chromium-driver is not installed"
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    yield found
    found.quit()


def differing(number: int, tool: str = "recall_search", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    recorded, candidate = f"caf\u00e9 {number}\n", f"cafe\u0301 {number}\n"
    found = [difference(recorded=side(recorded), candidate=side(candidate), place=spot(3, recorded, candidate))]
    return step(number, outcome="diverged", tool=tool, differences=found, **more)


def sample() -> list[dict[str, Any]]:
    """Thirty steps; every fifth differs, two of them in other tools and fields."""
    return [
        differing(number, tool="mem_edit" if number == 20 else "recall_search", note=f"note {number}")
        if number % 5 == 0
        else step(number, note=f"note {number}")
        for number in range(1, 31)
    ]


def opened(browser: webdriver.Chrome, folder: Path, steps: Sequence[dict[str, Any]], *, reveal: bool = False) -> None:
    file = run_file(folder / "run.jsonl", [header(), *steps, footer(steps)])
    page = folder / "run.html"
    page.write_text("".join(html(read(file, reveal=reveal), RULES)), encoding="utf-8", newline="\n")
    log(browser, "performance")
    log(browser, "browser")
    browser.get(page.as_uri())


def press(browser: webdriver.Chrome, *keys: str) -> None:
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def listed(browser: webdriver.Chrome) -> list[str]:
    script = "return [...document.querySelectorAll('#list > li')].map((one) => one.innerText)"
    found: list[str] = browser.execute_script(script)
    return found


def status(browser: webdriver.Chrome) -> str:
    return browser.find_element(By.ID, "status").text


def focused(browser: webdriver.Chrome) -> WebElement:
    return browser.switch_to.active_element


def log(browser: webdriver.Chrome, name: str) -> list[dict[str, Any]]:
    """What the browser wrote since it was last asked."""
    found: list[dict[str, Any]] = browser.get_log(name)  # type: ignore[no-untyped-call]
    return found


def requests(browser: webdriver.Chrome) -> list[str]:
    messages = [json.loads(one["message"])["message"] for one in log(browser, "performance")]
    return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]


def test_the_steps_that_do_not_match_are_shown_first(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())
    assert "DIVERGED" in browser.find_element(By.TAG_NAME, "h1").text
    assert len(listed(browser)) == 6
    assert status(browser) == "6 outcomes of 30 shown, 6 of them no match"


def test_a_filter_by_outcome_tool_and_text_leaves_what_was_asked_for(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())
    browser.find_element(By.CSS_SELECTOR, "#outcome option[value='']").click()
    assert len(listed(browser)) == 30
    browser.find_element(By.XPATH, "//select[@id='tool']/option[.='mem_edit']").click()
    assert [text.split("\n")[0] for text in listed(browser)] == ["logs/a.json step 20"]
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    press(browser, "/")
    press(browser, "LATIN SMALL LETTER E WITH", Keys.ESCAPE)
    WebDriverWait(browser, 5).until(lambda found: len(listed(found)) == 6)
    assert all("diverged" in text for text in listed(browser))


def test_j_goes_to_the_next_difference_and_enter_opens_it(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())
    browser.find_element(By.CSS_SELECTOR, "#outcome option[value='']").click()
    press(browser, Keys.ESCAPE, "j")
    assert "step 5 " in focused(browser).text.replace("\n", " ")
    press(browser, "n")
    assert "step 10 " in focused(browser).text.replace("\n", " ")
    press(browser, Keys.ENTER)
    assert focused(browser).get_attribute("aria-expanded") == "true"
    press(browser, "k")
    assert "step 5 " in focused(browser).text.replace("\n", " ")
    press(browser, "p")
    assert status(browser) == "no difference before this one"


def test_an_open_step_marks_the_place_and_says_the_code_points(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())
    press(browser, "j")
    press(browser, Keys.ENTER)
    marks = browser.find_elements(By.TAG_NAME, "mark")
    assert [one.get_attribute("title") for one in marks] == [
        "U+00E9 LATIN SMALL LETTER E WITH ACUTE",
        "U+0065 LATIN SMALL LETTER E",
    ]
    sides = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "figure pre")]
    assert sides == ["caf\u00e9 5\u21b5", "cafe\u25cc\u0301 5\u21b5"]
    browser.execute_script("arguments[0].focus()", marks[1])
    press(browser, Keys.ARROW_RIGHT)
    assert browser.find_element(By.CLASS_NAME, "called").text == "U+0301 COMBINING ACUTE ACCENT"


def test_a_difference_leads_to_its_rule(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())
    press(browser, "j")
    press(browser, Keys.ENTER)
    browser.find_element(By.LINK_TEXT, "recall_search/order").click()
    assert "recall.md, recall_search, 4" in browser.find_element(By.CSS_SELECTOR, "div:target").text


def test_hostile_text_runs_nothing_and_fetches_nothing(browser: webdriver.Chrome, tmp_path: Path) -> None:
    steps = [
        step(
            number,
            outcome="diverged",
            tool=text[:500],
            note=text,
            journal=f"logs/{text[:100]}.json",
            path=text,
            differences=[
                difference(
                    field=text[:300], recorded=side(text[:2000]), candidate=side("ok"), place=spot(0, text, "ok")
                )
            ],
            shown=[text[:900]],
        )
        for number, text in enumerate(HOSTILE, start=1)
    ]
    opened(browser, tmp_path, steps)
    for _ in steps:
        press(browser, "j")
        press(browser, Keys.ENTER)
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    press(browser, "/")
    press(browser, "<script>")
    WebDriverWait(browser, 5).until(lambda found: len(listed(found)) == 2)
    assert browser.execute_script("return window.ran") is None
    assert browser.execute_script("return document.images.length + document.links.length") <= 1
    assert log(browser, "browser") == []
    assert [one for one in requests(browser) if not one.startswith("file://")] == []
    assert browser.find_element(By.TAG_NAME, "h1").text.startswith("DIVERGED")
    assert SCRIPT in browser.find_element(By.CSS_SELECTOR, "#list .note").text


def test_the_page_is_dark_where_dark_is_preferred(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())

    def paper() -> str:
        return str(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))

    shades = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        shades.append(paper())
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert shades == ["rgb(255, 255, 255)", "rgb(18, 22, 27)"]


def test_what_is_sealed_is_opened_on_request_and_is_else_not_in_the_page(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    found = [difference(field="files['a.md'].content", sealed=True, recorded=side("", length=6), candidate=None)]
    opening = {"shown": ["the secret"], "sides": [{"recorded": side("secret"), "candidate": None}]}
    steps = [step(1, outcome="diverged", tool="mem_add", differences=found, sealed=True, opened=opening)]
    opened(browser, tmp_path, steps)
    assert "secret" not in browser.page_source
    opened(browser, tmp_path, steps, reveal=True)
    press(browser, "j")
    press(browser, Keys.ENTER)
    assert "secret" not in browser.find_element(By.ID, "list").text
    browser.find_element(By.XPATH, "//button[.='Open what is sealed']").click()
    assert browser.find_element(By.CSS_SELECTOR, "figure.recorded pre").text == "secret"


def test_every_control_has_a_name_and_headings_go_down_one_by_one(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, sample())
    press(browser, "j")
    press(browser, Keys.ENTER)
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    controls = {"button", "combobox", "searchbox", "link", "region", "search", "main"}
    unnamed = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node["role"]["value"] in controls - {"main"}
        and not node.get("name", {}).get("value")
    ]
    assert unnamed == []
    roles = {node["role"]["value"] for node in tree}
    assert {"main", "banner", "search", "status", "mark"} <= roles
    levels = [int(one.tag_name[1]) for one in browser.find_elements(By.CSS_SELECTOR, "h1, h2, h3, h4")]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def loaded(browser: webdriver.Chrome) -> float:
    """After how many milliseconds the page is there when it is loaded anew."""
    browser.refresh()
    return float(browser.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd"))


def test_five_thousand_steps_that_all_differ_are_there_within_a_second(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    opened(browser, tmp_path, [differing(number, note="n" * 40) for number in range(1, 5001)])
    assert min(loaded(browser) for _ in range(3)) < 1000
    assert len(listed(browser)) < 1000
    started = time.monotonic()
    press(browser, "/")
    press(browser, "step 4999 ", Keys.ESCAPE)
    WebDriverWait(browser, 5).until(lambda found: status(found).startswith("1 outcome"))
    assert time.monotonic() - started < 3
