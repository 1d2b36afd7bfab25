import type { ReactNode } from "react";

import styles from "./banner.module.css";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";

interface BannerProps {
  icon: IconName;
  children: ReactNode;
  tone?: "plain" | "loud" | "stale";
  action?: ReactNode;
}

/** A line across the page: something about all that stands below it. */
export const Banner = ({ icon, children, tone = "plain", action }: BannerProps) => (
  <div className={`${styles.banner} ${styles[tone]}`} role="status">
    <Icon name={icon} />
    <div className={styles.words}>{children}</div>
    {action}
  </div>
);
