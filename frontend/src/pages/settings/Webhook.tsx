import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";

import { webhookRemove } from "@/api/commands";
import { deliveriesQuery, webhookQuery } from "@/api/queries";
import type { Delivery, Webhook as Hook } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { useAddress } from "@/app/useAddress";
import { View } from "@/app/View";
import { words } from "@/format/numbers";
import { Choice, ListView } from "@/parts/ListView";
import { NoRows } from "@/parts/NoRows";
import { ConfirmDialog } from "@/ui/Dialog";
import { Facts, Panel } from "@/ui/Panel";
import { PageSkeleton } from "@/ui/States";
import type { TagTone } from "@/ui/Tag";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import { KINDS } from "./kinds";

const LOOKS: Readonly<Record<Delivery["state"], readonly [TagTone, string]>> = {
  pending: ["active", "To be sent"],
  delivered: ["quiet", "Delivered"],
  given_up: ["loud", "Given up"],
};

/** What is wrong with the latest attempt, or the status that it was answered with. */
const answerOf = (row: Delivery): string => row.problem || String(row.answer_status ?? "");

const COLUMNS: readonly Column<Delivery>[] = [
  { id: "created", header: "Happened", cell: (row) => <Time at={row.created_at} as="day" />, value: (row) => row.created_at },
  { id: "kind", header: "What", cell: (row) => <span className="mono">{row.kind}</span>, value: (row) => row.kind },
  {
    id: "state",
    header: "Delivery",
    cell: (row) => <Tag tone={LOOKS[row.state][0]}>{LOOKS[row.state][1]}</Tag>,
    value: (row) => row.state,
  },
  { id: "answer", header: "Answer", cell: (row) => answerOf(row) || <span className="dim">none yet</span>, value: answerOf },
  { id: "attempts", header: "Attempts", align: "right", cell: (row) => row.attempts, value: (row) => row.attempts },
  {
    id: "next",
    header: "Delivered, or next attempt",
    align: "right",
    cell: (row) =>
      row.delivered_at ? <Time at={row.delivered_at} /> : row.state === "pending" ? <Time at={row.due_at} /> : <span className="dim">none</span>,
    value: (row) => row.delivered_at ?? (row.state === "pending" ? row.due_at : null),
  },
];

const STATES = Object.entries(LOOKS).map(([state, [, label]]) => [state, label] as const);

export default function Webhook() {
  const { id = "" } = useParams();
  const query = useQuery(webhookQuery(id));
  return (
    <View what="This webhook" page="Webhook" query={query} loading={<PageSkeleton />}>
      {(hook) => <Loaded hook={hook} />}
    </View>
  );
}

function Loaded({ hook }: { hook: Hook }) {
  const { values, set } = useAddress(["state", "kind", "sort"]);
  const { sort, ...filters } = values;
  const [open, setOpen] = useState(false);
  return (
    <>
      <PageHead
        title={new URL(hook.url).host}
        parent={["Webhooks", paths.webhooks()]}
        id={hook.id}
        actions={
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            Remove the webhook
          </Button>
        }
      />
      <div className="split">
        <ListView
          what="Deliveries"
          options={deliveriesQuery(hook.id, filters)}
          columns={COLUMNS}
          sort={sort ?? ""}
          onSort={(next) => set("sort", next)}
          filters={
            <>
              <Choice label="Delivery" value={values.state} options={STATES} onChange={(value) => set("state", value)} />
              <Choice
                label="What"
                value={values.kind}
                options={KINDS.map(([kind]) => [kind, words(kind)] as const)}
                onChange={(value) => set("kind", value)}
              />
            </>
          }
          empty={
            <NoRows one="delivery" filters={filters}>
              One is made for each change that the webhook hears of.
            </NoRows>
          }
        />
        <Panel title="Webhook">
          <Facts
            items={[
              ["Address", <span key="url" className="mono">{hook.url}</span>],
              ["Hears of", hook.kinds.length === 0 ? "everything" : hook.kinds.join(", ")],
              ["Made by", hook.creator],
              ["Made", <Time key="made" at={hook.created_at} as="day" />],
            ]}
          />
        </Panel>
      </div>
      {open ? <RemoveDialog hook={hook} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RemoveDialog({ hook, onClose }: { hook: Hook; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => webhookRemove(hook.id),
    onSuccess: () => {
      client.removeQueries({ queryKey: ["webhook"] });
      void navigate(paths.webhooks());
    },
  });
  return (
    <ConfirmDialog
      title="Remove the webhook"
      effect={`${hook.url} hears of nothing any more. What is still to be sent to it is dropped, and the list of its deliveries with it.`}
      confirm="Remove the webhook"
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
