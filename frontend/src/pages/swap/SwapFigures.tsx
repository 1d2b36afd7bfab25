import type { Swap } from "@/api/types";
import { measure } from "@/format/numbers";
import { isOpen } from "@/parts/swapStates";
import { Meter } from "@/ui/Meter";
import { Figure, Figures } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./swap.module.css";

interface AfterProps {
  swap: Swap;
  value: number | null;
  as: "count" | "milliseconds";
}

/** What is known once the rank has changed hands; before that it is not missing, only not yet. */
const After = ({ swap, value, as }: AfterProps) =>
  value === null && swap.watch_from_step === null ? (
    <span className="dim">{isOpen(swap.state) ? "not yet" : "none"}</span>
  ) : (
    <Quantity value={value} as={as} />
  );

export function SwapFigures({ swap }: { swap: Swap }) {
  return (
    <div className={styles.figures}>
      <PauseMeter swap={swap} />
      <Figures>
        {swap.kind === "unplanned" ? (
          <Figure label="Stall of the lost step">
            <After swap={swap} value={swap.stall_ms} as="milliseconds" />
          </Figure>
        ) : null}
        <Figure label="Steps lost">
          <After swap={swap} value={swap.steps_lost} as="count" />
        </Figure>
        <Figure label="Watched from step">
          <After swap={swap} value={swap.watch_from_step} as="count" />
        </Figure>
        <Figure label="Proposed">
          <Time at={swap.created_at} />
        </Figure>
      </Figures>
    </div>
  );
}

/** The pause so far, against what was promised for it. */
function PauseMeter({ swap }: { swap: Swap }) {
  const { pause_ms: pause, pause_budget_ms: budget } = swap;
  const over = pause !== null && budget !== null && pause > budget;
  return (
    <div className={styles.pause}>
      {pause === null ? (
        <Meter
          label="Pause of training"
          value={swap.watch_from_step === null ? 0 : null}
          full={1}
          text={swap.watch_from_step === null ? <span className="dim">training has not paused</span> : <Unknown />}
        />
      ) : (
        <Meter
          label={swap.kind === "planned" ? "Pause of training" : "From loss to training again"}
          value={pause}
          full={Math.max(budget ?? 0, pause)}
          mark={over ? budget : null}
          markLabel="budget"
          text={
            <span className={styles.large}>
              <Quantity value={pause} as="milliseconds" />
            </span>
          }
        />
      )}
      <p className="dim small">
        {budget === null ? "No budget is set." : `${over ? "Longer than" : "Of"} the ${measure(budget)} ms that were promised.`}
      </p>
    </div>
  );
}
