import type { Swap } from "@/api/types";
import { span } from "@/format/times";
import { Meter } from "@/ui/Meter";
import { Facts, Panel } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Unknown } from "@/ui/Tag";

/** State on its way to the target: how much, how fast, how long still. */
export function TransferPanel({ swap }: { swap: Swap }) {
  const { transfer } = swap;
  if (!transfer) return null;
  const { done_bytes: done, total_bytes: total, rate_bytes_per_s: rate } = transfer;
  const left = rate ? (total - done) / rate : null;
  return (
    <Panel title="Transfer">
      <div className="stack tight">
        <Meter
          label="State copied"
          value={done}
          full={total}
          text={
            <>
              <Quantity value={done} as="bytes" /> <span className="dim">of</span> <Quantity value={total} as="bytes" />
            </>
          }
        />
        <Facts
          items={[
            [
              "Units",
              transfer.units_done === null || transfer.units_total === null ? (
                <Unknown key="units" />
              ) : (
                `${transfer.units_done} of ${transfer.units_total}`
              ),
            ],
            [
              "Rate",
              done >= total ? (
                <span key="rate" className="dim">
                  done
                </span>
              ) : rate === null ? (
                <Unknown key="rate" />
              ) : (
                <span key="rate">
                  <Quantity value={rate} as="bytes" />
                  <span className="dim">/s</span>
                </span>
              ),
            ],
            ["Time left", done >= total ? <span className="dim">done</span> : left === null ? <Unknown key="left" /> : span(left)],
          ]}
        />
      </div>
    </Panel>
  );
}
