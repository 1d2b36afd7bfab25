/** A list without rows: because nothing is there yet, or because a filter leaves nothing. */
import type { ReactNode } from "react";

import { Empty } from "@/ui/States";

interface NoRowsProps {
  /** What a row is. */
  one: string;
  filters: Readonly<Record<string, string | undefined>>;
  /** Where rows come from. */
  children: ReactNode;
}

export function NoRows({ one, filters, children }: NoRowsProps) {
  const filtered = Object.values(filters).some(Boolean);
  return filtered ? (
    <Empty title={`No ${one} fits`}>Take a filter away to see others.</Empty>
  ) : (
    <Empty title={`No ${one} yet`}>{children}</Empty>
  );
}
