import type { Swap } from "@/api/types";
import { measure } from "@/format/numbers";
import { Meter } from "@/ui/Meter";
import { Figure, Figures } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Time } from "@/ui/Time";

import styles from "./swap.module.css";

const BEFORE = <span className="dim">not yet</span>;

export function SwapFigures({ swap }: { swap: Swap }) {
  return (
    <div className={styles.figures}>
      <PauseMeter swap={swap} />
      <Figures>
        <Figure label="Stall of the step">{swap.stall_ms === null ? BEFORE : <Quantity value={swap.stall_ms} as="milliseconds" />}</Figure>
        <Figure label="Steps lost">{swap.steps_lost === null ? BEFORE : <Quantity value={swap.steps_lost} as="count" />}</Figure>
        <Figure label="Watched from step">
          {swap.watch_from_step === null ? BEFORE : <Quantity value={swap.watch_from_step} as="count" />}
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
        <Meter label="Pause of training" value={0} full={1} text={<span className="dim">training has not paused</span>} />
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
        {budget === null ? "no budget is set" : `budget ${measure(budget)} ms${over ? ", exceeded" : ""}`}
      </p>
    </div>
  );
}
