import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { swapQuery } from "@/api/queries";
import type { Swap as Data } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { words } from "@/format/numbers";
import { ApprovalBox } from "@/parts/ApprovalBox";
import { JobLink, swapTitle } from "@/parts/links";
import { isOpen, SwapStateTag } from "@/parts/swapStates";
import { Banner } from "@/ui/Banner";
import { Panel } from "@/ui/Panel";
import { PhaseRail } from "@/ui/PhaseRail";
import { PageSkeleton } from "@/ui/States";
import { Tag } from "@/ui/Tag";

import { ActionsPanel } from "./ActionsPanel";
import { CertificatePanel } from "./CertificatePanel";
import { LogPanel } from "./LogPanel";
import { railOf } from "./phases";
import { PlanPanel } from "./PlanPanel";
import { RouteHead } from "./RouteHead";
import { SwapFigures } from "./SwapFigures";
import { WatchPanel } from "./WatchPanel";

export default function Swap() {
  const { id = "" } = useParams();
  const query = useQuery(swapQuery(id));
  return (
    <View what="This swap" page="Swap" query={query} loading={<PageSkeleton />}>
      {(swap) => <Loaded swap={swap} />}
    </View>
  );
}

const Head = ({ swap }: { swap: Data }) => (
  <PageHead
    title={swapTitle(swap)}
    parent={["Swaps", paths.swaps()]}
    id={swap.id}
    tags={
      <>
        <SwapStateTag state={swap.state} />
        <Tag>{words(swap.kind)}</Tag>
        <span className="ink2">
          <JobLink job={swap.job} />, rank {swap.rank}
        </span>
      </>
    }
  />
);

const Loaded = ({ swap }: { swap: Data }) => (
  <>
    <Head swap={swap} />
    {swap.failure ? (
      <Banner icon="warn" tone="loud">
        <span className="strong">{words(swap.failure.code)}.</span> {swap.failure.text}
      </Banner>
    ) : null}
    {swap.abort_reason ? (
      <Banner icon="info">
        <span className="strong">Given up.</span> {swap.abort_reason}
      </Banner>
    ) : null}
    <RouteHead swap={swap} />
    <Panel title="Phases" flush aside={isOpen(swap.state) ? swap.waiting_for : null}>
      <PhaseRail steps={railOf(swap)} />
    </Panel>
    <SwapFigures swap={swap} />
    <div className="split">
      <div className="stack">
        <WatchPanel swap={swap} />
        <PlanPanel swap={swap} />
        <LogPanel swap={swap} />
      </div>
      <div className="stack">
        {swap.approval ? <ApprovalBox id={swap.approval} /> : null}
        <ActionsPanel swap={swap} />
        <CertificatePanel swap={swap} />
      </div>
    </div>
  </>
);
