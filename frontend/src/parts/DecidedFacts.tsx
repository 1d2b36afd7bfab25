/** Decided and executed are two facts, each with its own time. */
import type { Approval, ApprovalState } from "@/api/types";
import { Facts } from "@/ui/Panel";
import type { TagTone } from "@/ui/Tag";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

const LOOKS: Readonly<Record<ApprovalState, readonly [TagTone, string]>> = {
  pending: ["active", "Waiting for a decision"],
  approved: ["quiet", "Approved"],
  refused: ["plain", "Refused"],
  expired: ["plain", "Expired"],
  void: ["plain", "Void: the plan changed"],
};

export function ApprovalStateTag({ state }: { state: ApprovalState }) {
  const [tone, label] = LOOKS[state];
  return (
    <Tag tone={tone} {...(state === "approved" ? { icon: "check" as const } : {})}>
      {label}
    </Tag>
  );
}

function executed(approval: Approval) {
  if (approval.executed_at) return <Time at={approval.executed_at} />;
  if (approval.state === "approved") return <span className="strong">not yet</span>;
  return <span className="dim">{approval.state === "pending" ? "not before a decision" : "will not be"}</span>;
}

export function DecidedFacts({ approval }: { approval: Approval }) {
  return (
    <Facts
      items={[
        ["Decided", <ApprovalStateTag key="state" state={approval.state} />],
        ...(approval.decided_by
          ? ([["By", approval.decided_by.name], ["At", <Time key="at" at={approval.decided_at} as="day" />]] as const)
          : []),
        ...(approval.reason ? ([["Reason", approval.reason]] as const) : []),
        ["Executed", executed(approval)],
        ["Proposed by", approval.proposer.name],
      ]}
    />
  );
}
