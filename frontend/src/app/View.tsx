/** Reads what a view needs and shows the state it is in: loading, failed, forbidden, there. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { isProblem } from "@/api/client";
import { Failed, Forbidden, Notice, Skeleton } from "@/ui/States";

import { PageHead } from "./PageHead";

interface ViewProps<T> {
  /** What is read, as the subject of a sentence. */
  what: string;
  query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  loading?: ReactNode;
  /** Heading of a whole page, which its content brings along once it is there. */
  page?: string;
  children: (data: T) => ReactNode;
}

/** An answer that came stays on screen though a later read fails; the frame says that it is old. */
export function View<T>({ what, query, loading, page, children }: ViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    return (
      <>
        {page ? <PageHead title={page} /> : null}
        <Trouble what={what} error={query.error} retry={() => void query.refetch()} />
      </>
    );
  }
  return loading ?? <Skeleton />;
}

interface TroubleProps {
  what: string;
  error: Error;
  retry: () => void;
}

export function Trouble({ what, error, retry }: TroubleProps) {
  if (isProblem(error, 403)) {
    return <Forbidden detail={error.message} whoCan={error.body.who_can ?? []} />;
  }
  if (isProblem(error, 404)) {
    return (
      <Notice icon="search" title={`${what}: not found`} role="alert">
        It may have been removed, or it belongs to a tenant that you are not a member of.
      </Notice>
    );
  }
  return <Failed what={what} detail={error.message} retry={retry} />;
}
