"""The Celery application of the workers."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")

app = Celery("hotswap")
app.config_from_object("controlplane.celery_settings")
app.autodiscover_tasks(["workers"])
