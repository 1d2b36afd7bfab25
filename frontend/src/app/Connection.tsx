/** How the live connection stands, in the bar and, when it is bad, across the page. */
import { span } from "@/format/times";
import { useFreshness } from "@/live/LiveProvider";
import { Banner } from "@/ui/Banner";
import { useNow } from "@/ui/now";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

export function ConnectionMark() {
  const state = useFreshness();
  const now = useNow();
  if (!("since" in state)) {
    const live = state.name === "live";
    return (
      <Tag tone="quiet" moving={live}>
        {live ? "Live" : "Connecting"}
      </Tag>
    );
  }
  const since = span((now - state.since) / 1000);
  if (state.name === "reconnecting") {
    return (
      <Tag tone="active" moving title="Reads every few seconds until the live connection is back">
        Reconnecting since {since}
      </Tag>
    );
  }
  return <Tag tone="hatched">Stale, {since} old</Tag>;
}

export function StaleBanner() {
  const state = useFreshness();
  if (state.name !== "stale") return null;
  return (
    <Banner icon="clock" tone="stale">
      <span className="strong">What you see is old.</span> The control plane last answered{" "}
      <Time at={new Date(state.since).toISOString()} />. Jobs go on training without it; it is tried again by
      itself.
    </Banner>
  );
}
