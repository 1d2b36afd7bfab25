/** A page of rows: read by cursor, ordered and filtered by the address, taken away as CSV. */
import { Button } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryOptions, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useMemo, useState } from "react";

import type { Page } from "@/api/types";
import { Trouble } from "@/app/View";
import { count } from "@/format/numbers";
import { DataTable } from "@/ui/DataTable";
import { download } from "@/ui/download";
import { Skeleton } from "@/ui/States";
import type { Column, Sort } from "@/ui/table";
import { csv } from "@/ui/table";

import styles from "./parts.module.css";

/** The most rows that are read for one list; beyond, one filters. */
const ROWS_READ_MAX = 20_000;

type ListOptions<T> = UseInfiniteQueryOptions<
  Page<T>,
  Error,
  InfiniteData<Page<T>>,
  readonly unknown[],
  string | null
>;

interface ListViewProps<T extends { id: string | number }> {
  what: string;
  // each list has a key of its own shape, which does not matter here
  options: unknown;
  columns: readonly Column<T>[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  empty: ReactNode;
  /** Where the server gives all rows that match as CSV; without it they are read here. */
  exportAt?: string;
  filters?: ReactNode;
}

export function ListView<T extends { id: string | number }>(props: ListViewProps<T>) {
  const { what, columns, sort, onSort, empty, filters } = props;
  const query = useInfiniteQuery(props.options as ListOptions<T>);
  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  const more = query.hasNextPage && rows.length < ROWS_READ_MAX;
  const next = () => {
    if (more && !query.isFetching) void query.fetchNextPage();
  };
  // an order over half the rows would be a lie, so the rest is read once one is chosen
  useEffect(() => {
    if (sort) next();
  });
  return (
    <div className="stack" style={{ gap: 12 }}>
      <div className={styles.filters}>
        {filters}
        <span className={styles.spacer} />
        {props.exportAt && rows.length > 0 ? (
          <Button size="xs" variant="default" component="a" href={props.exportAt} download>
            Export CSV
          </Button>
        ) : (
          <ExportRead what={what} query={query} columns={columns} />
        )}
      </div>
      <div className={styles.box}>
        {query.data === undefined ? (
          query.error ? <Trouble what={what} error={query.error} retry={() => void query.refetch()} /> : <Skeleton rows={8} />
        ) : rows.length === 0 ? (
          empty
        ) : (
          <DataTable label={what} rows={rows} columns={columns} rowKey={(row) => String(row.id)} sort={sort} onSort={onSort} onEnd={next} />
        )}
        {rows.length > 0 ? (
          <div className={styles.foot} role="status">
            {count(rows.length)} shown{more ? ", more below" : ""}
            {query.isFetchingNextPage ? ", reading" : ""}
          </div>
        ) : null}
      </div>
    </div>
  );
}

const rowsOf = <T,>(data: InfiniteData<Page<T>> | undefined): T[] => data?.pages.flatMap((page) => page.results) ?? [];

type Reading<T> = UseInfiniteQueryResult<InfiniteData<Page<T>>>;

/** Reads page after page, to the last one or until one fails. */
async function readOn<T>(read: Reading<T>): Promise<Reading<T>> {
  const over = !read.hasNextPage || read.isFetchNextPageError || rowsOf(read.data).length >= ROWS_READ_MAX;
  return over ? read : readOn(await read.fetchNextPage());
}

interface ExportReadProps<T> {
  what: string;
  query: Reading<T>;
  columns: readonly Column<T>[];
}

/** Exports what the server gives no file of: reads the rest first, so that the file is whole. */
function ExportRead<T>({ what, query, columns }: ExportReadProps<T>) {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const run = async () => {
    setBusy(true);
    const read = await readOn(query);
    setBusy(false);
    setFailed(read.isFetchNextPageError);
    if (!read.isFetchNextPageError) download(`${what.toLowerCase()}.csv`, "text/csv", csv(rowsOf(read.data), columns));
  };
  return (
    <>
      {failed ? <span role="alert">Not exported: the rest could not be read.</span> : null}
      <Button size="xs" variant="default" loading={busy} disabled={rowsOf(query.data).length === 0} onClick={() => void run()}>
        Export CSV
      </Button>
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

/** A filter with a few values; the empty one is all of them. */
export const Choice = ({ label, value = "", options, onChange }: ChoiceProps) => (
  <label>
    {label}
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">All</option>
      {options.map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
}

export const TextFilter = ({ label, value = "", onChange }: TextFilterProps) => (
  <input
    type="search"
    aria-label={label}
    placeholder={label}
    defaultValue={value}
    onChange={(event) => onChange(event.currentTarget.value.trim())}
  />
);
