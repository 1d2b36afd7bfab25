"""What a mirror may do with the bundles that come for one rank."""

import pytest

from hotswap.coordinator.core.mirror import MirrorCore, Verdict


def mirror_at(version: int, *, epoch: int = 1) -> MirrorCore:
    """Return a complete copy after ``version`` steps."""
    mirror = MirrorCore(rank=3)
    assert mirror.describe(epoch=epoch, version=version) is Verdict.TAKE
    assert mirror.copied(epoch=epoch, complete=True) is Verdict.TAKE
    return mirror


def test_gradients_are_held_and_applied_only_when_the_step_is_committed() -> None:
    mirror = mirror_at(5)
    assert mirror.gradients(epoch=1, step=5) is Verdict.TAKE
    assert (mirror.version, mirror.pending) == (5, True)
    assert mirror.commit(epoch=1, step=5) is Verdict.TAKE
    assert (mirror.version, mirror.pending) == (6, False)


def test_what_comes_twice_changes_nothing() -> None:
    mirror = mirror_at(5)
    mirror.gradients(epoch=1, step=5)
    mirror.commit(epoch=1, step=5)
    assert mirror.gradients(epoch=1, step=5) is Verdict.IGNORE
    assert mirror.commit(epoch=1, step=5) is Verdict.IGNORE
    assert mirror.version == 6


@pytest.mark.parametrize("call", ["gradients", "commit"])
def test_a_gap_makes_the_copy_worthless(call: str) -> None:
    mirror = mirror_at(5)
    assert getattr(mirror, call)(epoch=1, step=6) is Verdict.GAP
    assert not mirror.complete
    assert not mirror.reaches(5)


def test_a_commit_without_gradients_is_a_gap() -> None:
    mirror = mirror_at(5)
    assert mirror.commit(epoch=1, step=5) is Verdict.GAP
    assert mirror.version == 5


def test_nothing_of_a_dead_epoch_is_taken() -> None:
    mirror = mirror_at(5)
    mirror.gradients(epoch=1, step=5)
    mirror.seal(1)
    reported = mirror.holding()
    assert mirror.commit(epoch=1, step=5) is Verdict.IGNORE
    assert mirror.describe(epoch=1, version=9) is Verdict.IGNORE
    assert mirror.holding() == reported
    assert mirror.commit(epoch=2, step=5) is Verdict.TAKE


def test_an_owner_of_an_earlier_epoch_is_fenced_off() -> None:
    mirror = mirror_at(5, epoch=4)
    assert mirror.gradients(epoch=3, step=5) is Verdict.IGNORE
    assert not mirror.pending


def test_a_copy_reaches_its_version_and_the_one_it_has_gradients_for() -> None:
    mirror = mirror_at(5)
    assert [mirror.reaches(target) for target in (4, 5, 6)] == [False, True, False]
    mirror.gradients(epoch=1, step=5)
    assert [mirror.reaches(target) for target in (4, 5, 6)] == [False, True, True]


def test_a_copy_that_differed_is_never_used_until_it_is_made_anew() -> None:
    mirror = mirror_at(5)
    mirror.differs()
    assert not mirror.reaches(5)
    mirror.describe(epoch=1, version=7)
    mirror.copied(epoch=1, complete=True)
    assert mirror.reaches(7)


def test_a_clone_is_independent() -> None:
    mirror = mirror_at(5)
    twin = mirror.clone()
    assert twin.fingerprint() == mirror.fingerprint()
    twin.gradients(epoch=1, step=5)
    assert not mirror.pending
