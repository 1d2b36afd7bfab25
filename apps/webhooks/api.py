"""REST: webhooks and their deliveries."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT

from apps.core.access import Role
from apps.core.api import TenantView
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import webhook_create, webhook_delete

KINDS_MAX = 50
KIND_LETTERS_MAX = 64


class WebhookIn(serializers.Serializer[Any]):
    """What makes a webhook."""

    tenant = serializers.UUIDField(required=False, allow_null=True, default=None)
    url = serializers.CharField(max_length=500)
    kinds = serializers.ListField(
        child=serializers.CharField(max_length=KIND_LETTERS_MAX),
        max_length=KINDS_MAX,
        required=False,
        default=list,
    )


class WebhookOut(serializers.ModelSerializer[Webhook]):
    """A webhook as it is listed."""

    tenant = serializers.UUIDField(source="tenant_id")
    kinds = serializers.ListField(child=serializers.CharField())

    class Meta:
        """Everything but the secret."""

        model = Webhook
        fields = ("id", "tenant", "url", "kinds", "creator", "created_at")


class WebhookMadeOut(WebhookOut):
    """A webhook as its maker sees it, once."""

    class Meta(WebhookOut.Meta):
        """With the secret."""

        fields = (*WebhookOut.Meta.fields, "secret")  # type: ignore[assignment] # one more


class DeliveryOut(serializers.ModelSerializer[Delivery]):
    """What has become of one message."""

    webhook = serializers.UUIDField(source="webhook_id")

    class Meta:
        """All of it but the payload, which is what REST shows anyway."""

        model = Delivery
        fields = (
            "id",
            "webhook",
            "kind",
            "state",
            "attempts",
            "due_at",
            "delivered_at",
            "answer_status",
            "problem",
            "created_at",
        )


class WebhookListView(ListModelMixin, TenantView[Webhook]):
    """All webhooks, and a new one."""

    queryset = Webhook.objects.all()
    serializer_class = WebhookOut
    required_role: ClassVar = {"*": Role.ADMIN}
    required_scope: ClassVar = {"*": "admin"}

    @extend_schema(operation_id="webhook_list")
    def get(self, request: Request) -> Response:
        """List."""
        return self.list(request)

    @extend_schema(
        operation_id="webhook_create", request=WebhookIn, responses={201: WebhookMadeOut}
    )
    def post(self, request: Request) -> Response:
        """Make one."""
        given = WebhookIn(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        made = webhook_create(
            actor=self.actor,
            tenant_id=self.tenant_for_new(values["tenant"]),
            url=values["url"],
            kinds=values["kinds"],
            at=now(),
        )
        return Response(WebhookMadeOut(made).data, status=HTTP_201_CREATED)


class WebhookView(TenantView[Webhook]):
    """One webhook."""

    queryset = Webhook.objects.all()
    serializer_class = WebhookOut
    required_role: ClassVar = {"*": Role.ADMIN}
    required_scope: ClassVar = {"*": "admin"}

    @extend_schema(operation_id="webhook_get")
    def get(self, _request: Request, id: str) -> Response:  # noqa: ARG002 - get_object reads it
        """Show it."""
        return Response(WebhookOut(self.get_object()).data)

    @extend_schema(operation_id="webhook_delete", responses={204: None})
    def delete(self, _request: Request, id: str) -> Response:  # noqa: ARG002 - likewise
        """Remove it."""
        webhook_delete(actor=self.actor, webhook=self.get_object(), at=now())
        return Response(status=HTTP_204_NO_CONTENT)


class DeliveryListView(ListModelMixin, TenantView[Delivery]):
    """What was sent to a webhook."""

    queryset = Delivery.objects.all()
    tenant_field = "webhook__tenant_id"
    filter_fields: ClassVar = {"state": "state", "kind": "kind"}
    serializer_class = DeliveryOut
    required_role: ClassVar = {"*": Role.ADMIN}
    required_scope: ClassVar = {"*": "admin"}

    def get_queryset(self) -> QuerySet[Delivery]:
        """Return those of the webhook in the path."""
        return super().get_queryset().filter(webhook_id=self.kwargs["id"])

    @extend_schema(operation_id="webhook_deliveries")
    def get(self, request: Request, id: str) -> Response:
        """List."""
        if not Webhook.objects.filter(id=id, tenant_id__in=self.tenants()).exists():
            raise NotFound
        return self.list(request)
