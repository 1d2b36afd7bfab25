import { ActionIcon, Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { signOut } from "@/api/commands";
import { sessionQuery } from "@/api/queries";
import { words } from "@/format/numbers";
import { zone } from "@/format/times";
import { Icon } from "@/ui/Icon";
import { Tag } from "@/ui/Tag";

import { ConnectionMark } from "./Connection";
import styles from "./frame.module.css";
import { useSession } from "./session";
import { ThemeSwitch } from "./ThemeSwitch";

interface TopBarProps {
  onSearch: () => void;
  onKeys: () => void;
}

const modifier = () => (/Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl");

export function TopBar({ onSearch, onKeys }: TopBarProps) {
  return (
    <header className={styles.top}>
      <TenantSwitch />
      <button type="button" className={styles.search} onClick={onSearch} aria-label="Find a node, job or swap" aria-keyshortcuts="Meta+K Control+K">
        <Icon name="search" size={14} />
        <span>Find a node, job or swap</span>
        <kbd>{modifier()} K</kbd>
      </button>
      <div className={styles.end}>
        <ConnectionMark />
        <span className={styles.zone} title="Times are shown in this zone">
          {zone()}
        </span>
        <ActionIcon variant="subtle" color="gray" onClick={onKeys} aria-label="Keyboard shortcuts">
          <span className="strong">?</span>
        </ActionIcon>
        <ThemeSwitch />
        <WhoIAm />
      </div>
    </header>
  );
}

function TenantSwitch() {
  const { me, tenant, tenantChoose } = useSession();
  if (me.tenants.length < 2) return <span className={styles.tenant}>{tenant.name}</span>;
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.tenant} aria-label={`Tenant: ${tenant.name}`}>
          {tenant.name}
          <Icon name="down" size={12} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Tenant</Menu.Label>
        {me.tenants.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => tenantChoose(id)}
            rightSection={id === tenant.id ? <Icon name="check" size={14} /> : null}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function WhoIAm() {
  const { me, tenant } = useSession();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: () => {
      client.clear();
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <Menu width={250} position="bottom-end">
      <Menu.Target>
        <button type="button" className={styles.who} aria-label={`Signed in as ${me.display_name || me.username}`}>
          <Icon name="person" size={15} />
          <span>{me.display_name || me.username}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>In {tenant.name} you are</Menu.Label>
        <div className={styles.roles}>
          {tenant.roles.map((role) => (
            <Tag key={role}>{words(role)}</Tag>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Item onClick={() => leave.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
