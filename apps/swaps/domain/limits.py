"""Every named wait, count and size of a swap; what they bound stands above each."""

from datetime import timedelta
from typing import Final

# ------------------------------------------------------------------------------------------ waits

#: A proposal for which no plan can be made ends after this.
PLAN_WAIT: Final = timedelta(minutes=10)
#: Between two attempts to plan a proposal for which no spare was to be had.
PLAN_RETRY: Final = timedelta(seconds=5)
#: From a plan to the request for its approval: the driver's next step.
REQUEST_WAIT: Final = timedelta(minutes=5)
#: A request that nobody decides expires.
APPROVAL_WAIT: Final = timedelta(hours=1)
#: An approved swap that limits or a brake hold back for so long expires; the spare goes back.
START_WAIT: Final = timedelta(minutes=15)
#: Copying and building the model; longer than the runtime's own ``prepare_s``, so it ends first.
PREPARE_WAIT: Final = timedelta(seconds=150)
#: Comparing digests.
VERIFY_WAIT: Final = timedelta(seconds=90)
#: Connecting the next epoch's groups, and the vote; the runtime's ``swap_s`` ends it first.
CUT_OVER_WAIT: Final = timedelta(seconds=150)
#: Between two looks at a swap that is given up and of which nothing has been heard yet.
ABORT_WAIT: Final = timedelta(seconds=60)
#: A loss whose takeover is not over after this has failed.
TAKE_OVER_WAIT: Final = timedelta(minutes=10)
#: Watching, when nobody has measured how long a step takes.
WATCH_WAIT: Final = timedelta(minutes=30)
#: Watching takes at most so many times what its steps should take.
WATCH_SLACK: Final = 10
#: But never less than this.
WATCH_WAIT_MIN: Final = timedelta(minutes=2)
#: A certificate that has not come this long after the last watched step counts as missing.
CERTIFICATE_WAIT: Final = timedelta(seconds=60)
#: A job's report that is older says nothing about the present.
REPORT_FRESH: Final = timedelta(seconds=30)
#: The driver looks at a waiting swap at least so often, whether told to or not.
LOOK_EVERY: Final = timedelta(seconds=5)
#: Looks in vain at a swap that is given up, while its agent is silent: a day of them.
ABORT_LOOKS_MAX: Final = 1440
#: Plans that are made for one proposal: facts that never settle must not keep people busy.
PLANS_MAX: Final = 20
#: Transitions that one call of the driver makes before it lets others have a turn.
STEPS_PER_CALL_MAX: Final = 16
#: Looks of a person's wish at a swap that the driver is just moving.
CLAIM_TRIES_MAX: Final = 5
#: Swaps that one run of the driver takes up.
SWAPS_PER_RUN_MAX: Final = 200
#: Events of a job that one run takes in.
EVENTS_PER_RUN_MAX: Final = 500
#: Loss points that a decision reads.
LOSS_POINTS_MAX: Final = 2_000

# ------------------------------------------------------------------------------------ blast radius

#: Planned swaps that are under way at once, in one job, one rack, and one tenant.
PER_JOB_MAX: Final = 1
PER_RACK_MAX: Final = 1
PER_TENANT_MAX: Final = 4

# --------------------------------------------------------------------------------------- stop-loss

#: So many failures of one rank with one cause ...
STOP_LOSS_FAILURES: Final = 3
#: ... within this time hold the rank: nothing more is proposed for it.
STOP_LOSS_WINDOW: Final = timedelta(hours=1)

# ----------------------------------------------------------------------------------------- watching

#: Committed steps for which validation loss is watched after the rank has changed hands.
WATCH_STEPS: Final = 10
#: How long training may stand still at the cut-over, as promised; ms.
PAUSE_BUDGET_MS: Final = 500

# -------------------------------------------------------------------------------------------- texts

#: Longest reason that a person can give, in characters.
REASON_LENGTH_MAX: Final = 1_000
#: Longest detail of a failure that is kept, in characters.
FAILURE_LENGTH_MAX: Final = 2_000
