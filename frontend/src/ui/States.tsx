/** What a view shows while it has nothing to show: loading, empty, failed, forbidden. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";

import type { IconName } from "./Icon";
import { Icon } from "./Icon";
import styles from "./states.module.css";

interface NoticeProps {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  role?: "status" | "alert";
}

export function Notice({ icon, title, children, action, role }: NoticeProps) {
  return (
    <div className={styles.notice} role={role}>
      <span className={styles.icon}>
        <Icon name={icon} size={20} />
      </span>
      <p className="strong">{title}</p>
      {children ? <div className={styles.words}>{children}</div> : null}
      {action}
    </div>
  );
}

/** Nothing is there: what would be, and how to get it. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Notice icon="empty" title={title}>
    {children}
  </Notice>
);

interface FailedProps {
  what: string;
  detail: string;
  retry: () => void;
}

export const Failed = ({ what, detail, retry }: FailedProps) => (
  <Notice
    icon="warn"
    title={`${what} could not be read`}
    role="alert"
    action={
      <Button size="xs" variant="default" onClick={retry}>
        Try again
      </Button>
    }
  >
    {detail}
  </Notice>
);

interface ForbiddenProps {
  detail: string;
  whoCan: readonly string[];
}

export const Forbidden = ({ detail, whoCan }: ForbiddenProps) => (
  <Notice icon="lock" title="You may not see this" role="alert">
    <p>{detail}</p>
    {whoCan.length > 0 ? <p>Who can grant it: {whoCan.join(", ")}.</p> : null}
  </Notice>
);

/** Grey bars of the shape of what is coming. */
export function Skeleton({ rows = 5, height = 14 }: { rows?: number; height?: number }) {
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} style={{ height, width: `${92 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** Loading of a whole page: title, unless it stands there already, figures, two panels. */
export const PageSkeleton = ({ titled = false }: { titled?: boolean }) => (
  <div className="stack" role="status" aria-label="Loading">
    {titled ? null : <span className={styles.block} style={{ height: 44, width: 220 }} />}
    <span className={styles.block} style={{ height: 68 }} />
    <span className={styles.block} style={{ height: 260 }} />
    <span className={styles.block} style={{ height: 180 }} />
  </div>
);
