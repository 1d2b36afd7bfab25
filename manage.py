#!/usr/bin/env python3
"""Administration of the control plane: `manage.py help` lists the commands."""

import os
import sys

from django.core.management import execute_from_command_line

from controlplane.environment import SettingsInvalid

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
    try:
        execute_from_command_line(sys.argv)
    except SettingsInvalid as error:
        sys.exit(str(error))
