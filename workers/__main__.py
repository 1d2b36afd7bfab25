"""Starts a worker process that is no Celery worker: ``python -m workers relay``."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
django.setup()

# only now can apps be imported
from workers.relay_process import main  # noqa: E402 - as said above

if __name__ == "__main__":
    if sys.argv[1:] != ["relay"]:
        sys.exit("usage: python -m workers relay")
    main()
