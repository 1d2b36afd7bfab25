import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { tokenRevoke } from "@/api/commands";
import { tokensQuery } from "@/api/queries";
import type { ApiToken, MadeToken } from "@/api/types";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { ListView } from "@/parts/ListView";
import { ConfirmDialog } from "@/ui/Dialog";
import { Empty } from "@/ui/States";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import { useMaking } from "./making";
import { NewToken } from "./NewToken";
import { RevocableState, RevokeCell } from "./Revocable";
import { SecretOnce } from "./SecretOnce";
import styles from "./settings.module.css";

const columnsOf = (revoke: (token: ApiToken) => void): readonly Column<ApiToken>[] => [
  { id: "name", header: "Name", cell: (token) => <span className="strong">{token.name}</span>, value: (token) => token.name },
  { id: "prefix", header: "Begins with", cell: (token) => <span className="mono">{token.prefix}</span>, value: (token) => token.prefix },
  { id: "owner", header: "Owner", cell: (token) => token.owner, value: (token) => token.owner },
  {
    id: "scopes",
    header: "May",
    cell: (token) => (
      <span className={styles.kinds}>
        {token.scopes.map((scope) => (
          <Tag key={scope}>{scope}</Tag>
        ))}
      </span>
    ),
    value: (token) => token.scopes.join(" "),
  },
  { id: "state", header: "State", cell: (token) => <RevocableState revokedAt={token.revoked_at} expiresAt={token.expires_at} expired="plain" />, value: (token) => token.revoked_at },
  {
    id: "used",
    header: "Last used",
    align: "right",
    cell: (token) => (token.last_used_at ? <Time at={token.last_used_at} /> : <span className="dim">never</span>),
    value: (token) => token.last_used_at,
  },
  {
    id: "expires",
    header: "Expires",
    align: "right",
    cell: (token) => (token.expires_at ? <Time at={token.expires_at} /> : <span className="dim">never</span>),
    value: (token) => token.expires_at,
  },
  {
    id: "revoke",
    header: "Action",
    align: "right",
    cell: (token) => <RevokeCell revokedAt={token.revoked_at} name={token.name} revoke={() => revoke(token)} />,
  },
];

export default function Tokens() {
  const { tenant, may } = useSession();
  const { values, set } = useAddress(["sort"]);
  const making = useMaking<MadeToken>();
  const [chosen, setChosen] = useState<ApiToken | null>(null);
  return (
    <>
      <p className={styles.lead}>
        A program signs in with a token. It may do what its owner may in {tenant.name}, limited to the scopes that it was made with.
        {may("admin") ? " You see the tokens of everybody here." : " You see your own; an admin sees those of everybody."}
      </p>
      <ListView
        what="Tokens"
        options={tokensQuery(tenant.id)}
        columns={columnsOf(setChosen)}
        sort={values.sort ?? ""}
        onSort={(next) => set("sort", next)}
        filters={
          <Button size="xs" onClick={making.begin}>
            New token
          </Button>
        }
        empty={<Empty title="No token yet">Make one for each program that is to use the API, with the scopes that it needs.</Empty>}
      />
      {making.open ? <NewToken onClose={making.cancel} onMade={making.show} /> : null}
      {making.made ? (
        <SecretOnce title={`Token ${making.made.name}`} secret={making.made.token} onClose={making.forget}>
          The program sends it with each request: <span className="mono">Authorization: Bearer …</span>
        </SecretOnce>
      ) : null}
      {chosen ? <RevokeDialog token={chosen} onClose={() => setChosen(null)} /> : null}
    </>
  );
}

function RevokeDialog({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => tokenRevoke(token.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["token"] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke ${token.name}`}
      effect={`Whatever uses the token that begins with ${token.prefix} is refused from now on. It cannot be taken back; a new token can be made.`}
      confirm="Revoke the token"
      busy={revoke.isPending}
      error={revoke.error?.message ?? null}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  );
}
