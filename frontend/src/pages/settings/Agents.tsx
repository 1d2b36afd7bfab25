import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { agentRevoke } from "@/api/commands";
import { agentsQuery } from "@/api/queries";
import type { Agent, MadeEnrolToken } from "@/api/types";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { ListView } from "@/parts/ListView";
import { ReasonDialog } from "@/ui/ReasonDialog";
import { Empty } from "@/ui/States";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import { useMaking } from "./making";
import { NewAgent } from "./NewAgent";
import { RevocableState, RevokeCell } from "./Revocable";
import { SecretOnce } from "./SecretOnce";
import styles from "./settings.module.css";

const columnsOf = (revoke: ((agent: Agent) => void) | null): readonly Column<Agent>[] => [
  { id: "node", header: "Node", cell: (agent) => <span className="strong">{agent.node}</span>, value: (agent) => agent.node },
  { id: "version", header: "Version", cell: (agent) => agent.version, value: (agent) => agent.version },
  {
    id: "serial",
    header: "Certificate",
    cell: (agent) => (
      <span className="mono" title={`Fingerprint ${agent.fingerprint}`}>
        {agent.serial}
      </span>
    ),
    value: (agent) => agent.serial,
  },
  { id: "state", header: "State", cell: (agent) => <RevocableState revokedAt={agent.revoked_at} expiresAt={agent.certificate_expires_at} expired="loud" />, value: (agent) => agent.revoked_at },
  {
    id: "seen",
    header: "Last heard of",
    align: "right",
    cell: (agent) => (agent.last_seen_at ? <Time at={agent.last_seen_at} /> : <span className="dim">never</span>),
    value: (agent) => agent.last_seen_at,
  },
  {
    id: "expires",
    header: "Valid until",
    align: "right",
    cell: (agent) => <Time at={agent.certificate_expires_at} />,
    value: (agent) => agent.certificate_expires_at,
  },
  {
    id: "revoke",
    header: "Action",
    align: "right",
    cell: (agent) => (
      <RevokeCell revokedAt={agent.revoked_at} name={`the agent of ${agent.node}`} revoke={revoke && (() => revoke(agent))} />
    ),
  },
];

export default function Agents() {
  const { tenant, may } = useSession();
  const { values, set } = useAddress(["sort"]);
  const making = useMaking<MadeEnrolToken>();
  const [chosen, setChosen] = useState<Agent | null>(null);
  const isAdmin = may("admin");
  return (
    <>
      <p className={styles.lead}>
        The agent of a node signs in with a certificate of its own, which it renews by itself.
        {isAdmin ? "" : " Letting one in, and revoking it, needs the role admin."}
      </p>
      <ListView
        what="Agents"
        options={agentsQuery(tenant.id)}
        columns={columnsOf(isAdmin ? setChosen : null)}
        sort={values.sort ?? ""}
        onSort={(next) => set("sort", next)}
        filters={
          <Button size="xs" disabled={!isAdmin} onClick={making.begin}>
            Enrol a node
          </Button>
        }
        empty={<Empty title="No agent yet">Enrol a node, and start hotswap agent there with the token that is shown.</Empty>}
      />
      {making.open ? <NewAgent onClose={making.cancel} onMade={making.show} /> : null}
      {making.made ? <EnrolOnce made={making.made} onClose={making.forget} /> : null}
      {chosen ? <RevokeDialog agent={chosen} onClose={() => setChosen(null)} /> : null}
    </>
  );
}

function EnrolOnce({ made, onClose }: { made: MadeEnrolToken; onClose: () => void }) {
  return (
    <SecretOnce title={`Token to enrol ${made.node}`} secret={made.token} onClose={onClose}>
      <p>
        It enrols {made.node}, once, until <Time at={made.expires_at} />. There, with the address of the agents&apos; port:
      </p>
      <p className="mono small" style={{ overflowWrap: "anywhere" }}>
        HOTSWAP_ENROL_TOKEN=… hotswap agent --plane https://…:8443 --name {made.node} --authority-digest {made.authority_digest}
      </p>
    </SecretOnce>
  );
}

function RevokeDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (reason: string) => agentRevoke(agent.id, reason),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["agent"] });
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={`Revoke the agent of ${agent.node}`}
      effect={`It is refused from now on, and ${agent.node} becomes unknown. Processes of jobs there go on. It cannot be taken back; the node can be enrolled anew.`}
      confirm="Revoke the agent"
      busy={revoke.isPending}
      error={revoke.error?.message ?? null}
      onConfirm={(reason) => revoke.mutate(reason)}
      onClose={onClose}
    />
  );
}
