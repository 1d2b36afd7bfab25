import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { enrolTokenCreate } from "@/api/commands";
import type { MadeEnrolToken } from "@/api/types";
import { useSession } from "@/app/session";
import { Dialog, DialogForm } from "@/ui/Dialog";

import { troubleText } from "./trouble";

/** The longest name of a node that is taken. */
const NODE_CHARACTERS_MAX = 63;

interface NewAgentProps {
  onMade: (token: MadeEnrolToken) => void;
  onClose: () => void;
}

export function NewAgent({ onMade, onClose }: NewAgentProps) {
  const { tenant } = useSession();
  const [node, setNode] = useState("");
  // one key per opened form: pressing twice makes one token
  const [key] = useState(() => crypto.randomUUID());
  const make = useMutation({
    mutationFn: () => enrolTokenCreate({ tenant: tenant.id, node: node.trim() }, key),
    onSuccess: onMade,
  });
  return (
    <Dialog title="Enrol a node" onClose={onClose}>
      <DialogForm
        confirm="Make a token"
        busy={make.isPending}
        disabled={node.trim() === ""}
        error={troubleText(make.error)}
        onConfirm={() => make.mutate()}
        onClose={onClose}
      >
        <TextInput
          label="Node"
          description="The name that its agent goes by; a node that has an agent keeps all else when it enrols anew."
          data-autofocus
          maxLength={NODE_CHARACTERS_MAX}
          value={node}
          onChange={(event) => setNode(event.currentTarget.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
