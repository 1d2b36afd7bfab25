import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";

import { auditVerify } from "@/api/commands";
import type { AuditVerdict } from "@/api/types";
import { count } from "@/format/numbers";
import { Banner } from "@/ui/Banner";
import { CopyId } from "@/ui/CopyId";
import { Time } from "@/ui/Time";

/** Recomputes the whole chain on the server, and says what it has found. */
export function VerifyPanel({ tenant }: { tenant: string }) {
  const verify = useMutation({
    mutationFn: async () => ({ verdict: await auditVerify(tenant), at: new Date().toISOString() }),
  });
  const bad = verify.data && !verify.data.verdict.ok;
  return (
    <Banner
      icon={verify.data ? (bad ? "warn" : "check") : "audit"}
      tone={bad ? "loud" : "plain"}
      action={
        <Button size="xs" variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify the chain now
        </Button>
      }
    >
      {verify.error ? <span role="alert">{verify.error.message}</span> : null}
      {verify.data ? (
        <Verdict verdict={verify.data.verdict} at={verify.data.at} />
      ) : verify.error ? null : (
        <span className="ink2">Each entry holds the digest of the one before: changing, removing or reordering any breaks the chain.</span>
      )}
    </Banner>
  );
}

function Verdict({ verdict, at }: { verdict: AuditVerdict; at: string }) {
  if (!verdict.ok) {
    return (
      <>
        <span className="strong">The chain is broken{verdict.first_bad === null ? "" : ` at entry ${count(verdict.first_bad)}`}.</span>{" "}
        {verdict.problem}
      </>
    );
  }
  return (
    <span className="row wrap">
      <span>
        <span className="strong">The chain is whole:</span> {count(verdict.entries)} entries, checked <Time at={at} />
        {verdict.head ? "; head" : "."}
      </span>
      {verdict.head ? <CopyId value={verdict.head.digest} label="head" /> : null}
    </span>
  );
}
