/** A number with its unit, or the hatched word for what is not known. */
import type { Quantity as Value } from "@/format/numbers";
import { bytes, count, duration, measure, percent } from "@/format/numbers";

import styles from "./quantity.module.css";
import { Unknown } from "./Tag";

type As = "count" | "measure" | "seconds" | "milliseconds" | "bytes" | "share";

interface QuantityProps {
  value: number | null | undefined;
  as?: As;
  unit?: string;
}

const plain = (digits: string): Value => ({ digits, unit: "" });

const FORMATS: Readonly<Record<As, (value: number) => Value>> = {
  count: (value) => plain(count(value)),
  measure: (value) => plain(measure(value)),
  seconds: duration,
  milliseconds: (value) => ({ digits: measure(value), unit: "ms" }),
  bytes,
  share: percent,
};

export function Quantity({ value, as = "measure", unit }: QuantityProps) {
  if (value === null || value === undefined || Number.isNaN(value)) return <Unknown />;
  const shown = FORMATS[as](value);
  const suffix = unit ?? shown.unit;
  return (
    <span className={styles.quantity} title={as === "count" ? undefined : String(value)}>
      {shown.digits}
      {suffix ? <span className={styles.unit}> {suffix}</span> : null}
    </span>
  );
}
