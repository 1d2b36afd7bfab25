"""An agent's certificate is renewed long before it ends, over the connection that shows it.

A new key is made, the plane signs it, both take the place of those before in one write, and are
used from then on. Whoever is killed at any point has a credential that is good: the plane refuses
the one before only when the next one has been used.
"""

from datetime import datetime, timedelta

import structlog
from cryptography import x509

from hotswap.errors import EnrolmentRefused, PlaneMessageMalformed, PlaneUnreachable
from hotswap.node.agent.credentials import (
    belongs_to_key,
    keep_credential,
    mutual,
    new_key,
    read_certificate,
    request_certificate,
)
from hotswap.node.agent.enrol import expired_text
from hotswap.node.agent.inventory import hotswap_version
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.pauses import Pauses
from hotswap.node.agent.plane_client import PlaneClient
from hotswap.node.agent.state_directory import StateDirectory
from hotswap.wire.plane import Renewal

_log = structlog.get_logger()


def renewal_due(certificate: x509.Certificate, *, limits: AgentLimits, chance: float) -> datetime:
    """Return when a certificate is renewed; ``chance``, from 0 to 1, spreads it over the agents."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    share = limits.renew_share + chance * limits.renew_jitter_share
    return begins + min(share, 1.0) * (ends - begins)


class Renewer:
    """Renews the certificate of one agent, as long as ``look`` is called when it says so."""

    def __init__(
        self,
        state: StateDirectory,
        *,
        node: str,
        client: PlaneClient,
        limits: AgentLimits,
        chance: float,
    ) -> None:
        """Renew what is in ``state``; see `renewal_due` for ``chance``."""
        self._state = state
        self._node = node
        self._client = client
        self._limits = limits
        self._chance = chance
        self._certificate = read_certificate(state)
        self._pauses = Pauses(first_s=limits.renew_retry_s, longest_s=limits.renew_retry_s_max)

    async def look(self, *, now: datetime) -> float:
        """Renew the certificate if it is time; return the time until the next look, s."""
        expires_at = self._certificate.not_valid_after_utc
        if expires_at <= now:
            text = expired_text(node=self._node, expires_at=expires_at)
            _log.error("certificate_expired", node=self._node, detail=text)
            return self._limits.renew_retry_s_max
        due = renewal_due(self._certificate, limits=self._limits, chance=self._chance)
        if now >= due:
            try:
                await self._renew()
            except (EnrolmentRefused, PlaneMessageMalformed, PlaneUnreachable, OSError) as error:
                return self._failed(error, left=expires_at - now)
            self._pauses.reset()
            due = renewal_due(self._certificate, limits=self._limits, chance=self._chance)
        # not at once, however short a certificate is valid; and not too long, as clocks are set
        wait_s = max((due - now).total_seconds(), self._limits.renew_retry_s)
        return min(wait_s, self._limits.renew_look_s)

    async def _renew(self) -> None:
        key = new_key()
        csr_pem = request_certificate(key, node=self._node)
        renewed = await self._client.renew(Renewal(csr_pem=csr_pem, version=hotswap_version()))
        if not belongs_to_key(renewed.certificate_pem, key):
            raise EnrolmentRefused("the plane has signed another key than this node's")
        keep_credential(self._state, key_pem=key, certificate_pem=renewed.certificate_pem)
        self._certificate = read_certificate(self._state)
        await self._client.use(mutual(self._state))
        expires_at = self._certificate.not_valid_after_utc.isoformat()
        _log.info("certificate_renewed", node=self._node, expires_at=expires_at)

    def _failed(self, error: Exception, *, left: timedelta) -> float:
        """Say that a renewal has failed; return how long to wait, and never beyond the end."""
        pause_s = min(self._pauses.next_s(), max(left.total_seconds(), 0.0))
        say = (
            _log.error if self._pauses.failures > self._limits.renew_failures_max else _log.warning
        )
        say(
            "certificate_not_renewed",
            node=self._node,
            failures=self._pauses.failures,
            left_s=left.total_seconds(),
            again_in_s=pause_s,
            detail=str(error),
        )
        return pause_s
