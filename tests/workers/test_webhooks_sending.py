from collections.abc import Sequence

import httpx
import pytest

from workers.sending import HttpSender, Outcome

OUTSIDE = "93.184.216.34"


class Net:
    """Names with their addresses, and a transport that answers for all of them."""

    def __init__(self, *answers: Sequence[str], status: int = 200) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []
        self.requests: list[httpx.Request] = []
        self.status = status

    def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers.pop(0)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        location = {"Location": "http://169.254.169.254/"}
        return httpx.Response(self.status, headers=location if self.status == 302 else {})

    def send(self, url: str, *, private_allowed: bool = False) -> Outcome:
        sender = HttpSender(
            private_allowed=private_allowed,
            resolve=self.resolve,
            transport=httpx.MockTransport(self.handle),
        )
        return sender.send(url=url, headers={"X-Test": "1"}, body=b"{}")


def test_it_connects_to_the_address_that_was_checked_in_the_name_of_the_host() -> None:
    net = Net([OUTSIDE])
    assert net.send("https://hooks.example.com:8443/a?b=1") == Outcome(status=200, problem="")
    (request,) = net.requests
    assert str(request.url) == f"https://{OUTSIDE}:8443/a?b=1"
    assert request.headers["Host"] == "hooks.example.com:8443"
    assert request.extensions["sni_hostname"] == "hooks.example.com"
    assert request.content == b"{}"


def test_a_name_is_looked_up_once() -> None:
    net = Net([OUTSIDE], ["127.0.0.1"])
    net.send("https://rebinding.example.com/")
    assert net.asked == [("rebinding.example.com", 443)]
    assert net.requests[0].url.host == OUTSIDE


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["169.254.169.254"], [OUTSIDE, "10.0.0.1"]])
def test_a_name_that_leads_inside_gets_nothing(addresses: list[str]) -> None:
    net = Net(addresses)
    outcome = net.send("https://inside.example.com/")
    assert outcome.status is None
    assert "not on the public internet" in outcome.problem
    assert net.requests == []


def test_inside_is_possible_where_it_is_allowed() -> None:
    net = Net(["127.0.0.1"])
    assert net.send("http://localhost:9/", private_allowed=True).status == 200


def test_a_redirect_is_not_followed_and_counts_as_failure() -> None:
    net = Net([OUTSIDE], status=302)
    assert net.send("https://example.com/") == Outcome(status=302, problem="answered 302")
    assert len(net.requests) == 1


def test_a_name_without_address_is_a_failure_and_no_exception() -> None:
    def nowhere(host: str, port: int) -> Sequence[str]:
        raise OSError(f"{host}:{port} is unknown")

    outcome = HttpSender(private_allowed=False, resolve=nowhere).send(
        url="https://nowhere.example/", headers={}, body=b""
    )
    assert outcome.problem == "OSError: nowhere.example:443 is unknown"
