/** A grade by colour and by shape, so that neither alone has to be seen. */
import type { Grade } from "@/api/types";

import styles from "./grade.module.css";

export const GRADES: readonly Grade[] = ["critical", "high", "medium", "low", "unknown"];

export const GRADE_WORDS: Readonly<Record<Grade, string>> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  critical: "Critical",
  unknown: "Unknown",
};

/** Circle, triangle, diamond, and a square with a bar: told apart at ten pixels. */
function Shape({ grade }: { grade: Grade }) {
  if (grade === "low") return <circle cx="6" cy="6" r="4" fill="currentColor" />;
  if (grade === "medium") return <path d="M6 1.6l5 8.8H1z" fill="currentColor" />;
  if (grade === "high") return <path d="M6 .4L11.6 6 6 11.6.4 6z" fill="currentColor" />;
  if (grade === "critical") {
    return (
      <>
        <rect x="1" y="1" width="10" height="10" rx="1.5" fill="currentColor" />
        <path d="M3.8 3.8l4.4 4.4M8.2 3.8L3.8 8.2" stroke="var(--surface)" strokeWidth="1.6" />
      </>
    );
  }
  return (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" strokeDasharray="2 1.6" strokeWidth="1.3" />
      <path d="M3.4 7.6l4.2-4.2M5 9l4-4" stroke="currentColor" strokeWidth="0.9" />
    </>
  );
}

export function GradeShape({ grade, size = 12 }: { grade: Grade; size?: number }) {
  return (
    <svg
      className={styles[grade]}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
      style={{ flex: "none" }}
    >
      <Shape grade={grade} />
    </svg>
  );
}

export function GradeMark({ grade, stale = false }: { grade: Grade; stale?: boolean }) {
  return (
    <span className={styles.mark}>
      {stale ? (
        <span className={styles.stale}>
          <GradeShape grade={grade} />
        </span>
      ) : (
        <GradeShape grade={grade} />
      )}
      <span className={stale ? "dim" : styles.word}>
        {GRADE_WORDS[grade]}
        {stale ? <span className="dim"> (stale)</span> : null}
      </span>
    </span>
  );
}

/** How many nodes have each grade: one bar, and the same in words. */
export function GradeBar({ counts }: { counts: Partial<Record<Grade, number>> }) {
  const shown = GRADES.filter((grade) => (counts[grade] ?? 0) > 0);
  return (
    <div className="stack tight">
      <div className={styles.bar} aria-hidden="true">
        {shown.map((grade) => (
          <span key={grade} className={styles[grade]} style={{ flexGrow: counts[grade] }} />
        ))}
      </div>
      <ul className={styles.legend}>
        {GRADES.map((grade) => (
          <li key={grade} className={styles.mark}>
            <GradeShape grade={grade} size={10} />
            <span className={(counts[grade] ?? 0) > 0 ? "" : "dim"}>
              {GRADE_WORDS[grade]} <b>{counts[grade] ?? 0}</b>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
