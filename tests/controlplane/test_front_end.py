"""Any path that is not the API's leads to the front end, and its files are kept by browsers."""

import gzip
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

PAGE = "<!doctype html><title>Hotswap</title>"


@pytest.fixture
def built(tmp_path: Path, settings: Settings) -> Path:
    """Return the folder of a front end."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "icon.svg").write_text("<svg/>")
    script = tmp_path / "assets" / "index-4f3a.js"
    script.write_text("export const long = 'long';" * 50)
    script.with_suffix(".js.gz").write_bytes(gzip.compress(script.read_bytes()))
    settings.FRONTEND_DIR = tmp_path
    return tmp_path


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/", "/swaps/0190f5a4", "/index.html", "/fleet?grade=high"])
def test_the_page_is_at_every_path(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.content.decode()) == (200, PAGE)
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.usefixtures("built")
def test_a_file_with_its_digest_in_its_name_is_kept_for_ever(client: Client) -> None:
    answer = client.get("/assets/index-4f3a.js")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert "immutable" in answer.headers["Cache-Control"]
    assert "immutable" not in client.get("/icon.svg").headers["Cache-Control"]


@pytest.mark.usefixtures("built")
def test_a_file_comes_compressed_to_a_browser_that_takes_it(client: Client) -> None:
    plain = client.get("/assets/index-4f3a.js")
    packed = client.get("/assets/index-4f3a.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content


@pytest.mark.usefixtures("built")
def test_a_file_of_an_older_build_is_not_answered_with_the_page(client: Client) -> None:
    assert client.get("/assets/index-0000.js").status_code == 404


def test_a_new_build_is_seen(client: Client, built: Path) -> None:
    assert client.get("/assets/new-1.js").status_code == 404
    (built / "assets" / "new-1.js").write_text("1")
    (built / "index.html").unlink()
    (built / "index.html").write_text(PAGE)
    assert client.get("/assets/new-1.js").content == b"1"


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api", "/agent/v1/report", "/ws/nothing"])
def test_a_path_of_the_api_that_does_not_exist_is_no_page(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (
        404,
        "application/problem+json",
    )


@pytest.mark.usefixtures("built")
def test_nothing_outside_the_folder_is_a_file(client: Client) -> None:
    assert client.get("/../settings.py").content.decode() == PAGE


@pytest.mark.usefixtures("built")
def test_the_page_is_not_posted_to(client: Client) -> None:
    assert client.post("/swaps").status_code == 405


def test_a_front_end_that_is_not_built_is_said_so(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.FRONTEND_DIR = tmp_path
    answer = client.get("/")
    assert (answer.status_code, b"make frontend" in answer.content) == (503, True)


@pytest.mark.usefixtures("built")
def test_a_page_loads_nothing_from_elsewhere(client: Client) -> None:
    headers = client.get("/").headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "script-src 'self';" in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
