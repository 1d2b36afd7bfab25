"""Django's settings, made of the environment. What they mean: docs/reference/settings.md."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url

from controlplane.environment import read

ENVIRONMENT = read(os.environ)

# ------------------------------------------------------------------------------------------- core

SECRET_KEY = ENVIRONMENT.secret_key
DEBUG = False
ALLOWED_HOSTS = list(ENVIRONMENT.hosts)
ROOT_URLCONF = "controlplane.urls"
ASGI_APPLICATION = "controlplane.asgi.application"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# a fleet of 10,000 nodes as text, and room for a report
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django_linear_migrations",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "controlplane",
    "apps.core",
    "apps.accounts",
    "apps.audit",
    "apps.fleet",
    "apps.jobs",
    "apps.approvals",
    "apps.swaps",
    "apps.webhooks",
    "apps.live",
    "apps.gateway",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "controlplane.middleware.measured",
    "controlplane.middleware.security_headers",
    "controlplane.middleware.listener",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES: list[dict[str, Any]] = []

# --------------------------------------------------------------------------------------- database

SQLITE_BUSY_S = 20
POSTGRES_CONNECTION_AGE_S = 60
DATABASES: dict[str, Any] = {"default": dj_database_url.parse(ENVIRONMENT.database_url)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    DATABASES["default"]["OPTIONS"] = {
        # a writer takes its lock when it begins, so that none fails half-way
        "transaction_mode": "IMMEDIATE",
        "timeout": SQLITE_BUSY_S,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
    }
else:
    DATABASES["default"].setdefault("OPTIONS", {})
    DATABASES["default"]["CONN_MAX_AGE"] = POSTGRES_CONNECTION_AGE_S
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

# ------------------------------------------------------------------- broker, channel layer, cache

REDIS_URL = ENVIRONMENT.redis_url
# tells the relay that something waits
OUTBOX_BELL = "controlplane.bell.ring"
OUTBOX_CHANNEL = "hotswap:outbox"
# the Celery application, for workers that send tasks and are none of its own
CELERY_APP = "controlplane.celery.app"
# answers which ranks nodes hold: jobs stand above the fleet
FLEET_OCCUPANCY = "apps.jobs.selectors.members.ranks_held"
# messages that wait for one socket; a slower one is dropped
CHANNEL_CAPACITY = 200
CHANNEL_LAYERS: dict[str, Any]
CACHES: dict[str, Any]
if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL], "capacity": CHANNEL_CAPACITY},
        }
    }
    CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    }
else:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels.layers.InMemoryChannelLayer",
            "CONFIG": {"capacity": CHANNEL_CAPACITY},
        }
    }
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# --------------------------------------------------------------------------------------- accounts

AUTH_USER_MODEL = "accounts.User"
PASSWORD_LENGTH_MIN = 12
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": PASSWORD_LENGTH_MIN},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "controlplane.views.csrf_refused"
HOTSWAP_AUTHORITY_DIR = ENVIRONMENT.authority_dir
HOTSWAP_CERTIFICATE_VALID = timedelta(days=ENVIRONMENT.certificate_days)
HOTSWAP_AUDIT_KEY = ENVIRONMENT.audit_key
HOTSWAP_WEBHOOK_PRIVATE = ENVIRONMENT.webhook_private
HOTSWAP_METRICS_TOKEN = ENVIRONMENT.metrics_token

# --------------------------------------------------------------------------------------- security

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
HSTS_AGE_S = 365 * 24 * 60 * 60
if ENVIRONMENT.tls:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # probes come to the process itself, past the proxy
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$", r"^agent/"]
    SECURE_HSTS_SECONDS = HSTS_AGE_S
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    CSRF_TRUSTED_ORIGINS = [f"https://{name}" for name in ENVIRONMENT.hosts]

# ------------------------------------------------------------------------------------------ files

FRONTEND_DIR = ENVIRONMENT.frontend_dir

# -------------------------------------------------------------------------------------------- API

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.authentication.TokenAuthentication",
        "apps.accounts.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.core.permissions.MayAsk"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "controlplane.schema.PlaneSchema",
    "DEFAULT_THROTTLE_CLASSES": ["apps.core.throttling.ActorThrottle"],
    "DEFAULT_THROTTLE_RATES": {"actor": "6000/min", "anonymous": "120/min", "login": "10/min"},
    "EXCEPTION_HANDLER": "apps.core.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Hotswap control plane",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "controlplane.schema.problems_added",
    ],
    # where two apps use one word for different things
    "ENUM_NAME_OVERRIDES": {
        "NodeStateEnum": ["active", "draining", "quarantined", "maintenance", "retired"],
        "SignalKindEnum": ["gauge", "counter"],
    },
}

# ------------------------------------------------------------------------------------------- logs

# structlog says what happens; of Django's own only what is wrong reaches the terminal
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"terminal": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["terminal"], "level": "WARNING"},
}
