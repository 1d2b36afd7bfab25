"""Who acts, and what they may do. Pure: how somebody proves who they are is accounts' business."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final
from uuid import UUID


class Role(StrEnum):
    """What a person may do in a tenant. An operator is a viewer; the others stand for themselves.

    Whoever has any role in a tenant may look at what is in it.
    """

    VIEWER = "viewer"
    OPERATOR = "operator"
    APPROVER = "approver"
    AUDITOR = "auditor"
    ADMIN = "admin"


class ActorKind(StrEnum):
    """What sort of thing acts."""

    PERSON = "person"
    TOKEN = "token"  # noqa: S105 - a kind, no secret
    AGENT = "agent"
    SYSTEM = "system"


# what a token can be limited to
SCOPES: Final = frozenset(
    {"read", "swaps:write", "approvals:write", "jobs:write", "fleet:write", "audit:read", "admin"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Somebody or something that acts."""

    # what sort of thing it is
    kind: ActorKind
    # id of the user, the token or the agent; empty for the system
    id: str
    # what people call it
    name: str
    # roles by tenant
    roles: Mapping[UUID, frozenset[Role]] = field(default_factory=lambda: MappingProxyType({}))
    # what a token is limited to; None: everything that the roles allow
    scopes: frozenset[str] | None = None

    def may(self, tenant_id: UUID, role: Role) -> bool:
        """Whether the actor has a role in a tenant; the system has all."""
        if self.kind is ActorKind.SYSTEM:
            return True
        roles = self.roles.get(tenant_id, frozenset())
        return bool(roles) if role is Role.VIEWER else role in roles

    def may_anywhere(self, role: Role) -> bool:
        """Whether the actor has a role in at least one tenant."""
        return self.kind is ActorKind.SYSTEM or any(self.may(tenant, role) for tenant in self.roles)

    def has_scope(self, scope: str) -> bool:
        """Whether a token's limits allow a scope."""
        return self.scopes is None or scope in self.scopes

    def as_json(self) -> dict[str, str]:
        """Return who it was, for records: kind, id and name."""
        return {"kind": self.kind.value, "id": self.id, "name": self.name}


SYSTEM: Final = Actor(kind=ActorKind.SYSTEM, id="", name="hotswap")


def visible_tenants(actor: Actor) -> frozenset[UUID]:
    """Return the tenants whose things an actor may look at."""
    return frozenset(tenant for tenant in actor.roles if actor.may(tenant, Role.VIEWER))
