from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Membership, Tenant, User
from apps.audit.models import AuditEntry
from apps.core import clock
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import WEBHOOKS_MAX

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.com/hotswap"
PATH = "/api/v1/webhooks"


def tenant_of(slug: str) -> Tenant:
    return Tenant.objects.create(slug=slug, name=slug, created_at=clock.now())


def person(tenant: Tenant, *roles: str) -> Client:
    at = clock.now()
    user = User.objects.create(username=f"{tenant.slug}-{'-'.join(roles)}", created_at=at)
    Membership.objects.create(user=user, tenant=tenant, roles=list(roles), created_at=at)
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, **body: Any) -> Any:
    return client.post(PATH, body, content_type="application/json")


def test_the_secret_is_shown_once(settings: Any) -> None:
    settings.HOTSWAP_WEBHOOK_PRIVATE = False
    admin = person(tenant_of("aurora"), "admin")
    made = post(admin, url=URL, kinds=["swap.changed"])
    assert made.status_code == 201
    assert len(made.json()["secret"]) == 64
    listed = admin.get(PATH).json()["results"]
    assert [each["url"] for each in listed] == [URL]
    assert "secret" not in listed[0]
    assert "secret" not in admin.get(f"{PATH}/{made.json()['id']}").json()


def test_an_address_inside_is_refused(settings: Any) -> None:
    settings.HOTSWAP_WEBHOOK_PRIVATE = False
    admin = person(tenant_of("aurora"), "admin")
    refused = post(admin, url="https://169.254.169.254/latest")
    assert refused.status_code == 422
    assert "not on the public internet" in refused.json()["fields"]["url"][0]
    assert Webhook.objects.count() == 0


def test_only_administrators_have_to_do_with_webhooks() -> None:
    tenant = tenant_of("aurora")
    operator = person(tenant, "operator", "approver", "auditor")
    assert post(operator, url=URL).status_code == 403
    assert operator.get(PATH).status_code == 403


def test_webhooks_of_another_tenant_do_not_exist() -> None:
    ours, theirs = person(tenant_of("aurora"), "admin"), person(tenant_of("borealis"), "admin")
    identity = post(theirs, url=URL).json()["id"]
    assert ours.get(PATH).json()["results"] == []
    assert ours.get(f"{PATH}/{identity}").status_code == 404
    assert ours.delete(f"{PATH}/{identity}").status_code == 404
    assert ours.get(f"{PATH}/{identity}/deliveries").status_code == 404
    assert Webhook.objects.count() == 1


def test_removing_one_ends_its_deliveries_and_leaves_a_trace() -> None:
    admin = person(tenant_of("aurora"), "admin")
    identity = post(admin, url=URL).json()["id"]
    at = clock.now()
    Delivery.objects.create(
        webhook_id=identity, message=1, kind="k", payload={}, due_at=at, created_at=at
    )
    assert admin.get(f"{PATH}/{identity}/deliveries").json()["results"][0]["state"] == "pending"
    assert admin.delete(f"{PATH}/{identity}").status_code == 204
    assert Delivery.objects.count() == 0
    actions = AuditEntry.objects.filter(subject=f"webhook:{identity}").order_by("sequence")
    assert [entry.action for entry in actions] == ["webhook.created", "webhook.deleted"]


def test_a_tenant_has_so_many_webhooks_and_no_more() -> None:
    tenant = tenant_of("aurora")
    admin = person(tenant, "admin")
    Webhook.objects.bulk_create(
        Webhook(tenant=tenant, url=URL, created_at=clock.now()) for _ in range(WEBHOOKS_MAX)
    )
    assert post(admin, url=URL).status_code == 429
