"""An operator finds the leader, asks it once, and knows how a swap ended."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from hotswap.channel.addresses import withdraw
from hotswap.errors import CoordinatorUnreachable, RequestRefused, SwapNotCompleted
from hotswap.limits import Limits
from hotswap.node.job_directory import JobDirectory, claim
from hotswap.node.operator_client import Operator, operator_of
from hotswap.wire.messages import (
    AbortRequest,
    Hello,
    Message,
    Notice,
    PrepareRequest,
    RankStatus,
    Refused,
    Status,
    StatusRequest,
    SwapAccepted,
    SwapRequest,
    ToCoordinator,
)
from tests.hotswap.node.fake_coordinator import FakeCoordinator

LIMITS = Limits(find_leader_s=1.0, reconnect_s=0.01, answer_s=1.0, swap_wait_s=20.0)
COMPLETED = Notice(
    kind="swap_completed", epoch=2, rank=1, member="standby-0", step=9, values={"pause_ms": 3.0}
)


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[JobDirectory]:
    claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
    yield claimed.directory
    claimed.release()


def status(*, swap: str | None = None, owner: str = "node-1") -> Status:
    return Status(
        job="gpt",
        leader="coordinator-0",
        token=1,
        phase="running",
        epoch=1,
        committed=7,
        world_size=2,
        ranks=(RankStatus(rank=1, member=owner, committed=7, protection="protected"),),
        standbys=("standby-0",),
        swap=swap,
    )


def accepting(*then: Message) -> "Answering":
    return Answering(then=then)


class Answering:
    """Answers as a coordinator in good order does."""

    def __init__(self, *, then: Iterable[Message] = (), status: Status | None = None) -> None:
        self.then = tuple(then)
        self.status = status

    def __call__(self, message: ToCoordinator) -> Iterable[Message]:
        match message:
            case StatusRequest() if self.status is not None:
                return (self.status,)
            case SwapRequest():
                accepted = SwapAccepted(
                    request=message.request, swap="swap-1", rank=message.rank, target="standby-0"
                )
                return (accepted, *self.then)
        return ()


def operator(directory: JobDirectory, limits: Limits = LIMITS) -> Operator:
    return operator_of(directory, limits=limits)


def test_a_snapshot_is_asked_for_and_given(directory: JobDirectory) -> None:
    key = directory.read_key()
    with (
        FakeCoordinator(directory.path, key=key, answers=Answering(status=status())) as fake,
        operator(directory) as asking,
    ):
        assert asking.status() == status()
        assert asking.status() == status()
        (hello,) = fake.wait_for(kind=Hello)
    assert isinstance(hello, Hello)
    assert (hello.role, hello.job) == ("operator", "gpt")


def test_a_coordinator_that_does_not_lead_sends_on_to_the_one_that_does(
    directory: JobDirectory,
) -> None:
    key = directory.read_key()
    with (
        FakeCoordinator(directory.path, key=key, answers=Answering(status=status())) as leader,
        FakeCoordinator(
            directory.path, key=key, name="coordinator-1", leader=str(leader.address)
        ) as other,
        operator(directory) as asking,
    ):
        withdraw(directory.path, name="coordinator-0")  # only the other one can say where it is
        assert asking.status() == status()
        assert other.wait_for(kind=Hello)


def test_two_coordinators_that_send_on_to_each_other_are_no_leader(
    directory: JobDirectory,
) -> None:
    key = directory.read_key()
    with (
        FakeCoordinator(directory.path, key=key, leader="127.0.0.1:1") as one,
        FakeCoordinator(directory.path, key=key, name="coordinator-1", leader=str(one.address)),
        operator(directory) as asking,
        pytest.raises(CoordinatorUnreachable, match="does not lead"),
    ):
        asking.status()


def test_without_any_coordinator_the_search_ends_within_its_limit(directory: JobDirectory) -> None:
    with operator(directory) as asking, pytest.raises(CoordinatorUnreachable, match="hotswap jobs"):
        asking.status()


def test_a_coordinator_of_another_key_is_not_believed(directory: JobDirectory) -> None:
    with (
        FakeCoordinator(directory.path, key=b"x" * 32, answers=Answering(status=status())),
        operator(directory) as asking,
        pytest.raises(CoordinatorUnreachable),
    ):
        asking.status()


def test_a_leader_that_does_not_answer_is_left_and_the_message_says_what_to_do(
    directory: JobDirectory,
) -> None:
    limits = Limits(answer_s=0.1, find_leader_s=1.0, reconnect_s=0.01, connect_s=0.5)
    with (
        FakeCoordinator(directory.path, key=directory.read_key()),
        operator(directory, limits) as asking,
        pytest.raises(CoordinatorUnreachable, match=r"within 0\.1 s .* ask again"),
    ):
        asking.status()


def test_a_refused_swap_carries_the_leaders_words_and_its_code(directory: JobDirectory) -> None:
    refusal = Refused(code="no_standby", detail="no standby is free: wait for one")

    def refuse(message: ToCoordinator) -> Iterable[Message]:
        return (refusal,) if isinstance(message, SwapRequest) else ()

    with (
        FakeCoordinator(directory.path, key=directory.read_key(), answers=refuse),
        operator(directory) as asking,
        pytest.raises(RequestRefused, match=r"no standby is free: wait for one") as caught,
    ):
        asking.swap(rank=1)
    assert caught.value.refusal == "no_standby"


def test_a_refusal_at_the_door_is_told_at_once(directory: JobDirectory) -> None:
    with (
        FakeCoordinator(
            directory.path,
            key=directory.read_key(),
            refusal=Refused(code="wrong_job", detail="this is job ddp"),
        ),
        operator(directory) as asking,
        pytest.raises(RequestRefused, match="this is job ddp"),
    ):
        asking.status()


def test_a_swap_is_asked_for_once_and_followed_to_its_end(directory: JobDirectory) -> None:
    others = Notice(kind="swap_phase", epoch=1, rank=0, text="of another rank")
    phase = Notice(kind="swap_phase", epoch=1, rank=1, text="verifying")
    seen: list[Notice] = []
    with (
        FakeCoordinator(
            directory.path, key=directory.read_key(), answers=accepting(others, phase, COMPLETED)
        ) as fake,
        operator(directory) as asking,
    ):
        accepted = asking.swap(rank=1, target="standby-0", reason="fan 3 is loud")
        assert asking.follow(accepted, on_notice=seen.append) == COMPLETED
        (request,) = fake.wait_for(kind=SwapRequest)
    assert seen == [phase, COMPLETED]
    assert isinstance(request, SwapRequest)
    assert (request.rank, request.target, request.reason) == (1, "standby-0", "fan 3 is loud")


def test_a_swap_that_is_given_up_says_why(directory: JobDirectory) -> None:
    aborted = Notice(kind="swap_aborted", epoch=1, rank=1, text="standby-0 was lost")
    with (
        FakeCoordinator(directory.path, key=directory.read_key(), answers=accepting(aborted)),
        operator(directory) as asking,
        pytest.raises(SwapNotCompleted, match=r"the job is untouched: standby-0 was lost"),
    ):
        asking.follow(asking.swap(rank=1))


def test_a_swap_that_takes_too_long_is_left_with_what_to_do(directory: JobDirectory) -> None:
    limits = Limits(find_leader_s=1.0, reconnect_s=0.01, swap_wait_s=0.2, swap_s=0.1)
    with (
        FakeCoordinator(directory.path, key=directory.read_key(), answers=accepting()),
        operator(directory, limits) as asking,
        pytest.raises(SwapNotCompleted, match=r"within 0\.2 s .*hotswap abort"),
    ):
        asking.follow(asking.swap(rank=1))


def test_a_swap_is_followed_at_the_next_leader(directory: JobDirectory) -> None:
    key = directory.read_key()
    first = FakeCoordinator(directory.path, key=key, answers=accepting())
    with first, operator(directory) as asking:
        accepted = asking.swap(rank=1)
        first.stop()

        def complete(message: ToCoordinator) -> Iterable[Message]:
            assert isinstance(message, StatusRequest), "the swap is not asked for again"
            return (status(swap="swap-1"), COMPLETED)

        with FakeCoordinator(
            directory.path, key=key, name="coordinator-1", token=2, answers=complete
        ):
            assert asking.follow(accepted) == COMPLETED


@pytest.mark.parametrize(
    ("owner", "completed"), [("standby-0", True), ("node-1", False), ("standby-7", False)]
)
def test_a_swap_that_ended_while_nobody_led_is_known_by_the_ranks_owner(
    directory: JobDirectory, owner: str, *, completed: bool
) -> None:
    key = directory.read_key()
    first = FakeCoordinator(directory.path, key=key, answers=accepting())
    with first, operator(directory) as asking:
        accepted = asking.swap(rank=1)
        first.stop()
        answers = Answering(status=status(owner=owner))
        with FakeCoordinator(
            directory.path, key=key, name="coordinator-1", token=2, answers=answers
        ):
            if completed:
                assert asking.follow(accepted) is None
            else:
                with pytest.raises(SwapNotCompleted, match="the leader changed in between"):
                    asking.follow(accepted)


def test_a_stale_leader_is_not_taken_after_a_newer_one(directory: JobDirectory) -> None:
    key = directory.read_key()
    newer = FakeCoordinator(directory.path, key=key, token=5, answers=Answering(status=status()))
    with newer, operator(directory) as asking:
        assert asking.status() == status()
        newer.stop()
        stale = FakeCoordinator(
            directory.path,
            key=key,
            name="coordinator-1",
            token=4,
            answers=Answering(status=status()),
        )
        with stale, pytest.raises(CoordinatorUnreachable, match="leads no more"):
            asking.status()
        assert {type(message) for message in stale.received} == {Hello}


def test_an_operator_outlives_the_leader_between_two_calls(directory: JobDirectory) -> None:
    key, answers = directory.read_key(), Answering(status=status())
    first = FakeCoordinator(directory.path, key=key, answers=answers)
    with first, operator(directory) as asking:
        assert asking.status() == status()
        first.stop()
        with FakeCoordinator(
            directory.path, key=key, name="coordinator-1", token=2, answers=answers
        ):
            assert asking.status() == status()


def test_abort_and_prepare_are_answered_by_a_snapshot_from_after_them(
    directory: JobDirectory,
) -> None:
    with (
        FakeCoordinator(
            directory.path, key=directory.read_key(), answers=Answering(status=status())
        ) as fake,
        operator(directory) as asking,
    ):
        assert asking.abort("swap-1") == status()
        assert asking.prepare(rank=1, member="standby-0") == status()
        kinds = [type(message) for message in fake.received]
    assert kinds == [Hello, AbortRequest, StatusRequest, PrepareRequest, StatusRequest]


def test_an_abort_that_is_refused_says_so(directory: JobDirectory) -> None:
    def refuse(message: ToCoordinator) -> Iterable[Message]:
        if isinstance(message, AbortRequest):
            return (Refused(code="unknown_swap", detail="no swap swap-9 is under way"),)
        return (status(),)

    with (
        FakeCoordinator(directory.path, key=directory.read_key(), answers=refuse),
        operator(directory) as asking,
        pytest.raises(RequestRefused, match="no swap swap-9 is under way"),
    ):
        asking.abort("swap-9")
