"""The agent's limits come from the environment, and the page about them says what the code says."""

from dataclasses import fields
from pathlib import Path

import pytest

from dev.reference_pages import agent_settings_page
from hotswap.errors import EnvironmentInvalid
from hotswap.node.agent.limits import AgentLimits

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "agent-settings.md"


def test_defaults_are_overridden_by_name() -> None:
    limits = AgentLimits.from_environment(
        {"HOTSWAP_AGENT_RETRY_S": "0.5", "HOTSWAP_AGENT_SAMPLES_MAX": "7", "HOTSWAP_LEASE_S": "9"}
    )
    assert (limits.retry_s, limits.samples_max) == (0.5, 7)
    assert limits.request_s == AgentLimits().request_s


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("HOTSWAP_AGENT_RETRY_S", "soon"),
        ("HOTSWAP_AGENT_RETRY_S", "0"),
        ("HOTSWAP_AGENT_RETRY_S", "inf"),
        ("HOTSWAP_AGENT_SAMPLES_MAX", "1.5"),
        ("HOTSWAP_AGENT_RETRIES", "1"),
    ],
)
def test_what_is_no_limit_is_refused_by_name(variable: str, text: str) -> None:
    with pytest.raises(EnvironmentInvalid, match=variable):
        AgentLimits.from_environment({variable: text})


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text() == agent_settings_page()


def test_every_limit_is_positive() -> None:
    limits = AgentLimits()
    assert all(getattr(limits, field.name) > 0 for field in fields(AgentLimits))
