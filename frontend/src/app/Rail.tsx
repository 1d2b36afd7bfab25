import { NavLink } from "react-router";

import type { IconName } from "@/ui/Icon";
import { Icon } from "@/ui/Icon";

import styles from "./frame.module.css";
import { paths } from "./paths";

const PLACES: readonly (readonly [string, string, IconName])[] = [
  ["Overview", paths.overview(), "overview"],
  ["Fleet", paths.fleet(), "fleet"],
  ["Jobs", paths.jobs(), "jobs"],
  ["Swaps", paths.swaps(), "swaps"],
  ["Approvals", paths.approvals(), "approvals"],
  ["Audit", paths.audit(), "audit"],
  ["Settings", paths.settings(), "settings"],
];

export const Logo = () => (
  <span className={styles.logo}>
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M8 12h13l-4-4M24 20H11l4 4"
        fill="none"
        stroke="var(--accent-ink)"
        strokeWidth="2.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
    <span className={styles.name}>Hotswap</span>
  </span>
);

export function Rail({ waiting }: { waiting: number }) {
  return (
    <nav className={styles.rail} aria-label="Main">
      <Logo />
      <ul>
        {PLACES.map(([label, path, icon]) => (
          <li key={path}>
            <NavLink to={path} end={path === "/"} className={styles.place ?? ""} title={label}>
              <Icon name={icon} />
              <span className={styles.label}>{label}</span>
              {path === paths.approvals() && waiting > 0 ? (
                <span className={styles.count}>
                  {waiting}
                  <span className="visually-hidden"> waiting for you</span>
                </span>
              ) : null}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
