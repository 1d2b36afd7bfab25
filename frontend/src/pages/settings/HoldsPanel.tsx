/** Ranks that are held after planned swaps of them failed again and again. */
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { holdRelease } from "@/api/commands";
import { holdsQuery } from "@/api/queries";
import type { Hold } from "@/api/types";
import { useSession } from "@/app/session";
import { View } from "@/app/View";
import { words } from "@/format/numbers";
import { JobLink } from "@/parts/links";
import { DataTable } from "@/ui/DataTable";
import { ConfirmDialog } from "@/ui/Dialog";
import { Panel } from "@/ui/Panel";
import { Empty } from "@/ui/States";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

const columnsOf = (may: boolean, release: (hold: Hold) => void): readonly Column<Hold>[] => [
  { id: "job", header: "Job", cell: (hold) => <JobLink job={hold.job} /> },
  { id: "rank", header: "Rank", align: "right", cell: (hold) => hold.rank },
  { id: "cause", header: "What failed", cell: (hold) => words(hold.cause) },
  { id: "since", header: "Held since", cell: (hold) => <Time at={hold.created_at} /> },
  {
    id: "release",
    header: "Action",
    align: "right",
    cell: (hold) => (
      <Button size="compact-xs" variant="default" disabled={!may} aria-label={`Release rank ${hold.rank} of ${hold.job.name}`} onClick={() => release(hold)}>
        Release
      </Button>
    ),
  },
];

export function HoldsPanel() {
  const { tenant, may } = useSession();
  const query = useQuery(holdsQuery(tenant.id));
  const [chosen, setChosen] = useState<Hold | null>(null);
  const allowed = may("operator");
  return (
    <Panel title="Held ranks" flush aside={allowed ? null : "Releasing needs the role operator."}>
      <View what="The held ranks" query={query}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No rank is held">
              After three planned swaps of a rank have failed for one cause within an hour, nothing more is proposed for it
              until somebody has looked and releases it here.
            </Empty>
          ) : (
            <DataTable label="Held ranks" rows={results} columns={columnsOf(allowed, setChosen)} rowKey={(hold) => hold.id} />
          )
        }
      </View>
      {chosen ? <ReleaseDialog hold={chosen} tenant={tenant.id} onClose={() => setChosen(null)} /> : null}
    </Panel>
  );
}

interface ReleaseDialogProps {
  hold: Hold;
  tenant: string;
  onClose: () => void;
}

function ReleaseDialog({ hold, tenant, onClose }: ReleaseDialogProps) {
  const client = useQueryClient();
  const release = useMutation({
    mutationFn: () => holdRelease(hold.id),
    onSuccess: async () => {
      await client.invalidateQueries(holdsQuery(tenant));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Release rank ${hold.rank} of ${hold.job.name}`}
      effect={`Planned swaps of this rank may be proposed again, and the failures so far (${words(hold.cause).toLowerCase()}) count no more. The audit keeps that you did it.`}
      confirm="Release the rank"
      busy={release.isPending}
      error={release.error?.message ?? null}
      onConfirm={() => release.mutate()}
      onClose={onClose}
    />
  );
}
