import hashlib
import hmac

from apps.webhooks.domain.signing import AGE_S_MAX, sign, verify

SECRET = "a" * 64
BODY = b'{"kind":"swap.changed"}'


def test_a_signature_is_the_hmac_of_time_and_body() -> None:
    expected = hmac.new(SECRET.encode(), b"1700000000." + BODY, hashlib.sha256).hexdigest()
    assert sign(secret=SECRET, at_s=1_700_000_000, body=BODY) == f"t=1700000000,v1={expected}"


def test_a_receiver_accepts_what_was_signed() -> None:
    header = sign(secret=SECRET, at_s=1000, body=BODY)
    assert verify(secret=SECRET, header=header, body=BODY, now_s=1000 + AGE_S_MAX)


def test_a_receiver_refuses_another_body_secret_or_an_old_time() -> None:
    header = sign(secret=SECRET, at_s=1000, body=BODY)
    assert not verify(secret=SECRET, header=header, body=BODY + b" ", now_s=1000)
    assert not verify(secret="b" * 64, header=header, body=BODY, now_s=1000)
    assert not verify(secret=SECRET, header=header, body=BODY, now_s=1001 + AGE_S_MAX)


def test_a_time_that_was_changed_is_refused() -> None:
    header = sign(secret=SECRET, at_s=1000, body=BODY).replace("t=1000", "t=2000")
    assert not verify(secret=SECRET, header=header, body=BODY, now_s=2000)


def test_nonsense_is_refused_and_raises_nothing() -> None:
    for header in ("", "t=,v1=", "v1=00", "t=1,v1=\u00e9", "t=\u0661,v1=0", ",,,"):
        assert not verify(secret=SECRET, header=header, body=BODY, now_s=1)
