"""What an approver is asked: the plan in a paragraph, and the risks of either answer."""

from typing import Any

from apps.swaps.models import Swap


def summary_of(swap: Swap) -> str:
    """Return what is asked, in a paragraph."""
    plan = swap.plan or {}
    source, target = plan["source"]["name"], plan["target"]["name"]
    open_points = [each["text"] for each in plan["constraints"] if each["ok"] is not True]
    weak = f" Not fulfilled or not known: {'; '.join(open_points)}." if open_points else ""
    grade = swap.evidence.get("grade", "unknown")
    return (
        f"Move rank {swap.rank} of {plan['job']['name']} from {source} (risk {grade}) to {target}, "
        f"pausing training for {swap.pause_budget_ms} ms at most, and watch {swap.watch_steps} "
        f"steps.{weak}"
    )


def document_of(swap: Swap) -> dict[str, Any]:
    """Return everything that is decided about."""
    plan = swap.plan or {}
    source, target = plan["source"]["name"], plan["target"]["name"]
    watched = plan["watch"]["band"]
    return {
        "plan": plan,
        "evidence": swap.evidence,
        "reason": swap.reason,
        "risk_of_doing": (
            f"Until the cut-over an abort changes nothing. Afterwards rank {swap.rank} runs on "
            f"{target}; the spare reserve is one smaller until {source} is mended."
            + ("" if watched else " Too few losses are known to watch a band.")
        ),
        "risk_of_not_doing": (
            f"{source} stays in use at risk {swap.evidence.get('grade', 'unknown')}. If it "
            "fails, a mirror takes over without plan, or, without one, steps since the last "
            "checkpoint are lost."
        ),
    }
