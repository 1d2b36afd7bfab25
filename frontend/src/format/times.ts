/** Times in the viewer's zone, with the zone said. */

const LOCALE = "en-GB";

const exactFormat = new Intl.DateTimeFormat(LOCALE, {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

const clockFormat = new Intl.DateTimeFormat(LOCALE, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

const dayClockFormat = new Intl.DateTimeFormat(LOCALE, {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
});

/** The full time with its zone, as on hover. */
export const exact = (at: string): string => exactFormat.format(new Date(at));

/** The time of day to the second. */
export const clock = (at: string | number): string => clockFormat.format(new Date(at));

/** Day and time to the minute, for what may lie days back. */
export const dayClock = (at: string): string => dayClockFormat.format(new Date(at));

/** The short name of the viewer's zone, such as CET or UTC. */
export function zone(): string {
  const parts = exactFormat.formatToParts(new Date());
  return parts.find((part) => part.type === "timeZoneName")?.value ?? "local";
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A span as `4 s`, `12 min`, `3 h`; the largest whole unit. */
export function span(seconds: number): string {
  const size = Math.max(0, Math.floor(Math.abs(seconds)));
  for (const [length, unit] of UNITS) {
    if (size >= length) return `${Math.floor(size / length)} ${unit}`;
  }
  return "0 s";
}

const two = (value: number): string => String(value).padStart(2, "0");

/** A span to the second, as on a running clock: `0:42`, `12:05`, `1:02:09`. */
export function stopwatch(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** How long ago, or how soon, as seen at `now` (milliseconds). */
export function relative(at: string, now: number): string {
  const seconds = (now - new Date(at).getTime()) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? `${span(seconds)} ago` : `in ${span(seconds)}`;
}
