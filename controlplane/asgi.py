"""The process for browsers and programs: REST, live view, front end."""

import os

import django
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
django.setup()

# only now can apps be imported
from controlplane.handler import ThreadHandler  # noqa: E402 - as said above
from controlplane.memory import settle  # noqa: E402 - as said above
from controlplane.routing import websocket_urlpatterns  # noqa: E402 - as said above

application = ProtocolTypeRouter(
    {
        "http": ThreadHandler(),
        "websocket": AllowedHostsOriginValidator(URLRouter(websocket_urlpatterns)),
    }
)
settle()
