"""Whether something answers: ``probe.py http://host:port/path`` or ``probe.py tcp://host:port``."""  # noqa: INP001 - a script

import socket
import sys
import urllib.request
from urllib.parse import urlsplit

#: Longest wait for an answer, s.
ANSWER_S = 3.0


def main() -> int:
    """Return 0 if it answers."""
    parts = urlsplit(sys.argv[1])
    try:
        if parts.scheme == "tcp":
            socket.create_connection((parts.hostname, parts.port), timeout=ANSWER_S).close()
        else:
            urllib.request.urlopen(sys.argv[1], timeout=ANSWER_S).close()  # noqa: S310 - our own address
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
