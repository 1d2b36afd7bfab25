/** Providers, the session gate, and the routes. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect } from "react";
import type { DataRouter } from "react-router";
import { RouterProvider } from "react-router";

import { csrfTokenKeep, isProblem } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import { SignIn } from "@/pages/SignIn";
import { Notice, PageSkeleton } from "@/ui/States";

import { SessionProvider } from "./session";
import { theme } from "./theme";
import { Trouble } from "./View";

/** What the gate lets through, and what it shows to those who are not signed in. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useQuery(sessionQuery);
  const token = session.data?.csrf_token;
  useEffect(() => {
    if (token) csrfTokenKeep(token);
  }, [token]);
  if (isProblem(session.error, 401, 403)) return <SignIn />;
  if (session.data) {
    if (session.data.tenants.length === 0) return <NoTenant name={session.data.username} />;
    return <SessionProvider me={session.data}>{children}</SessionProvider>;
  }
  if (session.error) {
    return <Trouble what="Your session" error={session.error} retry={() => void session.refetch()} />;
  }
  return <PageSkeleton />;
}

const NoTenant = ({ name }: { name: string }) => (
  <Notice icon="lock" title="You belong to no tenant yet" role="alert">
    An administrator can add {name} to one and choose the roles.
  </Notice>
);

interface AppProps {
  client: QueryClient;
  router: DataRouter;
}

export const App = ({ client, router }: AppProps) => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <QueryClientProvider client={client}>
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
    </QueryClientProvider>
  </MantineProvider>
);
