"""Settings of the tests: one process, no broker, passwords that are quick to check."""

import os

os.environ.setdefault("HOTSWAP_DEVELOPMENT", "1")

from controlplane.settings import *  # noqa: F403 - everything else as it is

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
