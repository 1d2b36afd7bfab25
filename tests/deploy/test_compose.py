"""What can be known about the compose file without an engine."""

import re
from typing import Any

import jsonschema_rs
import pytest

from tests.deploy.compose import FILE, ROOT, VARIABLE, compose

GIVEN = {
    "HOTSWAP_SECRET_KEY": "s" * 48,
    "HOTSWAP_AUDIT_KEY": "a" * 48,
    "POSTGRES_PASSWORD": "p",
}
NAMED = {
    "type": "object",
    "patternProperties": {"^[a-z0-9-]+$": {"type": "null"}},
    "additionalProperties": False,
}
WORDS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
# the part of the compose specification that the file uses: a slip of the fingers is no part of it
SERVICE = {
    "type": "object",
    "properties": {
        "image": {"type": "string"},
        "build": {
            "type": "object",
            "properties": {"context": {"type": "string"}, "dockerfile": {"type": "string"}},
            "required": ["context", "dockerfile"],
            "additionalProperties": False,
        },
        "restart": {"enum": ["unless-stopped", "on-failure"]},
        "init": {"type": "boolean"},
        "command": WORDS,
        "environment": {
            "type": "object",
            "patternProperties": {"^[A-Z][A-Z0-9_]*$": {"type": ["string", "integer"]}},
            "additionalProperties": False,
        },
        "volumes": {"type": "array", "items": {"type": "string", "pattern": "^[a-z0-9-]+:/"}},
        "ports": {"type": "array", "items": {"type": "string", "pattern": "^[0-9.:]+:[0-9]+$"}},
        "profiles": WORDS,
        "deploy": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
        "depends_on": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "condition": {"enum": ["service_healthy", "service_completed_successfully"]}
                },
                "required": ["condition"],
                "additionalProperties": False,
            },
        },
        "healthcheck": {
            "type": "object",
            "properties": {
                "test": WORDS,
                "interval": {"type": "string", "pattern": "^[0-9]+s$"},
                "timeout": {"type": "string", "pattern": "^[0-9]+s$"},
                "retries": {"type": "integer"},
            },
            "required": ["test"],
            "additionalProperties": False,
        },
    },
    "required": ["image", "restart"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "services": {"type": "object", "additionalProperties": SERVICE},
        "volumes": NAMED,
    },
    "patternProperties": {"^x-": {}},
    "required": ["services"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = compose(GIVEN)["services"]
    return found


def test_it_has_the_shape_of_a_compose_file() -> None:
    jsonschema_rs.validate(SCHEMA, compose(GIVEN))


def test_every_process_of_the_control_plane_is_there(services: dict[str, Any]) -> None:
    wanted = {"database", "broker", "web", "worker", "beat", "relay", "agent-server", "coordinator"}
    assert wanted <= set(services)
    assert [name for name in services if name.startswith("node-")] == ["node-1", "node-2"]


def test_secrets_have_no_default() -> None:
    for missing in GIVEN:
        with pytest.raises(LookupError, match=missing):
            compose({**GIVEN, missing: ""})


def test_every_variable_is_explained_in_the_example() -> None:
    known = set(
        re.findall(r"^([A-Z0-9_]+)=", (ROOT / "deploy/env.example").read_text(), re.MULTILINE)
    )
    used = {match["name"] for match in VARIABLE.finditer(FILE.read_text())}
    # these two have a default that is right on one machine
    assert used - known == {"HOTSWAP_HOSTS", "HOTSWAP_TLS"}
    assert known <= used


def test_what_a_service_waits_for_exists_and_can_become_so(services: dict[str, Any]) -> None:
    for service in services.values():
        for name, wait in service.get("depends_on", {}).items():
            assert name in services
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in services[name], name


def test_every_volume_is_declared_and_used(services: dict[str, Any]) -> None:
    mounted = {
        volume.split(":")[0]
        for service in services.values()
        for volume in service.get("volumes", [])
    }
    assert mounted == set(compose(GIVEN)["volumes"])


def test_the_authoritys_key_is_with_the_plane_alone(services: dict[str, Any]) -> None:
    holders = {
        name
        for name, service in services.items()
        if any(volume.startswith("authority:") for volume in service.get("volumes", []))
    }
    assert {services[name]["image"] for name in holders} == {"hotswap/plane:local"}


def test_images_are_built_from_files_that_exist(services: dict[str, Any]) -> None:
    built = {
        (service["build"]["context"], service["build"]["dockerfile"])
        for service in services.values()
        if "build" in service
    }
    assert len(built) == 2
    for context, dockerfile in built:
        text = (ROOT / context / dockerfile).read_text()
        for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
            *sources, _target = line.split()
            assert [source for source in sources if not (ROOT / context / source).exists()] == []


def test_what_is_copied_is_not_ignored(services: dict[str, Any]) -> None:
    kept = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    for dockerfile in (ROOT / "deploy").glob("*.Dockerfile"):
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile.read_text(), re.MULTILINE):
            *sources, _target = line.split()
            assert {source.split("/")[0] for source in sources} <= kept
    assert services
