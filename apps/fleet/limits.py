"""Every named wait and size of this app that is no one else's."""

from typing import Final

# a report says nothing about now when it is older, unless its agent reports more seldom
STALE_AFTER_S: Final = 15.0
# samples are kept for charts for so long
SAMPLES_KEPT_S: Final = 2 * 60 * 60.0
# a chart shows so long if it is not told otherwise
CHART_S: Final = 15 * 60.0
# samples that one statement deletes
SAMPLES_PRUNED_MAX: Final = 5_000
# statements of one call that deletes samples
PRUNE_ROUNDS_MAX: Final = 20
# reports that one call takes in
REPORTS_MAX: Final = 2_000
# greatest number of a report: what the database holds
SEQUENCE_MAX: Final = 2**63 - 1
# devices of one node, and their greatest number
DEVICES_MAX: Final = 256
# grades that one call lets go stale
GRADES_EXPIRED_MAX: Final = 1_000
# spares that one reservation tries before it gives up
RESERVE_TRIES_MAX: Final = 16
# length of a reason
REASON_LENGTH_MAX: Final = 500
# rows of an exported list
EXPORT_ROWS_MAX: Final = 20_000
# samples that one chart reads
CHART_SAMPLES_MAX: Final = 20_000
