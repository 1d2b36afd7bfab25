"""A person at the REST API, as a script: signs in like a browser does."""

from __future__ import annotations

from typing import Any, Self

import httpx

#: Longest wait for an answer, s.
ANSWER_S = 20.0


class Person:
    """Somebody who is signed in; a context manager."""

    def __init__(self, web: str, *, username: str, password: str) -> None:
        """Sign in. Raises httpx.HTTPStatusError if that is refused."""
        self._client = httpx.Client(base_url=f"{web}/api/v1/", timeout=ANSWER_S)
        answer = self._client.post("session", json={"username": username, "password": password})
        answer.raise_for_status()
        self.me: dict[str, Any] = answer.json()
        self._client.headers["X-CSRFToken"] = self.me["csrf_token"]

    def __enter__(self) -> Self:
        """Return the person."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection; the session stays."""
        self._client.close()

    @property
    def cookie(self) -> str:
        """The session's cookie, as a browser sends it."""
        return f"sessionid={self._client.cookies['sessionid']}"

    def get(self, path: str, **query: str | int) -> Any:  # noqa: ANN401 - JSON
        """Return what is at a path. Raises httpx.HTTPError."""
        return self._checked(self._client.get(path, params=query))

    def every(self, path: str, **query: str | int) -> list[Any]:
        """Return the first page of a list. Raises httpx.HTTPError."""
        return list(self.get(path, **query)["results"])

    def post(self, path: str, **body: object) -> Any:  # noqa: ANN401 - JSON
        """Send something. Raises httpx.HTTPError."""
        return self._checked(self._client.post(path, json=body))

    def _checked(self, answer: httpx.Response) -> Any:  # noqa: ANN401 - JSON
        if answer.is_error:
            raise httpx.HTTPStatusError(
                f"{answer.request.method} {answer.request.url} -> {answer.status_code}: "
                f"{answer.text[:1000]}",
                request=answer.request,
                response=answer,
            )
        return answer.json() if answer.content else None
