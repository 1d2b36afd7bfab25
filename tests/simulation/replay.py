"""Repeats one simulation: ``python -m tests.simulation.replay SEED``."""

import sys

from tests.simulation.walk import Walk, describe


def main(seed: int) -> int:
    """Simulate, and print every event; 1 when an invariant does not hold."""
    walk = Walk(seed)
    try:
        walked = walk.run()
    except AssertionError as error:
        for number, action in enumerate(walk.trace):
            print(number, *action)
        print(describe(walk.world))
        print(error)
        return 1
    print(walked)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1])))
