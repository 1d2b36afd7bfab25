/** The brake: stops new planned swaps of the tenant, never a recovery. */
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { brakeSet } from "@/api/commands";
import { brakeQuery } from "@/api/queries";
import type { Brake } from "@/api/types";
import { useSession } from "@/app/session";
import { Banner } from "@/ui/Banner";
import { ReasonDialog } from "@/ui/ReasonDialog";
import { Time } from "@/ui/Time";

export function BrakeBar() {
  const { tenant, may } = useSession();
  const { data } = useQuery(brakeQuery(tenant.id));
  const [open, setOpen] = useState(false);
  if (!data) return null;
  const label = data.engaged ? "Release the brake" : "Pull the brake";
  return (
    <>
      <Banner
        icon={data.engaged ? "warn" : "info"}
        tone={data.engaged ? "loud" : "plain"}
        action={
          <Button
            size="xs"
            variant="default"
            disabled={!may("operator")}
            title={may("operator") ? undefined : "Needs the role operator"}
            onClick={() => setOpen(true)}
          >
            {label}
          </Button>
        }
      >
        <BrakeWords brake={data} />
      </Banner>
      {open ? <BrakeDialog tenant={tenant.id} engaged={!data.engaged} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function BrakeWords({ brake }: { brake: Brake }) {
  if (!brake.engaged) return <span className="ink2">New planned swaps may begin. Recoveries always may.</span>;
  return (
    <>
      <span className="strong">The brake is on: no new planned swap begins.</span> Recoveries still do.{" "}
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
  return (
    <ReasonDialog
      opened
      onClose={onClose}
      title={engaged ? "Pull the brake" : "Release the brake"}
      effect={
        engaged
          ? "No new planned swap of this tenant begins. Those under way go on, and a lost rank is still recovered."
          : "Planned swaps of this tenant may begin again."
      }
      confirm={engaged ? "Pull the brake" : "Release the brake"}
      busy={change.isPending}
      error={change.error?.message ?? null}
      onConfirm={(reason) => change.mutate(reason)}
    />
  );
}
