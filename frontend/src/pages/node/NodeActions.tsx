import { Button, Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { nodeStateChange } from "@/api/commands";
import type { NodeDetail, NodeState } from "@/api/types";
import { ReasonDialog } from "@/ui/ReasonDialog";
import { Icon } from "@/ui/Icon";

interface StateAction {
  label: string;
  effect: string;
}

/** What a state is called as something to do, and what it does. */
const ACTIONS: Readonly<Record<NodeState, StateAction>> = {
  active: { label: "Make active", effect: "It may be given ranks and stand by again." },
  draining: { label: "Drain", effect: "It keeps what it holds and is given nothing new." },
  quarantined: { label: "Quarantine", effect: "It is given nothing, and its agent is told to start nothing." },
  maintenance: { label: "Put into maintenance", effect: "It is given nothing until it is made active." },
  retired: { label: "Retire", effect: "It leaves the fleet; its history stays." },
};

export function NodeActions({ node }: { node: NodeDetail }) {
  const [chosen, setChosen] = useState<NodeState | null>(null);
  return (
    <>
      <Menu width={300} position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<Icon name="down" size={12} />}>
            Change state
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {node.allowed.length === 0 ? <Menu.Label>No other state can follow</Menu.Label> : null}
          {node.allowed.map(({ state, enabled, reason }) => (
            <Menu.Item key={state} disabled={!enabled} onClick={() => setChosen(state)}>
              {ACTIONS[state].label}
              {reason ? <span className="small dim"> {reason}</span> : null}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {chosen ? <StateDialog node={node} state={chosen} onClose={() => setChosen(null)} /> : null}
    </>
  );
}

interface StateDialogProps {
  node: NodeDetail;
  state: NodeState;
  onClose: () => void;
}

function StateDialog({ node, state, onClose }: StateDialogProps) {
  const client = useQueryClient();
  const action = ACTIONS[state];
  const change = useMutation({
    mutationFn: (reason: string) => nodeStateChange(node.id, state, reason),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["node"] });
      void client.invalidateQueries({ queryKey: ["layout"] });
      onClose();
    },
  });
  return (
    <ReasonDialog
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
