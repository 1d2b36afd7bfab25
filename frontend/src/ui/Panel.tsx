import type { ReactNode } from "react";
import { useId } from "react";

import { useScrollable } from "./scrollable";
import styles from "./panel.module.css";

interface PanelProps {
  title: string;
  /** What stands right of the title: a figure, a link, a control. */
  aside?: ReactNode;
  children: ReactNode;
  /** Tables and strips go up to the edges. */
  flush?: boolean;
}

export function Panel({ title, aside, children, flush = false }: PanelProps) {
  const id = useId();
  const scrollable = useScrollable<HTMLDivElement>();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside ? <div className={styles.aside}>{aside}</div> : null}
      </header>
      {flush ? (
        <div className={styles.flush} {...scrollable}>
          {children}
        </div>
      ) : (
        <div className={styles.body}>{children}</div>
      )}
    </section>
  );
}

/** Label and value pairs in one column. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {items.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FigureProps {
  label: string;
  children: ReactNode;
  note?: ReactNode;
}

/** Large numbers side by side, for what is looked at first. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <dl className={styles.figures}>{children}</dl>
);

export const Figure = ({ label, children, note }: FigureProps) => (
  <div className={styles.figure}>
    <dt>{label}</dt>
    <dd>
      {children}
      {note ? <span className={styles.note}>{note}</span> : null}
    </dd>
  </div>
);
