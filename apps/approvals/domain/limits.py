"""Every named wait and size of an approval."""

from typing import Final

#: Longest reason that goes with a decision, in characters.
REASON_LENGTH_MAX: Final = 1_000
#: Longest paragraph that says what is asked, in characters.
SUMMARY_LENGTH_MAX: Final = 2_000
#: People that are named as those who could decide.
WHO_COULD_MAX: Final = 50
#: Requests that expire in one run.
EXPIRED_PER_RUN_MAX: Final = 200
