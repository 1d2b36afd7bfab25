/** Small labels. Colour is kept for grades, so they differ by weight, fill and hatching. */
import type { ReactNode } from "react";

import type { IconName } from "./Icon";
import { Icon } from "./Icon";
import styles from "./tag.module.css";

export type TagTone = "plain" | "quiet" | "active" | "loud" | "hatched";

interface TagProps {
  children: ReactNode;
  tone?: TagTone;
  icon?: IconName;
  /** Something is going on now. */
  moving?: boolean;
  title?: string;
}

export function Tag({ children, tone = "plain", icon, moving = false, title }: TagProps) {
  return (
    <span className={`${styles.tag} ${tone === "plain" ? "" : styles[tone]}`} title={title}>
      {moving ? <span className={styles.pulse} aria-hidden="true" /> : null}
      {icon ? <Icon name={icon} size={12} /> : null}
      {children}
    </span>
  );
}

/** What nobody knows: hatched, in words, never a zero. */
export const Unknown = ({ children = "unknown" }: { children?: ReactNode }) => (
  <Tag tone="hatched">{children}</Tag>
);
