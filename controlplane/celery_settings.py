"""Settings of Celery. Tasks only say that something is due: rows hold what is to be done."""

from django.conf import settings

broker_url = settings.REDIS_URL or "memory://"
broker_connection_retry_on_startup = True
# what must not wait behind the slow: swaps, agents, deadlines
task_default_queue = "prompt"
# what waits for others, or takes long
task_routes = {
    f"workers.{name}": {"queue": "slow"}
    for name in ("webhook_deliver_due", "webhook_deliver", "fleet_prune", "keys_prune")
}
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
# also the longest that a lost message can delay a step of a swap
SWAPS_EVERY_S = 1.0
POLICY_EVERY_S = 2.0
GRADES_EVERY_S = 2.0
PRUNE_EVERY_S = 60.0
KEYS_EVERY_S = 3600.0
# also the longest that a lost message can delay the start of a job, or of a replacement
JOBS_EVERY_S = 1.0
_EVERY_S = {
    "webhook_deliver_due": DELIVER_EVERY_S,
    "swaps_reconcile": SWAPS_EVERY_S,
    "policy_evaluate": POLICY_EVERY_S,
    "jobs_reconcile": JOBS_EVERY_S,
    "fleet_upkeep": GRADES_EVERY_S,
    "fleet_prune": PRUNE_EVERY_S,
    "keys_prune": KEYS_EVERY_S,
}
beat_schedule = {
    name: {"task": f"workers.{name}", "schedule": every_s, "options": {"expires": every_s}}
    for name, every_s in _EVERY_S.items()
}
