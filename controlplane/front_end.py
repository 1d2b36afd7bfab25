"""The front end's files, and its one page for every path that is no file."""

from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise import WhiteNoise

from apps.core.problems import plain_response

NOT_BUILT: Final = "The front end has not been built: run `make frontend`.\n"
# where the build puts files with digests in their names: these never change
HASHED: Final = "/assets/"
MAX_AGE_S: Final = 60


def front_end(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - unused
    """Return a file of the build, or the page, whose router takes any path from there."""
    if request.method not in {"GET", "HEAD"}:
        return plain_response(request, status=HTTPStatus.METHOD_NOT_ALLOWED, detail="")
    folder = Path(settings.FRONTEND_DIR)
    page = folder / "index.html"
    if not page.is_file():
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return HttpResponse(NOT_BUILT, status=status, content_type="text/plain; charset=utf-8")
    found = _file(request, folder)
    if found is not None:
        return found
    if request.path_info.startswith(HASHED):
        detail = "This file is of another build of the front end: load the page again."
        return plain_response(request, status=HTTPStatus.NOT_FOUND, detail=detail)
    # the page names the files of its build: it is asked for each time
    headers = {"Cache-Control": "no-cache"}
    return HttpResponse(page.read_bytes(), headers=headers, content_type="text/html; charset=utf-8")


def _file(request: HttpRequest, folder: Path) -> HttpResponse | None:
    """Return a file, compressed if the browser takes that and the build has it."""
    files = _files(folder, (folder / "index.html").stat().st_mtime_ns)
    static = files.files.get(request.path_info)
    if static is None or request.path_info == "/index.html":
        return None
    answer = static.get_response(request.method, request.META)
    content = b""
    if answer.file is not None:
        with answer.file as file:
            content = file.read()
    response = HttpResponse(content, status=int(answer.status))
    del response.headers["Content-Type"]
    for name, value in answer.headers:
        response.headers[name] = value
    return response


@lru_cache(maxsize=2)
def _files(folder: Path, _built_ns: int) -> WhiteNoise:
    """Return what is in a folder; looked at once per build."""
    return WhiteNoise(
        None,
        root=str(folder),
        prefix="/",
        max_age=MAX_AGE_S,
        allow_all_origins=False,
        immutable_file_test=lambda _path, url: url.startswith(HASHED),
    )
