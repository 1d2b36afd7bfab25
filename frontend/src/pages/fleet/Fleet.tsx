import { useQuery } from "@tanstack/react-query";

import { address } from "@/api/client";
import { clustersQuery, layoutQuery, nodesQuery } from "@/api/queries";
import type { Cluster } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { View } from "@/app/View";
import { words } from "@/format/numbers";
import { Choice, ListView, TextFilter } from "@/parts/ListView";
import { GRADES } from "@/ui/Grade";
import { Empty, PageSkeleton } from "@/ui/States";

import { COLUMNS } from "./columns";
import styles from "./fleet.module.css";
import { Standing } from "./Racks";

const GRADE_OPTIONS = GRADES.map((grade) => [grade, words(grade)] as const);

const STATE_OPTIONS = ["active", "draining", "quarantined", "maintenance", "retired"].map(
  (state) => [state, words(state)] as const,
);

const SPARE_OPTIONS = [
  ["true", "Spares"],
  ["false", "Not spares"],
] as const;

const NoNodes = () => (
  <Empty title="No node is here">
    Import a fleet with POST /api/v1/fleet/import, or enrol a node: <span className="mono">hotswap agent</span> with a
    one-time token.
  </Empty>
);

export default function Fleet() {
  const { tenant } = useSession();
  const clusters = useQuery(clustersQuery(tenant.id));
  return (
    <View
      what="The clusters"
      page="Fleet"
      query={clusters}
      loading={
        <>
          <PageHead title="Fleet" />
          <PageSkeleton titled />
        </>
      }
    >
      {(page) => {
        const first = page.results[0];
        return first ? <Clusters clusters={page.results} first={first} /> : <Blank />;
      }}
    </View>
  );
}

const Blank = () => (
  <>
    <PageHead title="Fleet" />
    <NoNodes />
  </>
);

function Clusters({ clusters, first }: { clusters: readonly Cluster[]; first: Cluster }) {
  const { values, set } = useAddress(["cluster", "view"]);
  const cluster = clusters.find(({ id }) => id === values.cluster) ?? first;
  const listed = values.view === "list";
  return (
    <>
      <PageHead
        title="Fleet"
        actions={
          <>
            {clusters.length > 1 ? (
              <select
                className={styles.select}
                aria-label="Cluster"
                value={cluster.id}
                onChange={(event) => set("cluster", event.currentTarget.value)}
              >
                {clusters.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            ) : null}
            <div className={styles.toggle} role="group" aria-label="Shown as">
              <button type="button" aria-pressed={!listed} onClick={() => set("view", "")}>
                Racks
              </button>
              <button type="button" aria-pressed={listed} onClick={() => set("view", "list")}>
                List
              </button>
            </div>
          </>
        }
      />
      {listed ? <NodeList cluster={cluster} /> : <RackView cluster={cluster} />}
    </>
  );
}

function RackView({ cluster }: { cluster: Cluster }) {
  const { tenant } = useSession();
  const layout = useQuery(layoutQuery(cluster.id, tenant.id));
  return (
    <View what="The layout" query={layout} loading={<PageSkeleton titled />}>
      {(data) => (data.racks.every((rack) => rack.nodes.length === 0) ? <NoNodes /> : <Standing layout={data} />)}
    </View>
  );
}

function NodeList({ cluster }: { cluster: Cluster }) {
  const { tenant } = useSession();
  const { values, set } = useAddress(["grade", "state", "spare", "search", "sort"]);
  const { sort, ...filters } = values;
  const asked = { ...filters, cluster: cluster.id, tenant: tenant.id };
  return (
    <ListView
      what="Nodes"
      options={nodesQuery(asked)}
      exportAt={address("/nodes/export", "", { ...asked, format: "csv" })}
      columns={COLUMNS}
      sort={sort ?? ""}
      onSort={(next) => set("sort", next)}
      empty={<NoNodes />}
      filters={
        <>
          <TextFilter label="Name contains" value={values.search} onChange={(value) => set("search", value)} />
          <Choice label="Grade" value={values.grade} options={GRADE_OPTIONS} onChange={(value) => set("grade", value)} />
          <Choice label="State" value={values.state} options={STATE_OPTIONS} onChange={(value) => set("state", value)} />
          <Choice label="Spares" value={values.spare} options={SPARE_OPTIONS} onChange={(value) => set("spare", value)} />
        </>
      }
    />
  );
}
