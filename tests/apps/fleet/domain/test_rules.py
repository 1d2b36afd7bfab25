"""The published table is the rule."""

import re
from pathlib import Path

from apps.fleet.domain.rules import RULE_VERSION, RULES

PAGE = Path(__file__).parents[4] / "docs" / "explanation" / "grades.md"
ROW = re.compile(
    r"^\| `(\w+)`(?: \((\w+)\))? \| (\S+) \| (\S*) ?\| (\S*) ?\| (\S*) ?\|$", re.MULTILINE
)


def shown(threshold: float | None) -> str:
    return "" if threshold is None else f"{threshold:g}"


def test_the_page_shows_the_rule_as_it_is() -> None:
    page = {
        name: (direction or "rising", unit, *thresholds)
        for name, direction, unit, *thresholds in ROW.findall(PAGE.read_text())
    }
    assert page == {
        name: (
            rule.direction.value,
            rule.unit,
            shown(rule.medium),
            shown(rule.high),
            shown(rule.critical),
        )
        for name, rule in RULES[RULE_VERSION].signals.items()
    }
