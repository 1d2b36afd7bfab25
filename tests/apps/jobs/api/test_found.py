"""Jobs that run without the plane, over REST."""

import pytest

from apps.core.access import Role
from apps.core.ids import new_id
from apps.jobs.models import FoundJob
from apps.jobs.services import NodeFound, found_ingest
from hotswap.wire.plane import AttachableJob
from tests.apps.jobs.making import NOW, fleet, tenant
from tests.apps.signed_in import a_browser, a_person, a_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(name="found")
def _found() -> FoundJob:
    node = fleet(tenant())[0]
    job = AttachableJob(name="gpt", directory="/jobs/gpt", world_size=2)
    found_ingest(reports=[NodeFound(node_id=node.id, jobs=[job])], at=NOW)
    return FoundJob.objects.get()


def test_found_jobs_are_listed_and_attached(found: FoundJob) -> None:
    otto = a_browser(a_person("otto", Role.OPERATOR))
    (shown,) = otto.get("/api/v1/jobs/found").json()["results"]
    assert (shown["id"], shown["node"]["name"], shown["world_size"]) == (str(found.id), "n1", 2)
    answer = otto.post(f"/api/v1/jobs/found/{found.id}/attach")
    assert (answer.status_code, answer.json()["attached"]) == (201, True)
    assert otto.get("/api/v1/jobs/found").json()["results"] == []


def test_who_may_not_see_or_decide_is_refused(found: FoundJob) -> None:
    stranger = a_browser(a_person("sven", Role.OPERATOR, tenant=a_tenant("borealis")))
    viewer = a_browser(a_person("vera", Role.VIEWER))
    path = f"/api/v1/jobs/found/{found.id}/attach"
    assert stranger.get("/api/v1/jobs/found").json()["results"] == []
    assert stranger.post(path).status_code == 404
    assert viewer.post(path).status_code == 403
    unknown = f"/api/v1/jobs/found/{new_id()}/attach"
    assert a_browser(a_person("otto", Role.OPERATOR)).post(unknown).status_code == 404
