import { useQuery } from "@tanstack/react-query";

import { jobEventsQuery } from "@/api/queries";
import type { Job, JobEvent } from "@/api/types";
import { View } from "@/app/View";
import { count, words } from "@/format/numbers";
import parts from "@/parts/parts.module.css";
import { Panel } from "@/ui/Panel";
import { Empty } from "@/ui/States";
import { Time } from "@/ui/Time";

function whereOf(event: JobEvent): string {
  const where: string[] = [];
  if (event.epoch !== null) where.push(`epoch ${event.epoch}`);
  if (event.step !== null) where.push(`step ${count(event.step)}`);
  if (event.rank !== null) where.push(`rank ${event.rank}`);
  return where.join(", ");
}

export function EventsPanel({ job }: { job: Job }) {
  const query = useQuery({ ...jobEventsQuery(job.id), refetchInterval: 5_000 });
  return (
    <Panel title="Events" flush>
      <View what="The events" query={query}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="Nothing has happened yet">Epochs, mirrors, losses of members and checkpoints are told here.</Empty>
          ) : (
            // a region that scrolls has to be reachable by the keyboard
            <ol className={parts.events} tabIndex={0} aria-label="Events">
              {results.map((event) => (
                <li key={event.id}>
                  <Time at={event.at} as="clock" />
                  <span>{words(event.kind)}
                    {event.text ? <span className="ink2">: {event.text}</span> : null}</span>
                  <span className="dim small num">{whereOf(event)}</span>
                </li>
              ))}
            </ol>
          )
        }
      </View>
    </Panel>
  );
}
