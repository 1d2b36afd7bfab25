"""Events, owners, mirrors and certificates of a job, as an agent tells them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import F, Value
from django.db.models.functions import Greatest

from apps.core import canonical
from apps.jobs.domain.facts import EventFacts, Handover, JobFacts
from apps.jobs.models import Certificate, Job, JobEvent, Member, MirrorState, RankOwner
from apps.jobs.services.changes import event_record
from hotswap.wire.plane import CertificateReport


def events_write(*, job: Job, stream: str, events: Sequence[EventFacts]) -> int:
    """Add events that are not there yet, and count them in ``job``; return how many."""
    if not events:
        return 0
    known = set(
        JobEvent.objects.filter(
            job=job, stream=stream, offset__in=[each.offset for each in events]
        ).values_list("offset", flat=True)
    )
    new = {each.offset: each for each in events if each.offset not in known}
    JobEvent.objects.bulk_create(
        JobEvent(
            job=job,
            sequence=job.events_count + number,
            stream=stream,
            offset=each.offset,
            at=each.at,
            kind=each.kind,
            epoch=each.epoch,
            step=each.step,
            rank=each.rank,
            member=each.member or "",
            text=each.text,
            values=dict(each.values),
        )
        for number, each in enumerate(new.values(), start=1)
    )
    job.events_count += len(new)
    if new:
        job.save(update_fields=("events_count",))
    return len(new)


def owners_write(*, job: Job, handovers: Sequence[Handover]) -> None:
    """Close the rows of former owners, and open those of new ones."""
    if not handovers:
        return
    nodes = _nodes(job, [each.member for each in handovers])
    for each in handovers:
        open_row = RankOwner.objects.filter(job=job, rank=each.rank, epoch_to=None)
        # an owner of no whole epoch (two hand-overs in one) was one of that epoch all the same
        open_row.update(epoch_to=Greatest(F("epoch_from"), Value(each.epoch - 1)))
        RankOwner.objects.update_or_create(
            job=job,
            rank=each.rank,
            epoch_from=each.epoch,
            defaults={
                "member": each.member,
                "node_id": nodes.get(each.member),
                "epoch_to": None,
            },
        )


def mirrors_write(*, job: Job, former: JobFacts, facts: JobFacts) -> None:
    """Bring the rows of mirrors in line with the facts."""
    changed = [rank for rank in range(facts.world_size) if facts.rank(rank) != former.rank(rank)]
    if not changed:
        return
    rows = [
        MirrorState(
            job=job,
            rank=rank,
            member=name,
            protection=facts.rank(rank).protection,
            lag_steps=facts.rank(rank).lag_steps,
        )
        for rank in changed
        for name in facts.rank(rank).mirrors
    ]
    if any(facts.rank(rank).mirrors != former.rank(rank).mirrors for rank in changed):
        MirrorState.objects.filter(job=job, rank__in=changed).delete()
    if rows:
        MirrorState.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=("job", "rank", "member"),
            update_fields=("protection", "lag_steps"),
        )


def certificates_write(*, job: Job, certificates: Sequence[CertificateReport], at: datetime) -> int:
    """Keep certificates; a second, different one of a swap is refused and noted."""
    if not certificates:
        return 0
    known = dict(
        Certificate.objects.filter(
            job=job, swap__in=[each.swap for each in certificates]
        ).values_list("swap", "digest")
    )
    added = 0
    for each in certificates:
        digest = canonical.digest(each.document)
        if each.swap not in known:
            Certificate.objects.create(
                job=job, swap=each.swap, document=each.document, digest=digest, created_at=at
            )
            known[each.swap] = digest
            added += 1
        elif known[each.swap] != digest:
            text = f"another certificate of swap {each.swap} was refused: {digest}"
            event_record(job=job, kind="certificate_refused", text=text, at=at)
    return added


def _nodes(job: Job, names: Sequence[str]) -> Mapping[str, UUID]:
    return dict(Member.objects.filter(job=job, name__in=names).values_list("name", "node_id"))
