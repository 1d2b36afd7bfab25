/** Repeatable numbers, so that every run of the fake shows the same. */
export function randomMake(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An id that looks like the plane's own and is known beforehand. */
export function idOf(kind: string, number: number): string {
  const kinds: Record<string, string> = {
    tenant: "a0",
    user: "a1",
    cluster: "b0",
    node: "b1",
    device: "b2",
    domain: "b3",
    job: "c0",
    event: "c1",
    swap: "d0",
    approval: "e0",
    audit: "f0",
    certificate: "f1",
    hold: "d1",
    token: "a2",
    webhook: "a3",
    delivery: "a4",
    agent: "a5",
  };
  return `0199cafe-00${kinds[kind] ?? "ff"}-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** A digest that looks like one. */
export function digestOf(text: string): string {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619) >>> 0;
  const random = randomMake(hash);
  return `sha256:${Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join("")}`;
}
