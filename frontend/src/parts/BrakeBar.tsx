/** The brake: stops new planned swaps of the tenant, never a recovery. */
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";

import { brakeSet } from "@/api/commands";
import { brakeQuery } from "@/api/queries";
import type { Brake } from "@/api/types";
import { useSession } from "@/app/session";
import { Banner } from "@/ui/Banner";
import { ReasonDialog } from "@/ui/ReasonDialog";
import { Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";

export function BrakeBar() {
  const { tenant } = useSession();
  const { data, error, refetch } = useQuery(brakeQuery(tenant.id));
  if (data) return <Known brake={data} />;
  // the line keeps its place while it is read, so that the list below does not jump
  return (
    <Banner
      icon="info"
      action={
        error ? (
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        ) : null
      }
    >
      {error ? (
        <>
          <Unknown>unknown</Unknown> Whether the brake is on could not be read: {error.message}
        </>
      ) : (
        <span className="dim">Reading whether the brake is on</span>
      )}
    </Banner>
  );
}

function Known({ brake }: { brake: Brake }) {
  const { tenant, may } = useSession();
  const [open, setOpen] = useState(false);
  const note = useId();
  const allowed = may("operator");
  return (
    <>
      <Banner
        icon={brake.engaged ? "warn" : "info"}
        tone={brake.engaged ? "loud" : "plain"}
        action={
          <Button size="xs" variant="default" disabled={!allowed} aria-describedby={allowed ? undefined : note} onClick={() => setOpen(true)}>
            {brake.engaged ? "Release the brake" : "Pull the brake"}
          </Button>
        }
      >
        <BrakeWords brake={brake} /> {allowed ? null : <span id={note}>Changing it needs the role operator.</span>}
      </Banner>
      {open ? <BrakeDialog tenant={tenant.id} engaged={!brake.engaged} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function BrakeWords({ brake }: { brake: Brake }) {
  if (!brake.engaged) {
    return <span className="ink2">The brake is off: planned swaps may begin. A lost rank is recovered in any case.</span>;
  }
  return (
    <>
      <span className="strong">The brake is on: no planned swap begins.</span> A lost rank is still recovered.{" "}
      {brake.engaged_by ? `${brake.engaged_by.name}: ` : ""}
      {brake.reason} {brake.at ? <Time at={brake.at} /> : null}
    </>
  );
}

interface BrakeDialogProps {
  tenant: string;
  engaged: boolean;
  onClose: () => void;
}

function BrakeDialog({ tenant, engaged, onClose }: BrakeDialogProps) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (reason: string) => brakeSet(tenant, engaged, reason),
    onSuccess: (brake) => {
      client.setQueryData(brakeQuery(tenant).queryKey, brake);
      onClose();
    },
  });
  const label = engaged ? "Pull the brake" : "Release the brake";
  return (
    <ReasonDialog
      onClose={onClose}
      title={label}
      effect={
        engaged
          ? "No planned swap of this tenant begins until somebody releases the brake. Those under way go on, and a lost rank is still recovered."
          : "Planned swaps of this tenant may begin again."
      }
      confirm={label}
      busy={change.isPending}
      error={change.error?.message ?? null}
      onConfirm={(reason) => change.mutate(reason)}
    />
  );
}
