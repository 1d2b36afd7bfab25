import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { webhookCreate } from "@/api/commands";
import type { MadeWebhook } from "@/api/types";
import { useSession } from "@/app/session";
import { Dialog, DialogForm } from "@/ui/Dialog";

import { KINDS } from "./kinds";
import styles from "./settings.module.css";
import { troubleText } from "./trouble";

/** The longest address that is taken. */
const URL_CHARACTERS_MAX = 500;

interface NewWebhookProps {
  onMade: (webhook: MadeWebhook) => void;
  onClose: () => void;
}

export function NewWebhook({ onMade, onClose }: NewWebhookProps) {
  const { tenant } = useSession();
  const client = useQueryClient();
  const [url, setUrl] = useState("https://");
  const [kinds, setKinds] = useState<readonly string[]>(KINDS.map(([kind]) => kind));
  // one key per opened form: pressing twice makes one webhook
  const [key] = useState(() => crypto.randomUUID());
  const make = useMutation({
    mutationFn: () => webhookCreate({ tenant: tenant.id, url: url.trim(), kinds: kinds.length === KINDS.length ? [] : [...kinds] }, key),
    onSuccess: (hook) => {
      void client.invalidateQueries({ queryKey: ["webhook"] });
      onMade(hook);
    },
  });
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <DialogForm
        confirm="Make the webhook"
        busy={make.isPending}
        disabled={!URL.canParse(url.trim()) || kinds.length === 0}
        error={troubleText(make.error)}
        onConfirm={() => make.mutate()}
        onClose={onClose}
      >
        <TextInput
          label="Address"
          description="Where the messages are sent to, by POST."
          type="url"
          data-autofocus
          maxLength={URL_CHARACTERS_MAX}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <fieldset className={styles.choices}>
          <legend>It hears of</legend>
          {KINDS.map(([kind, what]) => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={kinds.includes(kind)}
                onChange={(event) => setKinds(event.currentTarget.checked ? [...kinds, kind] : kinds.filter((one) => one !== kind))}
              />
              <span className="mono">{kind}</span>
              <span className="dim small">{what}</span>
            </label>
          ))}
        </fieldset>
      </DialogForm>
    </Dialog>
  );
}
