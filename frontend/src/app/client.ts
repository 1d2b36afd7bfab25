import { QueryCache, QueryClient } from "@tanstack/react-query";

import { isProblem, waitedInVain } from "@/api/client";
import { sessionQuery } from "@/api/queries";

/** The live connection says what changed, so that an answer is not read again by the clock. */
const FRESH_MS = 30_000;

const RETRIES_MAX = 2;

/** Asking again helps against faults, not against a refusal; nobody is to wait for long, unasked, twice. */
const mayHelp = (error: Error): boolean =>
  !waitedInVain(error) && (!isProblem(error) || error.status === 0 || error.status >= 500);

export function clientMake(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const own = query.queryKey[0] === sessionQuery.queryKey[0];
        // signed out elsewhere, or expired: the gate asks anew
        if (!own && isProblem(error, 401)) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES_MAX && mayHelp(error),
        refetchOnWindowFocus: true,
      },
    },
  });
  return client;
}
