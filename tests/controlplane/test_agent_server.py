"""The process that agents talk to, as it is set up."""

import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.authority import AUTHORITY_FILE, CERTIFICATE_FILE
from tests.tidy.tree import ROOT


def test_it_asks_for_certificates_and_leaves_no_key_behind(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from controlplane.agent_server import server  # noqa: PLC0415 - sets Django up when it is imported

    settings.HOTSWAP_AUTHORITY_DIR = tmp_path / "authority"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = server(host="127.0.0.1", port=0, names=["localhost", "127.0.0.1"])
    context = made.config.ssl
    assert context is not None
    assert context.verify_mode is ssl.CERT_OPTIONAL
    assert context.minimum_version is ssl.TLSVersion.TLSv1_3
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {AUTHORITY_FILE, CERTIFICATE_FILE}


def test_it_says_how_it_is_started() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controlplane.agent_server", "--help"],
        check=False,
        timeout=50,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"HOTSWAP_DEVELOPMENT": "1", "PYTHONPATH": f"{ROOT}:{ROOT / 'agents'}"},
    )
    assert (done.returncode, "--name" in done.stdout) == (0, True), done.stderr
