from __future__ import annotations

import pytest

from parity import zones
from parity.gostd.time import UTC


def test_every_name_of_the_list_is_a_zone() -> None:
    assert len(zones.names()) > 500
    assert all(zones.zone.__wrapped__(name).name == name for name in zones.names())


def test_utc_reads_no_file() -> None:
    assert zones.zone("UTC") is UTC


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Local",
        "local",
        "utc",
        "europe/paris",
        "Europe/Atlantis",
        "Europe",
        "Europe/",
        "Europe/__init__.py",
        "tzdata.zi",
        "../zones",
        "Europe/../Europe/Paris",
        "./Europe/Paris",
        "Europe//Paris",
        "Europe\\Paris",
        "/etc/localtime",
        "/usr/share/zoneinfo/Europe/Paris",
        "Europe/Paris\0",
        "\0",
        " Europe/Paris",
        "Europe/Paris\n",
        "Éurope/Paris",
        "\ud800",
        "A" * 100_000,
    ],
)
def test_a_name_off_the_list_is_refused(name: str) -> None:
    with pytest.raises(zones.UnknownZoneError) as caught:
        zones.zone(name)
    assert caught.value.name == name
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 300


# Go remembers the period of the moment at which it loads a zone. Where a zone's last recorded change does not follow
# the zone's own rule, that memory can cover moments before the change, in a Go that runs in that very period.
def test_no_zone_changed_lately_in_a_way_that_gos_memory_of_one_period_could_show() -> None:
    start_of_2024 = 1704067200
    for name in zones.names():
        zone = zones.zone.__wrapped__(name)
        last = zone.transitions[-1]
        assert zone.lookup(last).start >= last or last < start_of_2024
