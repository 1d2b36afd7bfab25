/** What a tenant has set: how many swaps at once, who else may ask, which agents are let in, who hears of changes. */
import { NavLink, Outlet } from "react-router";

import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";

import styles from "./settings.module.css";

const PARTS = [
  ["Swap safety", paths.settings()],
  ["API tokens", paths.tokens()],
  ["Agents", paths.agents()],
  ["Webhooks", paths.webhooks()],
] as const;

export default function Settings() {
  return (
    <>
      <PageHead title="Settings" />
      <nav className={styles.parts} aria-label="Settings">
        {PARTS.map(([label, path]) => (
          <NavLink key={path} to={path} end>
            {label}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
