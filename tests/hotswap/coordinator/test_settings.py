"""A coordinator starts with what it needs, or says what is missing."""

from pathlib import Path

import pytest

from hotswap.coordinator.settings import Settings, read_settings
from hotswap.errors import EnvironmentInvalid

KEY = bytes(range(32))
ENVIRONMENT = {"HOTSWAP_JOB_KEY": KEY.hex()}


def arguments(job_directory: Path, *more: str) -> list[str]:
    required = ["--job-directory", str(job_directory), "--name", "coordinator-0"]
    return [*required, "--world-size", "4", *more]


def test_what_is_not_given_has_a_default(tmp_path: Path) -> None:
    assert read_settings(arguments(tmp_path), ENVIRONMENT) == Settings(
        job_directory=tmp_path,
        name="coordinator-0",
        world_size=4,
        key=KEY,
        host="127.0.0.1",
        port=0,
        checkpoint_directory=tmp_path / "checkpoints",
    )


def test_everything_can_be_given(tmp_path: Path) -> None:
    given = arguments(
        tmp_path, "--host", "::1", "--port", "4000", "--checkpoint-directory", "/checkpoints"
    )
    settings = read_settings(given, ENVIRONMENT | {"HOTSWAP_LEASE_S": "3"})
    assert (settings.host, settings.port) == ("::1", 4000)
    assert settings.checkpoint_directory == Path("/checkpoints")
    assert settings.limits.lease_s == 3.0


def test_the_job_is_called_as_its_directory(tmp_path: Path) -> None:
    (tmp_path / "gpt").mkdir()
    assert read_settings(arguments(tmp_path / "gpt"), ENVIRONMENT).job == "gpt"


@pytest.mark.parametrize("key", ["", "secret", "ab" * 31, "zz" * 32])
def test_a_key_that_is_none_is_refused_without_being_shown(tmp_path: Path, key: str) -> None:
    with pytest.raises(EnvironmentInvalid, match="HOTSWAP_JOB_KEY must be 32 bytes") as refused:
        read_settings(arguments(tmp_path), {"HOTSWAP_JOB_KEY": key})
    assert not key or key not in str(refused.value)


def test_a_key_is_not_shown_with_the_settings(tmp_path: Path) -> None:
    assert KEY.hex() not in repr(read_settings(arguments(tmp_path), ENVIRONMENT))
    assert repr(KEY) not in repr(read_settings(arguments(tmp_path), ENVIRONMENT))


def test_a_directory_that_is_not_there_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_settings(arguments(tmp_path / "missing"), ENVIRONMENT)
    assert "there is no directory" in capsys.readouterr().err


@pytest.mark.parametrize("size", ["0", "-1", "four"])
def test_a_number_of_ranks_that_is_none_is_refused(
    tmp_path: Path, size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_settings([*arguments(tmp_path)[:4], "--world-size", size], ENVIRONMENT)
    assert "--world-size" in capsys.readouterr().err
