"""All that is wrong with the settings is said at once."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.environment import ROOT, VARIABLES, Environment, SettingsInvalid, read

PRODUCTION = {
    "HOTSWAP_SECRET_KEY": "s" * 40,
    "HOTSWAP_AUDIT_KEY": "a" * 40,
    "HOTSWAP_HOSTS": "plane.example",
    "DATABASE_URL": "postgresql://hotswap@db/hotswap",
    "REDIS_URL": "redis://broker:6379/0",
    "HOTSWAP_AUTHORITY_DIR": "/var/lib/hotswap/authority",
}


def problems(**changes: str) -> list[str]:
    with pytest.raises(SettingsInvalid) as caught:
        read(PRODUCTION | changes)
    assert all(problem in str(caught.value) for problem in caught.value.problems)
    return caught.value.problems


def test_a_production_needs_its_secrets_and_addresses_and_is_told_so_at_once() -> None:
    with pytest.raises(SettingsInvalid) as caught:
        read({})
    assert caught.value.problems == [f"{name} is missing" for name in PRODUCTION]


def test_a_production_is_held_to_tls() -> None:
    environment = read(PRODUCTION)
    assert (environment.tls, environment.development) == (True, False)
    assert environment.hosts == ("plane.example",)


def test_development_needs_nothing() -> None:
    environment = read({"HOTSWAP_DEVELOPMENT": "1"})
    assert environment.database_url.startswith("sqlite:///")
    assert (environment.redis_url, environment.tls) == ("", False)
    assert environment.frontend_dir == ROOT / "frontend" / "dist"


def test_contradictions_are_said_all_at_once() -> None:
    assert problems(
        HOTSWAP_TLS="0", HOTSWAP_AUDIT_KEY="s" * 40, HOTSWAP_HOSTS="plane.example,*"
    ) == [
        "HOTSWAP_AUDIT_KEY is the same as HOTSWAP_SECRET_KEY: who has one must not have both",
        (
            "HOTSWAP_TLS=0 contradicts HOTSWAP_HOSTS=plane.example,*: passwords would cross the "
            "network in the clear"
        ),
        "HOTSWAP_HOSTS has to name the hosts: * lets any name in",
    ]


def test_development_is_for_one_machine() -> None:
    (problem,) = problems(HOTSWAP_DEVELOPMENT="1")
    assert problem.startswith("HOTSWAP_DEVELOPMENT=1 contradicts HOTSWAP_HOSTS=plane.example")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HOTSWAP_SECRET_KEY", "short", "has 5 characters, and has to have at least 32"),
        ("HOTSWAP_TLS", "yes", "HOTSWAP_TLS is 'yes', and has to be 1 or 0"),
        ("HOTSWAP_ENROLMENT_VALID_DAYS", "soon", "is 'soon', and has to be days, 3650 at most"),
        ("HOTSWAP_ENROLMENT_VALID_DAYS", "0", "is '0', and has to be days, 3650 at most"),
        ("HOTSWAP_ENROLMENT_VALID_DAYS", "nan", "is 'nan', and has to be days, 3650 at most"),
        ("DATABASE_URL", "mysql://db/hotswap", "DATABASE_URL has to begin with one of"),
        ("REDIS_URL", "amqp://broker", "REDIS_URL has to begin with one of"),
    ],
)
def test_what_is_malformed_is_said(name: str, value: str, said: str) -> None:
    (problem,) = problems(**{name: value})
    assert said in problem


def test_secrets_are_not_shown() -> None:
    shown = repr(read(PRODUCTION))
    assert not any(value in shown for value in ("s" * 40, "a" * 40, "hotswap@db"))


def test_the_page_of_settings_is_what_the_code_says() -> None:
    source = Path(read.__code__.co_filename).read_text()
    comments = {
        name: re.sub(r"\s*\n\s*# ", " ", comment)
        for comment, name in re.findall(r"((?:    # .*\n)+)    (\w+): ", source)
    }
    comments = {name: comment.strip().removeprefix("# ") for name, comment in comments.items()}
    page = (ROOT / "docs" / "reference" / "control-plane.md").read_text()
    rows = re.findall(r"^\| `([A-Z_]+)` \|[^|]*\| (.+) \|$", page, re.MULTILINE)
    fields = Environment.__dataclass_fields__
    assert rows == [(VARIABLES[name], comments[name]) for name in fields]


def test_administration_says_what_is_wrong_without_a_trace() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={"PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 1
    assert "HOTSWAP_SECRET_KEY is missing" in done.stderr
    assert "Traceback" not in done.stderr
