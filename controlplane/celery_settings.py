"""Settings of Celery. Tasks only say that something is due: rows hold what is to be done."""

from django.conf import settings

broker_url = settings.REDIS_URL or "memory://"
broker_connection_retry_on_startup = True
# of tasks that are sent by name; see workers.base
task_default_queue = "prompt"
# results are rows of ours
task_ignore_result = True
task_serializer = "json"
accept_content = ["json"]
# a worker that dies gives its task back
task_acks_late = True
task_reject_on_worker_lost = True
worker_prefetch_multiplier = 1
task_soft_time_limit = 60
task_time_limit = 90
enable_utc = True
timezone = "UTC"
# our own logs stay as they are
worker_hijack_root_logger = False

# what has to happen though nobody was woken; a look that was not taken in time is dropped
DELIVER_EVERY_S = 5.0
beat_schedule = {
    "webhook_deliver_due": {
        "task": "workers.webhook_deliver_due",
        "schedule": DELIVER_EVERY_S,
        "options": {"expires": DELIVER_EVERY_S},
    },
}
