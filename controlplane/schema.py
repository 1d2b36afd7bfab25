"""What the OpenAPI schema says beyond what serializers do: who may, how errors look, repeats."""

from typing import Any, Final

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from apps.core.api.idempotency import HEADER, KEY_LENGTH_MAX
from apps.core.problems import MEDIA_TYPE

PROBLEM: Final = "Problem"
PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "What went wrong (RFC 9457); some codes have more members.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What to do next."},
        "code": {"type": "string", "description": "Stable; compare it, never the text."},
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
            "description": "What is wrong with the request, by the name of the field.",
        },
        "who_can": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Who may do it instead.",
        },
    },
    "required": ["type", "title", "status", "detail", "code"],
    "additionalProperties": True,
}
IDEMPOTENCY_KEY: Final[dict[str, Any]] = {
    "in": "header",
    "name": HEADER,
    "required": False,
    "schema": {"type": "string", "maxLength": KEY_LENGTH_MAX},
    "description": "The same key with the same body has the same answer, and is done once.",
}
TENANT: Final[dict[str, Any]] = {
    "in": "query",
    "name": "tenant",
    "required": False,
    "schema": {"type": "string", "format": "uuid"},
    "description": "Only what belongs to this tenant.",
}


class PlaneSchema(AutoSchema):
    """Describes a view of ours; role and scope stand beside it as ``x-hotswap-...``.

    A view whose name ends with List, or ListView, answers GET with pages of its serializer.
    """

    def _is_list_view(self, serializer: Any = None) -> bool:  # noqa: ANN401 - as the base has it
        name = type(self.view).__name__.removesuffix("View")
        if self.method == "GET" and name.endswith("List"):
            return True
        return bool(super()._is_list_view(serializer))

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:  # noqa: ANN401 - passed on
        """Return an operation with who may, how it fails, and how it is repeated."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        operation["responses"]["default"] = {
            "description": "It was not done.",
            "content": {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{PROBLEM}"}}},
        }
        view: Any = self.view
        if not hasattr(view, "role_for"):
            return operation
        role = view.role_for(self.method)
        operation["x-hotswap-role"] = role and role.value
        operation["x-hotswap-scope"] = view.scope_for(self.method)
        parameters = operation.setdefault("parameters", [])
        if self.method == "POST":
            parameters.append(IDEMPOTENCY_KEY)
        named = {one["name"] for one in parameters}
        if self.method == "GET" and self._is_list_view() and TENANT["name"] not in named:
            parameters.append(TENANT)
        parameters.sort(key=lambda one: (one["in"] != "path", one["name"]))
        return operation


def problems_added(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - passed by the framework
    """Add the schema of errors, and bring everything into one order."""
    components = result.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas[PROBLEM] = PROBLEM_SCHEMA
    components["schemas"] = dict(sorted(schemas.items()))
    return result


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # registers itself, untyped
    """How a program says who it is."""

    target_class = "apps.accounts.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the scheme."""
        del auto_schema
        return {"type": "http", "scheme": "bearer", "bearerFormat": "hst_..."}


class BrowserScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # as above
    """How a browser says who it is."""

    target_class = "apps.accounts.authentication.BrowserAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the scheme."""
        del auto_schema
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
