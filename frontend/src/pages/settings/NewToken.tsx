import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";

import { tokenCreate } from "@/api/commands";
import type { MadeToken, Role, Scope } from "@/api/types";
import { useSession } from "@/app/session";
import { exact } from "@/format/times";
import { Dialog, DialogForm } from "@/ui/Dialog";

import { troubleText } from "./trouble";
import styles from "./settings.module.css";

/** The longest name that is taken. */
const NAME_CHARACTERS_MAX = 100;

const DAY_MS = 86_400_000;

/** What each scope lets a program do, and the role that its owner needs for it. */
const SCOPES: readonly (readonly [Scope, string, Role])[] = [
  ["read", "look at the fleet, jobs, swaps and approvals", "viewer"],
  ["jobs:write", "submit and stop jobs", "operator"],
  ["swaps:write", "propose and abort swaps, pull the brake", "operator"],
  ["fleet:write", "import a fleet, change nodes", "operator"],
  ["approvals:write", "approve and refuse what others have proposed", "approver"],
  ["audit:read", "read and verify the audit trail", "auditor"],
  ["admin", "people, agents, webhooks and limits", "admin"],
];

const LIFETIMES: readonly (readonly [string, string])[] = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
  ["", "never"],
];

interface NewTokenProps {
  onMade: (token: MadeToken) => void;
  onClose: () => void;
}

export function NewToken({ onMade, onClose }: NewTokenProps) {
  const { tenant } = useSession();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [days, setDays] = useState("90");
  // one key per opened form: pressing twice makes one token
  const [key] = useState(() => crypto.randomUUID());
  const [openedAt] = useState(() => Date.now());
  const expires = days ? new Date(openedAt + Number(days) * DAY_MS).toISOString() : null;
  const make = useMutation({
    mutationFn: () => tokenCreate({ tenant: tenant.id, name: name.trim(), scopes: [...scopes], expires_at: expires }, key),
    onSuccess: (token) => {
      void client.invalidateQueries({ queryKey: ["token"] });
      onMade(token);
    },
  });
  return (
    <Dialog title="New token" onClose={onClose}>
      <DialogForm
        confirm="Make the token"
        busy={make.isPending}
        disabled={name.trim() === "" || scopes.length === 0}
        error={troubleText(make.error)}
        onConfirm={() => make.mutate()}
        onClose={onClose}
      >
        <TextInput
          label="Name"
          description="Which program uses it, and where."
          data-autofocus
          maxLength={NAME_CHARACTERS_MAX}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ScopeChoice chosen={scopes} onChange={setScopes} />
        <Lifetime days={days} expires={expires} onChange={setDays} />
      </DialogForm>
    </Dialog>
  );
}

interface ScopeChoiceProps {
  chosen: readonly Scope[];
  onChange: (scopes: readonly Scope[]) => void;
}

function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  const { may } = useSession();
  return (
    <fieldset className={styles.choices}>
      <legend>It may</legend>
      {SCOPES.map(([scope, effect, role]) => {
        const missing = role !== "viewer" && !may(role);
        return (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              disabled={missing}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
              }
            />
            <span className="mono">{scope}</span>
            <span className="dim small">{missing ? `needs the role ${role}, which you do not have` : effect}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

interface LifetimeProps {
  days: string;
  expires: string | null;
  onChange: (days: string) => void;
}

function Lifetime({ days, expires, onChange }: LifetimeProps) {
  const field = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={field}>Expires after</label>
      <select id={field} className={styles.select} value={days} onChange={(event) => onChange(event.currentTarget.value)}>
        {LIFETIMES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <p className="dim small" style={{ marginTop: 4 }}>
        {expires ? `It ends at ${exact(expires)}.` : "It is in force until somebody revokes it."}
      </p>
    </div>
  );
}
