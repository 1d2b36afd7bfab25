"""The control plane with a real training job on this machine: ``make demo``.

Everything is real but the signals of one node, which are simulated and labelled so.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from dev.demo.story import story, wait_protected, worsen_and_wait
from dev.demo.world import World, logins_shown
from dev.stack import state_file
from dev.stack.layout import choose
from dev.stack.plane import ROOT
from dev.stack.screen import Terminal
from dev.stack.supervisor import PartFailed


def main() -> int:
    """Run the demo until Ctrl-C, or the story to its end; return the exit code."""
    options = parse_options()
    # so that context managers end what they have started
    signal.signal(signal.SIGTERM, _leave)
    running = state_file.read(options.directory)
    if running is not None:
        print(f"The demo runs already: {running.web}")
        return 1
    screen, began_s = Terminal(), time.monotonic()
    layout = choose(options.directory, postgres=options.postgres, fixed_ports=not options.any_ports)
    screen.say("Starting the control plane.")
    with World.make(layout, screen) as world:
        try:
            return tell(world, options, began_s)
        except (PartFailed, TimeoutError) as error:
            print(error, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            screen.say("Stopping.")
            return 0


def tell(world: World, options: argparse.Namespace, began_s: float) -> int:
    """Start everything, show where to look, and let the node get worse."""
    world.start()
    say = world.screen.say
    otto, ada, root = (world.person(name) for name in ("otto", "ada", "root"))
    with otto, ada, root:
        job = world.submit_job(otto)
        say(f"\nOpen {world.layout.web_url} and sign in; the passwords are for this demo:")
        for line in logins_shown(world.layout.directory):
            say(line)
        say("")
        wait_protected(world, otto, job)
        say(f"  ready after {time.monotonic() - began_s:.0f} s\n")
        if options.story:
            return 0 if story(world, otto, ada, root, job) else 1
        if options.calm:
            return hold(world)
        swap = worsen_and_wait(world, otto, job)
        say(f"\nA swap of rank {swap['rank']} is proposed. Sign in as ada to approve it:")
        say(f"  {world.layout.web_url}/swaps/{swap['id']}")
        say("\n`make demo-kill` pulls a plug: it kills the process of a rank. Ctrl-C ends all.")
    return hold(world)


def hold(world: World) -> int:
    """Keep everything running until somebody ends it."""
    world.supervisor.tend(until=lambda: False)
    return 0


def _leave(*_: object) -> None:
    """End the demo in order; a second signal must not cut that short."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(143)


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--directory", type=Path, default=ROOT / "runs" / "demo")
    parser.add_argument("--story", action="store_true", help="do it all, and end")
    parser.add_argument("--calm", action="store_true", help="let no node get worse")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    parser.add_argument(
        "--any-ports", action="store_true", help="do not try for 8080 and 8443 first"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
