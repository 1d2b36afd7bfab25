/** How many planned swaps may be under way at once. */
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useId, useState } from "react";

import { limitsSet } from "@/api/commands";
import { limitsQuery } from "@/api/queries";
import type { SwapLimits } from "@/api/types";
import { useSession } from "@/app/session";
import { View } from "@/app/View";
import { Panel } from "@/ui/Panel";

import styles from "./settings.module.css";

/** The most that the API takes; the brake stops all. */
const LIMIT_MAX = 1000;

type Name = keyof SwapLimits;

const FIELDS: readonly (readonly [Name, string, string])[] = [
  ["per_job", "In one job", "ranks of it that change hands at once"],
  ["per_rack", "In one rack", "with source or target in it"],
  ["per_tenant", "In the whole tenant", "over all jobs and racks"],
];

const numberOf = (text: string): number | null =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= LIMIT_MAX ? Number(text) : null;

export function LimitsPanel() {
  const { tenant } = useSession();
  const query = useQuery(limitsQuery(tenant.id));
  return (
    <Panel title="Swaps at once">
      <p className={styles.lead}>
        A planned swap that would exceed one of these waits until another has ended. A lost rank is recovered at once,
        whatever stands here.
      </p>
      <View what="The limits" query={query}>
        {({ per_job, per_rack, per_tenant }) => (
          // what somebody else has saved meanwhile begins the form anew
          <LimitsForm key={`${per_job} ${per_rack} ${per_tenant}`} limits={{ per_job, per_rack, per_tenant }} />
        )}
      </View>
    </Panel>
  );
}

function LimitsForm({ limits }: { limits: SwapLimits }) {
  const { tenant, may } = useSession();
  const client = useQueryClient();
  const note = useId();
  const [texts, setTexts] = useState<Record<Name, string>>(() => ({
    per_job: String(limits.per_job),
    per_rack: String(limits.per_rack),
    per_tenant: String(limits.per_tenant),
  }));
  const save = useMutation({
    mutationFn: (wanted: SwapLimits) => limitsSet(tenant.id, wanted),
    onSuccess: (kept) => client.setQueryData(limitsQuery(tenant.id).queryKey, kept),
  });
  const [per_job, per_rack, per_tenant] = FIELDS.map(([name]) => numberOf(texts[name]));
  const wanted = per_job && per_rack && per_tenant ? { per_job, per_rack, per_tenant } : null;
  const changed = FIELDS.some(([name]) => texts[name] !== String(limits[name]));
  const allowed = may("admin");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted) save.mutate(wanted);
  };
  return (
    <form onSubmit={submit}>
      <div className={styles.limits}>
        {FIELDS.map(([name, label, description]) => (
          <TextInput
            key={name}
            label={label}
            description={description}
            inputMode="numeric"
            disabled={!allowed}
            value={texts[name]}
            error={numberOf(texts[name]) === null ? `A number from 1 to ${LIMIT_MAX}` : null}
            onChange={(event) => {
              const text = event.currentTarget.value.trim();
              setTexts((old) => ({ ...old, [name]: text }));
            }}
          />
        ))}
      </div>
      <div className="row wrap">
        <Button size="xs" type="submit" loading={save.isPending} disabled={!allowed || !changed || !wanted} aria-describedby={note}>
          Save the limits
        </Button>
        <span id={note} className="dim small" role="status">
          {allowed ? (save.error?.message ?? (changed ? "Not saved yet. To stop all, pull the brake." : "These are in force.")) : "Changing them needs the role admin."}
        </span>
      </div>
    </form>
  );
}
