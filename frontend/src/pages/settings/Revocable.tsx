/** What signs in until it expires or somebody revokes it: its state, and the way to revoke it. */
import { Button } from "@mantine/core";

import { useNow } from "@/ui/now";
import type { TagTone } from "@/ui/Tag";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

interface RevocableStateProps {
  revokedAt: string | null;
  expiresAt: string | null;
  /** How much it matters that it has expired. */
  expired: TagTone;
}

export function RevocableState({ revokedAt, expiresAt, expired }: RevocableStateProps) {
  const now = useNow();
  if (revokedAt) return <Tag>Revoked</Tag>;
  if (expiresAt && Date.parse(expiresAt) <= now) return <Tag tone={expired}>Expired</Tag>;
  return <Tag tone="quiet">In force</Tag>;
}

interface RevokeCellProps {
  revokedAt: string | null;
  /** What it is called. */
  name: string;
  /** Without it, who looks may not revoke it. */
  revoke: (() => void) | null;
}

/** When it was revoked, or the button that does it. */
export const RevokeCell = ({ revokedAt, name, revoke }: RevokeCellProps) =>
  revokedAt ? (
    <Time at={revokedAt} />
  ) : (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Revoke ${name}`}
      disabled={revoke === null}
      onClick={() => revoke?.()}
    >
      Revoke
    </Button>
  );
