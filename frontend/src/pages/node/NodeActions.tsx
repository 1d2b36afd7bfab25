import { Button, Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { nodeStateChange } from "@/api/commands";
import type { FleetNode, NodeState } from "@/api/types";
import { useSession } from "@/app/session";
import { ReasonDialog } from "@/ui/ReasonDialog";
import { Icon } from "@/ui/Icon";

interface StateAction {
  state: NodeState;
  label: string;
  effect: string;
}

const ACTIONS: readonly StateAction[] = [
  { state: "active", label: "Make active", effect: "It may be given ranks and stand by again." },
  { state: "draining", label: "Drain", effect: "It keeps what it holds and is given nothing new." },
  { state: "quarantined", label: "Quarantine", effect: "It is given nothing, and its agent is told to start nothing." },
  { state: "maintenance", label: "Put into maintenance", effect: "It is given nothing until it is made active." },
];

export function NodeActions({ node }: { node: FleetNode }) {
  const { may } = useSession();
  const [chosen, setChosen] = useState<StateAction | null>(null);
  const allowed = may("operator");
  return (
    <>
      <Menu width={280} position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            disabled={!allowed}
            title={allowed ? undefined : "Needs the role operator"}
            rightSection={<Icon name="down" size={12} />}
          >
            Change state
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ACTIONS.filter(({ state }) => state !== node.state).map((action) => (
            <Menu.Item key={action.state} onClick={() => setChosen(action)}>
              {action.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {chosen ? <StateDialog node={node} action={chosen} onClose={() => setChosen(null)} /> : null}
    </>
  );
}

interface StateDialogProps {
  node: FleetNode;
  action: StateAction;
  onClose: () => void;
}

function StateDialog({ node, action, onClose }: StateDialogProps) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (reason: string) => nodeStateChange(node.id, action.state, reason),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["node"] });
      void client.invalidateQueries({ queryKey: ["layout"] });
      onClose();
    },
  });
  return (
    <ReasonDialog
      opened
      onClose={onClose}
      title={`${action.label}: ${node.name}`}
      effect={action.effect}
      confirm={action.label}
      busy={change.isPending}
      error={change.error?.message ?? null}
      onConfirm={(reason) => change.mutate(reason)}
    />
  );
}
