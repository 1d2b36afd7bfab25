import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";

import { approvalQuery } from "@/api/queries";
import type { ApprovalDetail } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { pathOf, paths } from "@/app/paths";
import { View } from "@/app/View";
import { words } from "@/format/numbers";
import { ApprovalBox } from "@/parts/ApprovalBox";
import { ApprovalStateTag } from "@/parts/DecidedFacts";
import { CopyId } from "@/ui/CopyId";
import { Facts, Panel } from "@/ui/Panel";
import { PageSkeleton } from "@/ui/States";
import { Unknown } from "@/ui/Tag";

import { Evidence, Texts } from "./Evidence";

export default function Approval() {
  const { id = "" } = useParams();
  const query = useQuery(approvalQuery(id));
  return (
    <View what="This approval" page="Approval" query={query} loading={<PageSkeleton />}>
      {(approval) => <Loaded approval={approval} />}
    </View>
  );
}

function Loaded({ approval }: { approval: ApprovalDetail }) {
  const subject = pathOf(approval.subject_kind, approval.subject_id);
  return (
    <>
      <PageHead
        title={`Approval of a ${approval.subject_kind}`}
        parent={["Approvals", paths.approvals()]}
        id={approval.id}
        tags={<ApprovalStateTag state={approval.state} />}
      />
      <div className="split">
        <div className="stack">
          <Panel
            title="What is asked"
            aside={
              subject ? (
                <Link className="link" to={subject}>
                  Open the {approval.subject_kind}
                </Link>
              ) : null
            }
          >
            <p>{approval.summary}</p>
          </Panel>
          <Risks approval={approval} />
          <Evidence document={approval.document} />
        </div>
        <div className="stack">
          <ApprovalBox id={approval.id} linked={false} />
          <Panel title="Bound to">
            <Facts
              items={[
                ["Plan", <CopyId key="plan" value={approval.plan_digest} label="plan digest" />],
                ["Evidence", <CopyId key="evidence" value={approval.evidence_digest} label="evidence digest" />],
              ]}
            />
            <p className="dim small" style={{ marginTop: 8 }}>
              If the plan or its evidence changes, this request is void and a new one is opened.
            </p>
          </Panel>
        </div>
      </div>
    </>
  );
}

const textOf = (document: Record<string, unknown>, name: string): string | null => {
  const value = document[name];
  return typeof value === "string" && value !== "" ? value : null;
};

/** The two risks that are weighed; what nobody worked out is said to be unknown. */
const Risks = ({ approval }: { approval: ApprovalDetail }) => (
  <Panel title="Risk">
    <Texts
      items={(["risk_of_doing", "risk_of_not_doing"] as const).map(
        (name) => [words(name), textOf(approval.document, name) ?? <Unknown key={name}>not worked out</Unknown>] as const,
      )}
    />
  </Panel>
);
