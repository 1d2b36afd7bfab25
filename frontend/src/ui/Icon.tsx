/** Line icons on a 16-unit grid; decorative, so the words beside them carry the meaning. */

const PATHS = {
  overview: "M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5h4.5v3H2.5z",
  fleet: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01M8 5h3M8 11h3",
  jobs: "M2 12.5l3.5-6 3 3.5L14 3M10.5 3H14v3.5",
  swaps: "M2.5 5.5h10l-2.5-2.5M13.5 10.5h-10L6 13",
  approvals: "M8 1.8l5.2 2v4c0 3.2-2.2 5.4-5.2 6.4-3-1-5.2-3.2-5.2-6.4v-4zM5.6 8l1.7 1.7 3.2-3.3",
  audit: "M6.6 9.4l2.8-2.8M7 4.6l1.4-1.4a2.9 2.9 0 0 1 4.2 4.2L11.2 8.8M9 11.4l-1.4 1.4a2.9 2.9 0 0 1-4.2-4.2L4.8 7.2",
  settings: "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM6 9.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3L13.5 13.5",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  auto: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M8 5h3.6M8 8h6M8 11h3.6",
  person: "M8 2.5a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2zM3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  check: "M3 8.5l3.2 3.2L13 4.8",
  cross: "M4 4l8 8M12 4l-8 8",
  arrow: "M2 8h11M9 4l4 4-4 4",
  right: "M6 3.5L10.5 8 6 12.5",
  down: "M3.5 6L8 10.5 12.5 6",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.6",
  shield: "M8 1.8l5.2 2v4c0 3.2-2.2 5.4-5.2 6.4-3-1-5.2-3.2-5.2-6.4v-4z",
  warn: "M8 2.2l6.2 11H1.8zM8 6.5v3.2M8 11.6h.01",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.4v3.4M8 5.2h.01",
  download: "M8 2.5v8M4.8 7.4L8 10.6l3.2-3.2M2.5 13.5h11",
  lock: "M3.5 7.5h9v6h-9zM5.5 7.5V5.2a2.5 2.5 0 0 1 5 0v2.3",
  up: "M8 13V3M4 7l4-4 4 4",
  descending: "M8 3v10M4 9l4 4 4-4",
  empty: "M2.5 9.5l2-6.5h7l2 6.5v4h-11zM2.5 9.5h3.2l.8 1.6h3l.8-1.6h3.2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: "none" }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
