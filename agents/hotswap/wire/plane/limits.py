"""Names and sizes that agent and plane agree on."""

from typing import Annotated, Final

import msgspec

ENROL_PATH: Final = "/agent/v1/enrol"
REPORT_PATH: Final = "/agent/v1/report"
RENEW_PATH: Final = "/agent/v1/renew"
#: Certificate of the authority in PEM, for anyone: a node that was given its digest checks that
#: before it trusts it.
AUTHORITY_PATH: Final = "/agent/v1/authority"

#: Longest time for which the plane holds back an answer that has no command in it, s.
WAIT_S_MAX: Final = 10.0
#: One report in JSON; an agent splits what would be more, the plane refuses it.
REPORT_NBYTES_MAX: Final = 4 << 20
#: Notices of one job in one report.
NOTICES_PER_REPORT_MAX: Final = 500
#: Commands in one answer; the rest comes with the next.
COMMANDS_PER_ANSWER_MAX: Final = 64

#: A name or an id.
Name = Annotated[str, msgspec.Meta(max_length=200)]
#: A sentence for people.
Text = Annotated[str, msgspec.Meta(max_length=4_000)]
#: A file's path.
FilePath = Annotated[str, msgspec.Meta(max_length=4_096)]
#: Something that is counted.
Natural = Annotated[int, msgspec.Meta(ge=0)]
#: Wall clock, ISO 8601 with offset.
Instant = Annotated[str, msgspec.Meta(max_length=40)]
