"""Logs of processes that no person watches: one JSON object a line, on standard error."""

import sys

import structlog


def log_as_json() -> None:
    """Log so from now on; called once, by what a process starts with."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )
