import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import { swapEventsQuery } from "@/api/queries";
import type { Swap, SwapEvent } from "@/api/types";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { count, measure, words, wordsWithin } from "@/format/numbers";
import parts from "@/parts/parts.module.css";
import { Panel } from "@/ui/Panel";
import { Empty } from "@/ui/States";
import { Time } from "@/ui/Time";

function scalar(value: unknown): string | null {
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : measure(value);
  return (typeof value === "string" || typeof value === "boolean") && value !== "" ? String(value) : null;
}

/** Where the event led; nothing for one that only told something. */
function pathText(event: SwapEvent): string {
  if (event.from_state === event.to_state || !event.from_state) return "";
  return `${wordsWithin(event.from_state)} → ${wordsWithin(event.to_state)}`;
}

/** The plain values of an event's detail; nested ones are in the audit. */
function detailOf(event: SwapEvent): string {
  return Object.entries(event.detail)
    .flatMap(([name, value]) => {
      const text = scalar(value);
      return text === null ? [] : [`${wordsWithin(name)} ${text}`];
    })
    .join(", ");
}

const newestFirst = (events: readonly SwapEvent[]): SwapEvent[] =>
  events.toSorted((one, other) => other.sequence - one.sequence);

export function LogPanel({ swap }: { swap: Swap }) {
  const query = useQuery(swapEventsQuery(swap.id));
  return (
    <Panel
      title="Log"
      flush
      aside={
        <Link className="link" to={paths.audit(`swap:${swap.id}`)}>
          In the audit
        </Link>
      }
    >
      <View what="The log" query={query}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="Nothing is logged yet" />
          ) : (
            <ol className={parts.events} tabIndex={0} aria-label="Log">
              {newestFirst(results).map((event) => (
                <Line key={event.id} event={event} />
              ))}
            </ol>
          )
        }
      </View>
    </Panel>
  );
}

const Line = ({ event }: { event: SwapEvent }) => (
  <li>
    <Time at={event.at} as="clock" />
    <span>
      {words(event.action)}
      <span className="dim">
        {" "}
        {pathText(event)}
      </span>
      <span className={parts.values} style={{ display: "block" }}>
        {detailOf(event)}
      </span>
    </span>
    <span className="dim small">{event.actor.name}</span>
  </li>
);
