import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { ConnectionState, Delta } from "@/live/connection";
import { LiveConnection } from "@/live/connection";

/** A socket whose other end is the test. */
class FakeSocket extends EventTarget {
  static all: FakeSocket[] = [];
  closed = false;

  constructor(readonly url: string) {
    super();
    FakeSocket.all.push(this);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.dispatchEvent(new Event("close"));
  }

  say(message: unknown): void {
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

const latest = (): FakeSocket => FakeSocket.all.at(-1) as FakeSocket;
const delta = (sequence: number, id = "1") => ({ type: "delta", sequence, kind: "swap.changed", payload: { id } });

let deltas: Delta[];
let resyncs: number;
let states: ConnectionState[];
let connection: LiveConnection;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all = [];
  [deltas, resyncs, states] = [[], 0, []];
  connection = new LiveConnection("ws://plane/ws/live?tenant=1", {
    onDelta: (one) => deltas.push(one),
    onResync: () => (resyncs += 1),
    onState: (state) => states.push(state),
  });
  connection.open();
});

afterEach(() => {
  connection.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a live connection", () => {
  test("reads anew once greeted, then passes on numbered deltas in order", () => {
    latest().say({ type: "hello", sequence: 7 });
    latest().say(delta(8, "a"));
    latest().say(delta(9, "b"));
    expect(resyncs).toBe(1);
    expect(states.at(-1)).toEqual({ name: "live" });
    expect(deltas.map(({ payload }) => payload.id)).toEqual(["a", "b"]);
  });

  test("a gap reads anew and passes nothing on; later deltas count from there", () => {
    latest().say({ type: "hello", sequence: 1 });
    latest().say(delta(4));
    latest().say(delta(5, "after"));
    expect(resyncs).toBe(2);
    expect(deltas.map(({ payload }) => payload.id)).toEqual(["after"]);
  });

  test("a repeated delta is dropped, and so is one before the greeting", () => {
    latest().say(delta(1));
    latest().say({ type: "hello", sequence: 3 });
    latest().say(delta(3));
    expect(deltas).toEqual([]);
  });

  test("a beat with a newer number tells of a miss", () => {
    latest().say({ type: "hello", sequence: 3 });
    latest().say({ type: "beat", sequence: 3 });
    expect(resyncs).toBe(1);
    latest().say({ type: "beat", sequence: 4 });
    expect(resyncs).toBe(2);
  });

  test("what is no message of ours is ignored", () => {
    latest().say("not JSON");
    latest().say({ type: "hello" });
    expect(states).toEqual([]);
  });

  test("a lost connection is said with its time, tried again ever more slowly, and read anew", () => {
    latest().say({ type: "hello", sequence: 1 });
    const lostAt = Date.now();
    latest().close();
    expect(states.at(-1)).toEqual({ name: "reconnecting", since: lostAt });
    vi.advanceTimersByTime(400);
    expect(FakeSocket.all.length).toBe(2);
    latest().close();
    expect(states.at(-1)).toEqual({ name: "reconnecting", since: lostAt });
    vi.advanceTimersByTime(800);
    expect(FakeSocket.all.length).toBe(3);
    latest().say({ type: "hello", sequence: 50 });
    expect(resyncs).toBe(2);
    expect(states.at(-1)).toEqual({ name: "live" });
  });

  test("the wait between attempts has a limit", () => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      latest().close();
      vi.advanceTimersByTime(8_000);
    }
    expect(FakeSocket.all.length).toBeGreaterThanOrEqual(13);
  });

  test("one that never greets, and one that falls silent, is given up", () => {
    const silent = latest();
    vi.advanceTimersByTime(6_000);
    expect(silent.closed).toBe(true);
    vi.advanceTimersByTime(400);
    latest().say({ type: "hello", sequence: 1 });
    const second = latest();
    vi.advanceTimersByTime(40_000);
    expect(second.closed).toBe(true);
  });

  test("closed for good, it is not tried again", () => {
    connection.close();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all.length).toBe(1);
  });
});
