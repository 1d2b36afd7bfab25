import { clock, dayClock, exact, relative } from "@/format/times";

import { useNow } from "./now";
import { Unknown } from "./Tag";

interface TimeProps {
  at: string | null | undefined;
  /** `relative` counts; `clock` is the time of day; `day` adds the date. */
  as?: "relative" | "clock" | "day";
}

/** A time as text; the exact one with its zone on hover. */
export function Time({ at, as = "relative" }: TimeProps) {
  if (!at) return <Unknown>no time</Unknown>;
  if (as === "relative") return <Relative at={at} />;
  return (
    <time dateTime={at} title={exact(at)} style={{ whiteSpace: "nowrap" }}>
      {as === "clock" ? clock(at) : dayClock(at)}
    </time>
  );
}

function Relative({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exact(at)} style={{ whiteSpace: "nowrap" }}>
      {relative(at, now)}
    </time>
  );
}
