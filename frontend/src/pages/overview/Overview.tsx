import { useQuery } from "@tanstack/react-query";

import { overviewQuery } from "@/api/queries";
import type { Overview as Data } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { useSession } from "@/app/session";
import { View } from "@/app/View";
import { PageSkeleton } from "@/ui/States";

import { Attention } from "./Attention";
import { JobsPanel } from "./JobsPanel";
import { FleetPanel, PausePanel, SwapsPanel } from "./SidePanels";

/** Silence is no change that the live connection tells of, so that it is asked for this often. */
const SILENCE_LOOK_MS = 15_000;

export default function Overview() {
  const { tenant } = useSession();
  const query = useQuery({ ...overviewQuery(tenant.id), refetchInterval: SILENCE_LOOK_MS });
  return (
    <>
      <PageHead title="Overview" />
      <View what="The overview" query={query} loading={<PageSkeleton titled />}>
        {(data) => <Loaded data={data} />}
      </View>
    </>
  );
}

const Loaded = ({ data }: { data: Data }) => (
  <>
    <Attention data={data} />
    <div className="split">
      <div className="stack">
        <JobsPanel jobs={data.jobs} />
        <SwapsPanel swaps={data.swaps_open} />
      </div>
      <div className="stack">
        <FleetPanel counts={data.nodes_by_grade} spares={data.spares} />
        <PausePanel swap={data.last_swap} />
      </div>
    </div>
  </>
);
