/** A table that sorts, and that draws only the rows in sight once there are many. */
import { useVirtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";
import { useMemo, useRef } from "react";

import { Icon } from "./Icon";
import type { Column, Sort } from "./table";
import { rowsSorted, sortNext } from "./table";
import styles from "./table.module.css";

const ROW_HEIGHT_PX = 37;

/** Up to here all rows are drawn: searching in the page and printing then find them. */
const ROWS_DRAWN_WHOLE = 80;

/** Rows drawn beyond the visible ones, so that fast scrolling shows no gaps. */
const OVERSCAN_ROWS = 12;

/** Until the frame is measured, so much is drawn. */
const FIRST_RECT = { width: 1000, height: 800 };

interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Called when the last rows come into sight. */
  onEnd?: () => void;
  total?: number;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, columns, sort = "" } = props;
  const sorted = useMemo(() => rowsSorted(rows, columns, sort), [rows, columns, sort]);
  return sorted.length > ROWS_DRAWN_WHOLE ? (
    <WindowedTable {...props} rows={sorted} />
  ) : (
    <Frame {...props} rows={sorted}>
      {sorted.map((row) => (
        <Cells key={props.rowKey(row)} row={row} columns={columns} />
      ))}
    </Frame>
  );
}

function WindowedTable<Row>(props: DataTableProps<Row>) {
  const { rows, columns, rowKey, onEnd } = props;
  const frame = useRef<HTMLDivElement>(null);
  const windowed = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN_ROWS,
    initialRect: FIRST_RECT,
    onChange: (instance) => {
      const last = instance.getVirtualItems().at(-1);
      if (last && last.index >= rows.length - 1) onEnd?.();
    },
  });
  const items = windowed.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = windowed.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div ref={frame} className={styles.window} tabIndex={0} role="region" aria-label={`${props.label}, scrollable`}>
      <Frame {...props}>
        <Spacer height={before} columns={columns.length} />
        {items.map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <Cells key={rowKey(row)} row={row} columns={columns} index={item.index} />
          );
        })}
        <Spacer height={after} columns={columns.length} />
      </Frame>
    </div>
  );
}

const Spacer = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr aria-hidden="true" className={styles.spacer}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null;

function Frame<Row>(props: DataTableProps<Row> & { children: ReactNode }) {
  const { label, rows, columns, total, sort = "", onSort } = props;
  return (
    <table className={styles.table} aria-label={label} aria-rowcount={(total ?? rows.length) + 1}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Header key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

interface HeaderProps<Row> {
  column: Column<Row>;
  sort: Sort;
  onSort: ((sort: Sort) => void) | undefined;
}

function Header<Row>({ column, sort, onSort }: HeaderProps<Row>) {
  const [up, down] = [sort === column.id, sort === `-${column.id}`];
  const order = up ? "ascending" : down ? "descending" : "none";
  const className = column.align === "right" ? styles.right : undefined;
  const sortable = column.value && onSort;
  return (
    <th
      scope="col"
      className={className}
      style={column.width ? { width: column.width } : undefined}
      aria-sort={sortable ? order : undefined}
    >
      {sortable ? (
        <button type="button" onClick={() => onSort(sortNext(sort, column.id))}>
          {column.header}
          {up ? <Icon name="up" size={11} /> : null}
          {down ? <Icon name="descending" size={11} /> : null}
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

interface CellsProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  index?: number;
}

const Cells = <Row,>({ row, columns, index }: CellsProps<Row>) => (
  <tr className={styles.row} aria-rowindex={index === undefined ? undefined : index + 2}>
    {columns.map((column) => (
      <td key={column.id} className={column.align === "right" ? styles.right : undefined}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
);
