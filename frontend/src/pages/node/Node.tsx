import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { nodeQuery } from "@/api/queries";
import type { NodeDetail } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { words } from "@/format/numbers";
import { Banner } from "@/ui/Banner";
import { GradeMark } from "@/ui/Grade";
import { PageSkeleton } from "@/ui/States";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import { Contributions } from "./Contributions";
import { Devices, Firmware, NodeHistory, Placement, SwapHistory } from "./NodePanels";
import { NodeActions } from "./NodeActions";
import { SignalsPanel } from "./SignalsPanel";

export default function Node() {
  const { id = "" } = useParams();
  const query = useQuery(nodeQuery(id));
  return (
    <View what="This node" page="Node" query={query} loading={<PageSkeleton />}>
      {(node) => <Loaded node={node} />}
    </View>
  );
}

const Tags = ({ node }: { node: NodeDetail }) => (
  <>
    <GradeMark grade={node.grade} stale={node.stale} />
    <Tag tone={node.state === "active" ? "quiet" : "plain"}>{words(node.state)}</Tag>
    {node.is_spare ? <Tag>{node.reserved_for ? "Spare, reserved" : "Spare"}</Tag> : null}
    {node.source === "simulated" ? <Tag tone="hatched">Simulated signals</Tag> : null}
  </>
);

const Loaded = ({ node }: { node: NodeDetail }) => (
  <>
    <PageHead
      title={node.name}
      parent={["Fleet", paths.fleet()]}
      id={node.id}
      tags={<Tags node={node} />}
      actions={<NodeActions node={node} />}
    />
    {node.stale ? (
      <Banner icon="clock" tone="stale">
        <span className="strong">No report in time.</span> The last one came <Time at={node.reported_at} />; what stands
        below is from then, and the grade counts as unknown.
      </Banner>
    ) : null}
    <div className="split">
      <div className="stack">
        <Contributions node={node} />
        <SignalsPanel node={node} />
        <SwapHistory node={node} />
        <NodeHistory node={node} />
      </div>
      <div className="stack">
        <Placement node={node} />
        <Devices node={node} />
        <Firmware node={node} />
      </div>
    </div>
  </>
);
