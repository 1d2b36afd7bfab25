"""What a process without a terminal logs is for programs."""

import json
import subprocess
import sys

WARNS = """
import structlog
from hotswap.logs import log_as_json
log_as_json()
structlog.get_logger().warning("bind_failed", epoch=3)
"""


def test_each_line_on_standard_error_is_one_json_object() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WARNS], capture_output=True, text=True, timeout=30, check=True
    )
    (line,) = done.stderr.splitlines()
    logged = json.loads(line)
    assert (logged["event"], logged["level"], logged["epoch"]) == ("bind_failed", "warning", 3)
    assert logged["timestamp"].endswith("Z")
    assert done.stdout == ""
