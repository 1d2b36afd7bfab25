/** The document that the decision is about, as names and values, whatever is in it. */
import type { ReactNode } from "react";

import { measure, words, wordsWithin } from "@/format/numbers";
import { CopyId } from "@/ui/CopyId";
import { Panel } from "@/ui/Panel";
import { Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./evidence.module.css";

/** Deeper than this is shown as it is written. */
const DEPTH_MAX = 4;

/** Said above, in words. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["risk_of_doing", "risk_of_not_doing"]);

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/;

const CODE = /^[a-z0-9]+(?:_[a-z0-9]+)+$/;

/** Longer texts without a space are ids and digests: shortened, and to be copied. */
const WORD_CHARACTERS_MAX = 28;

export function Evidence({ document }: { document: Record<string, unknown> }) {
  const shown = Object.fromEntries(Object.entries(document).filter(([name]) => !SHOWN_ELSEWHERE.has(name)));
  return (
    <Panel title="Plan and evidence">
      {Object.keys(shown).length === 0 ? <p className="dim">The request carries no document.</p> : <Tree value={shown} depth={0} />}
    </Panel>
  );
}

/** Longer texts, left-aligned, each under its name. */
export const Texts = ({ items }: { items: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={styles.tree}>
    {items.map(([name, text]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{text}</dd>
      </div>
    ))}
  </dl>
);

/** The document never changes while it is shown, so that a place in a list is a key. */
const keyOf = (item: unknown, place: number): string => `${place} ${JSON.stringify(item)}`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function leaf(value: unknown): ReactNode {
  if (value === null || value === undefined) return <Unknown />;
  if (typeof value === "number") return <span className="num">{measure(value)}</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  if (INSTANT.test(text)) return <Time at={text} as="day" />;
  if (CODE.test(text)) return wordsWithin(text);
  return text.length > WORD_CHARACTERS_MAX && !text.includes(" ") ? <CopyId value={text} label="value" /> : text;
}

const isFlat = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.values(value).every((inner) => typeof inner !== "object" || inner === null);

/** Records of the same shape are a table. */
function Records({ rows }: { rows: readonly Record<string, unknown>[] }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <table className={styles.records}>
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {words(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={keyOf(row, place)}>
            {names.map((name) => (
              <td key={name}>{leaf(row[name])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Items({ items, depth }: { items: readonly unknown[]; depth: number }) {
  if (items.length === 0) return <span className="dim">none</span>;
  if (items.every(isFlat)) return <Records rows={items} />;
  return (
    <ol className={styles.list}>
      {items.map((item, index) => (
        <li key={keyOf(item, index)}>
          <Tree value={item} depth={depth + 1} />
        </li>
      ))}
    </ol>
  );
}

function Tree({ value, depth }: { value: unknown; depth: number }) {
  if (depth > DEPTH_MAX) return <span className="mono">{JSON.stringify(value)}</span>;
  if (Array.isArray(value)) return <Items items={value} depth={depth} />;
  if (!isRecord(value)) return <>{leaf(value)}</>;
  return (
    <dl className={styles.tree}>
      {Object.entries(value).map(([name, inner]) => (
        // what has parts of its own stands under its name, over the whole width
        <div key={name} className={typeof inner === "object" && inner !== null ? styles.branch : undefined}>
          <dt>{words(name)}</dt>
          <dd>
            <Tree value={inner} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
