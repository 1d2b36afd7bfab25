"""Named waits and sizes of the gateway."""

from typing import Final

#: Time between two reports that an agent is told to keep, s.
REPORT_EVERY_S: Final = 1.0
#: Reports that wait to be taken in; beyond that agents are asked to come again.
QUEUE_MAX: Final = 4_000
#: Reports that one pass over the database takes in.
BATCH_MAX: Final = 500
#: A pass begins so long after the first report that waits for it: it then holds more, s.
LINGER_S: Final = 0.01
#: While passes hold at least this many reports, the next one waits longer: a large pass costs less.
BUSY_REPORTS: Final = 20
LINGER_BUSY_S: Final = 0.04
#: What an agent is told to wait when the queue is full, s.
RETRY_AFTER_S: Final = 2
#: Between two looks for commands while nobody rings (no Redis, or it is away), s.
LOOK_EVERY_S: Final = 0.25
#: And while the bell works: only what it has missed, s.
LOOK_ANYWAY_S: Final = 2.0
#: Shortest time between two looks, however often it rings, s.
LOOK_GAP_S: Final = 0.02
#: Before Redis is tried again, s.
RECONNECT_S: Final = 1.0
#: A command that has left, and of which nothing is heard, leaves again after this, s.
SEND_AGAIN_S: Final = 5.0
#: Waits for commands at a time in one process.
WAITERS_MAX: Final = 20_000
#: Largest request to enrol or to renew, bytes.
ENROL_NBYTES_MAX: Final = 64 * 1024
#: Keys that wait to be signed; anybody can ask for an enrolment, and renewals can wait.
SIGNING_MAX: Final = 16
