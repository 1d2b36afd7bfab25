/** The box in which one decides: what was decided, by whom, and whether it was carried out. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "react-router";

import { approvalQuery } from "@/api/queries";
import type { ApprovalDetail } from "@/api/types";
import { APPROVE_EVENT } from "@/app/keys";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { ActionButton } from "@/ui/ActionButton";
import { Panel } from "@/ui/Panel";
import { Time } from "@/ui/Time";

import { DecideDialog } from "./DecideDialog";
import { DecidedFacts } from "./DecidedFacts";

export function ApprovalBox({ id, linked = true }: { id: string; linked?: boolean }) {
  const query = useQuery(approvalQuery(id));
  return (
    <Panel
      title="Approval"
      aside={
        linked ? (
          <Link className="link" to={paths.approval(id)}>
            Open
          </Link>
        ) : null
      }
    >
      <View what="The approval" query={query}>
        {(approval) => <Box approval={approval} />}
      </View>
    </Panel>
  );
}

function Box({ approval }: { approval: ApprovalDetail }) {
  return (
    <div className="stack">
      <DecidedFacts approval={approval} />
      {approval.state === "pending" ? <Decide approval={approval} /> : null}
    </div>
  );
}

const others = (approval: ApprovalDetail): string =>
  approval.who_could.length > 0 ? approval.who_could.map(({ name }) => name).join(", ") : "nobody in this tenant";

function Decide({ approval }: { approval: ApprovalDetail }) {
  const [open, setOpen] = useState<"approve" | "refuse" | null>(null);
  const allowed = approval.may_decide;
  useEffect(() => {
    if (!allowed) return undefined;
    const onKey = (event: Event) => {
      event.preventDefault();
      setOpen("approve");
    };
    addEventListener(APPROVE_EVENT, onKey);
    return () => removeEventListener(APPROVE_EVENT, onKey);
  }, [allowed]);
  const why = allowed ? null : (approval.why_not ?? "You cannot decide this.");
  return (
    <>
      <p className="ink2">
        Expires <Time at={approval.expires_at} />. Without a decision nothing is done, and the spare goes back.
      </p>
      <ActionButton label="Approve this plan" effect="It is carried out at once." why={why} primary full onClick={() => setOpen("approve")} />
      <ActionButton
        label="Refuse this plan"
        effect="Nothing changes; your reason is kept."
        why={allowed ? null : "For the same reason."}
        full
        onClick={() => setOpen("refuse")}
      />
      <p className="dim small">Who could decide: {others(approval)}.</p>
      {open ? <DecideDialog approval={approval} decision={open} onClose={() => setOpen(null)} /> : null}
    </>
  );
}
