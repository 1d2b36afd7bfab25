import { Button } from "@mantine/core";
import { Link } from "react-router";

import { webhooksQuery } from "@/api/queries";
import type { MadeWebhook, Webhook } from "@/api/types";
import { paths } from "@/app/paths";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { ListView } from "@/parts/ListView";
import { Panel } from "@/ui/Panel";
import { Empty, Forbidden } from "@/ui/States";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import { useMaking } from "./making";
import { NewWebhook } from "./NewWebhook";
import { SecretOnce } from "./SecretOnce";
import styles from "./settings.module.css";

const Kinds = ({ kinds }: { kinds: readonly string[] }) => (
  <span className={styles.kinds}>{kinds.length === 0 ? "everything" : kinds.map((kind) => <Tag key={kind}>{kind}</Tag>)}</span>
);

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: "url",
    header: "Address",
    cell: (hook) => (
      <Link to={paths.webhook(hook.id)} className={styles.url} title={hook.url}>
        {hook.url}
      </Link>
    ),
    value: (hook) => hook.url,
  },
  { id: "kinds", header: "Hears of", cell: (hook) => <Kinds kinds={hook.kinds} />, value: (hook) => hook.kinds.join(" ") },
  { id: "creator", header: "Made by", cell: (hook) => hook.creator, value: (hook) => hook.creator },
  { id: "created", header: "Made", align: "right", cell: (hook) => <Time at={hook.created_at} />, value: (hook) => hook.created_at },
];

export default function Webhooks() {
  const { tenant, may } = useSession();
  return may("admin") ? (
    <Hooks tenant={tenant.id} />
  ) : (
    <Panel title="Webhooks">
      <Forbidden detail={`The webhooks of ${tenant.name} take the role admin.`} whoCan={[`an admin of ${tenant.name}`]} />
    </Panel>
  );
}

function Hooks({ tenant }: { tenant: string }) {
  const { values, set } = useAddress(["sort"]);
  const making = useMaking<MadeWebhook>();
  return (
    <>
      <p className={styles.lead}>
        A webhook is told of each change that it wants to hear of, by a signed POST. What is not taken is sent again for a while,
        then given up; open one to see what became of each delivery.
      </p>
      <ListView
        what="Webhooks"
        options={webhooksQuery(tenant)}
        columns={COLUMNS}
        sort={values.sort ?? ""}
        onSort={(next) => set("sort", next)}
        filters={
          <Button size="xs" onClick={making.begin}>
            New webhook
          </Button>
        }
        empty={<Empty title="No webhook yet">Make one to have a chat, a pager or a program hear of swaps and jobs.</Empty>}
      />
      {making.open ? <NewWebhook onClose={making.cancel} onMade={making.show} /> : null}
      {making.made ? (
        <SecretOnce title="Secret of the webhook" secret={making.made.secret} onClose={making.forget}>
          With it the receiver checks the signature of each message to <span className="mono">{making.made.url}</span>
        </SecretOnce>
      ) : null}
    </>
  );
}
