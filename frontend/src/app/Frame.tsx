/** What stands around every page: rail, top bar, search, keys. */
import { useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Outlet, useNavigate } from "react-router";

import { overviewQuery } from "@/api/queries";
import { LiveProvider } from "@/live/LiveProvider";
import { PageSkeleton } from "@/ui/States";

import { StaleBanner } from "./Connection";
import styles from "./frame.module.css";
import { APPROVE_EVENT } from "./keys";
import { paths } from "./paths";
import { Rail } from "./Rail";
import { useSession } from "./session";
import type { Shortcut } from "./shortcuts";
import { useShortcuts } from "./shortcuts";
import { TopBar } from "./TopBar";

const Search = lazy(() => import("./Search"));
const Keys = lazy(() => import("./Keys"));

function useKeys(openHelp: () => void): readonly Shortcut[] {
  const navigate = useNavigate();
  const go = (path: string) => () => void navigate(path);
  const approve = () => {
    // nobody on this page takes it: go where the approvals are
    const unheard = dispatchEvent(new Event(APPROVE_EVENT, { cancelable: true }));
    if (unheard) void navigate(paths.approvals());
  };
  return [
    { keys: "g o", label: "Overview", run: go(paths.overview()) },
    { keys: "g f", label: "Fleet", run: go(paths.fleet()) },
    { keys: "g j", label: "Jobs", run: go(paths.jobs()) },
    { keys: "g s", label: "Swaps", run: go(paths.swaps()) },
    { keys: "g a", label: "Approvals", run: go(paths.approvals()) },
    { keys: "g u", label: "Audit", run: go(paths.audit()) },
    { keys: "g e", label: "Settings", run: go(paths.settings()) },
    { keys: "a", label: "Approve what is on screen (asks once more)", run: approve },
    { keys: "?", label: "This list", run: openHelp },
  ];
}

export function Frame() {
  const { tenant } = useSession();
  return (
    <LiveProvider key={tenant.id} tenant={tenant.id}>
      <Shell />
    </LiveProvider>
  );
}

function Shell() {
  const { tenant } = useSession();
  const [open, setOpen] = useState<"search" | "keys" | null>(null);
  const overview = useQuery(overviewQuery(tenant.id));
  const keys = useKeys(() => setOpen("keys"));
  useShortcuts(keys);
  useHotkeys([["mod+K", () => setOpen("search")]], []);
  const close = () => setOpen(null);
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <Rail waiting={overview.data?.approvals_waiting_for_me ?? 0} />
      <TopBar onSearch={() => setOpen("search")} onKeys={() => setOpen("keys")} />
      <main id="main" className={styles.main} tabIndex={-1}>
        <StaleBanner />
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
      </main>
      <Suspense>
        {open === "search" ? <Search onClose={close} /> : null}
        {open === "keys" ? <Keys keys={keys} onClose={close} /> : null}
      </Suspense>
    </div>
  );
}
