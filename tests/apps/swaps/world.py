"""A tenant with five nodes and a job, as rows, and a clock that is turned by hand."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from apps.accounts.models import Tenant
from apps.approvals.models import Request
from apps.approvals.services import Decision, approval_decide
from apps.core.access import SYSTEM, Actor, Role
from apps.fleet.domain.signals import Reading, Source
from apps.fleet.models import Cluster, FailureDomain, Node, NodeClass, NodeReport
from apps.fleet.services.kept import signals_column
from apps.jobs.models import Job, LossPoint, Member, RankOwner
from apps.swaps.models import Swap
from apps.swaps.services.driving import swap_advance
from apps.swaps.services.proposing import Proposal, swap_propose
from tests.apps.approvals import making

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
#: rack of each node
RACKS = {"n1": "r1", "n2": "r1", "n3": "r1", "n4": "r2", "n5": "r2"}
#: node of each member
MEMBERS = {"node-0": "n1", "node-1": "n2", "node-2": "n3", "node-3": "n4", "standby-4": "n5"}
#: signals that make a node of a grade
SIGNALS = {
    "low": {"cpu_temperature": 60.0},
    "high": {"cpu_temperature": 60.0, "gpu_ecc_uncorrected": 2.0},
    "critical": {"cpu_temperature": 60.0, "gpu_ecc_uncorrected": 9.0},
}


@dataclass(slots=True)
class World:
    """What swaps stand on. Made of rows, as agents and people would have left them."""

    now: datetime = NOON
    tenant: Tenant = field(init=False)
    cluster: Cluster = field(init=False)
    nodes: dict[str, Node] = field(init=False)
    job: Job = field(init=False)
    otto: Actor = field(init=False)
    ada: Actor = field(init=False)

    def __post_init__(self) -> None:
        """Write the rows."""
        self.tenant = Tenant.objects.create(slug="aurora", name="Aurora", created_at=NOON)
        self.otto = making.person("otto", self.tenant, Role.OPERATOR)
        self.ada = making.person("ada", self.tenant, Role.APPROVER)
        self.cluster = Cluster.objects.create(name="alder", created_at=NOON)
        node_class = NodeClass.objects.create(name="cpu", accelerators=0, created_at=NOON)
        racks = {
            name: FailureDomain.objects.create(
                cluster=self.cluster, kind="rack", name=name, created_at=NOON
            )
            for name in ("r1", "r2")
        }
        self.nodes = {}
        for name, rack in RACKS.items():
            self.nodes[name] = node = Node.objects.create(
                tenant=self.tenant,
                cluster=self.cluster,
                name=name,
                node_class=node_class,
                rack=racks[rack],
                state_at=NOON,
                created_at=NOON,
                is_spare=name == "n5",
            )
            node.domains.add(racks[rack])
            self.grade(name, "low")
        self.job = self._job()

    def _job(self) -> Job:
        job = Job.objects.create(
            tenant=self.tenant,
            cluster=self.cluster,
            name="gpt",
            state="running",
            world_size=4,
            standbys_wanted=1,
            script="gpt.py",
            digest="sha256:job",
            created_at=NOON,
            reported_at=NOON,
            reported_by=self.nodes["n1"],
            leader="coordinator-0",
            token=1,
            epoch=1,
            committed_step=20,
            step_time_s=0.5,
            standbys=["standby-4"],
            ranks=[
                {
                    "rank": rank,
                    "owner": f"node-{rank}",
                    "since": 1,
                    "protection": "protected",
                    "mirrors": ["standby-4"],
                    "lag_steps": 0,
                }
                for rank in range(4)
            ],
        )
        for member, node in MEMBERS.items():
            self.member(job, member, node)
        for rank in range(4):
            RankOwner.objects.create(
                job=job,
                rank=rank,
                epoch_from=1,
                member=f"node-{rank}",
                node=self.nodes[MEMBERS[f"node-{rank}"]],
            )
        LossPoint.objects.bulk_create(
            LossPoint(
                job=job,
                epoch=1,
                step=step,
                loss=3.0,
                validation_loss=2.0 if step % 2 else None,
                step_s=0.5,
                at=NOON,
            )
            for step in range(20)
        )
        return job

    def member(self, job: Job, name: str, node: str) -> Member:
        return Member.objects.create(
            job=job,
            name=name,
            node=self.nodes[node],
            role="standby" if name.startswith("standby") else "rank",
            state="running",
            since=NOON,
            created_at=NOON,
        )

    # ------------------------------------------------------------------------------------- time

    def pass_s(self, seconds: float, *, reporting: bool = True) -> None:
        """Let time pass; nodes go on reporting, unless they are silent."""
        self.now += timedelta(seconds=seconds)
        if reporting:
            NodeReport.objects.update(at=self.now, stale_at=self.now + timedelta(seconds=30))

    # ------------------------------------------------------------------------------------ nodes

    def grade(self, name: str, grade: str) -> None:
        """Let a node report what makes it of a grade."""
        node = self.nodes[name]
        Node.objects.filter(id=node.id).update(grade=grade, grade_at=self.now)
        NodeReport.objects.update_or_create(
            node=node,
            defaults={
                "boot": "b",
                "sequence": 1,
                "at": self.now,
                "received_at": self.now,
                "stale_at": self.now + timedelta(seconds=30),
                "source": "simulated",
                "signals": signals_column(
                    Reading(
                        name=signal,
                        value=value,
                        unit="",
                        source=Source.SIMULATED,
                        figure=value,
                    )
                    for signal, value in SIGNALS[grade].items()
                ),
            },
        )

    def node(self, name: str) -> Node:
        return Node.objects.get(id=self.nodes[name].id)

    # ------------------------------------------------------------------------------------ swaps

    def propose(self, rank: int = 2, *, actor: Actor | None = None, **wanted: Any) -> Swap:
        proposal = Proposal(job_id=self.job.id, rank=rank, reason="It is getting worse.", **wanted)
        return swap_propose(proposal=proposal, actor=actor or self.otto, now=self.now)

    def advance(self, swap: Swap) -> Swap:
        return swap_advance(swap_id=swap.id, now=self.now)

    def asked(self, rank: int = 2, **wanted: Any) -> Swap:
        """Propose, and let the driver plan and ask."""
        return self.advance(self.propose(rank, **wanted))

    def approve(self, swap: Swap, *, approve: bool = True) -> Request:
        request = Request.objects.get(subject_id=swap.id, state="pending")
        decision = Decision(
            approve=approve, plan_digest=request.plan_digest, reason="" if approve else "Not now."
        )
        return approval_decide(
            request_id=request.id, actor=self.ada, decision=decision, now=self.now
        )

    def begun(self, rank: int = 2) -> Swap:
        """Propose, approve, and let the driver give the command."""
        swap = self.asked(rank)
        self.approve(swap)
        return self.advance(swap)

    def swap(self, identity: UUID) -> Swap:
        return Swap.objects.get(id=identity)


__all__ = ["NOON", "SYSTEM", "World"]
