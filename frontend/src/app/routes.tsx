/** Which page stands at which address; each is loaded when it is first gone to. */
import type { RouteObject } from "react-router";

import { PageSkeleton } from "@/ui/States";

import { Frame } from "./Frame";
import { RouteTrouble } from "./RouteTrouble";

const page = (load: () => Promise<{ default: React.ComponentType }>) => async () => ({
  Component: (await load()).default,
});

export const routes: RouteObject[] = [
  {
    path: "/",
    element: <Frame />,
    HydrateFallback: PageSkeleton,
    errorElement: <RouteTrouble />,
    children: [
      {
        errorElement: <RouteTrouble />,
        children: [
          { index: true, lazy: page(() => import("@/pages/overview/Overview")) },
          { path: "fleet", lazy: page(() => import("@/pages/fleet/Fleet")) },
          { path: "nodes/:id", lazy: page(() => import("@/pages/node/Node")) },
          { path: "jobs", lazy: page(() => import("@/pages/jobs/Jobs")) },
          { path: "jobs/:id", lazy: page(() => import("@/pages/job/Job")) },
          { path: "swaps", lazy: page(() => import("@/pages/swaps/Swaps")) },
          { path: "swaps/:id", lazy: page(() => import("@/pages/swap/Swap")) },
          { path: "approvals", lazy: page(() => import("@/pages/approvals/Approvals")) },
          { path: "approvals/:id", lazy: page(() => import("@/pages/approval/Approval")) },
          { path: "audit", lazy: page(() => import("@/pages/audit/Audit")) },
          {
            path: "settings",
            lazy: page(() => import("@/pages/settings/Settings")),
            children: [
              { index: true, lazy: page(() => import("@/pages/settings/SwapSafety")) },
              { path: "tokens", lazy: page(() => import("@/pages/settings/Tokens")) },
              { path: "agents", lazy: page(() => import("@/pages/settings/Agents")) },
              { path: "webhooks", lazy: page(() => import("@/pages/settings/Webhooks")) },
            ],
          },
          { path: "settings/webhooks/:id", lazy: page(() => import("@/pages/settings/Webhook")) },
          { path: "*", lazy: page(() => import("@/pages/NotFound")) },
        ],
      },
    ],
  },
];
