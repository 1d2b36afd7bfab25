"""What agents talk to: enrolment, reports, commands. It translates, and decides nothing."""
