/**
 * The one WebSocket to the plane: numbered deltas, and what to do when a number is missing.
 *
 * Whoever opens it is told of each delta in order (`onDelta`), and to read everything anew
 * (`onResync`) after a gap and after each reconnection. `onState` says how the connection stands.
 */

export interface Delta {
  kind: string;
  payload: Record<string, unknown>;
}

export type ConnectionState =
  | { name: "connecting" }
  | { name: "live" }
  | { name: "reconnecting"; since: number };

export interface LiveHandlers {
  onDelta: (delta: Delta) => void;
  onResync: () => void;
  onState: (state: ConnectionState) => void;
}

/** The first wait before another attempt; doubled each time up to the longest. */
const RETRY_WAIT_MS = 400;
const RETRY_WAIT_MS_MAX = 8_000;

/** A connection that has not said hello by then is given up. */
const HELLO_WAIT_MS = 6_000;

/** A beat comes each 15 s; without any message for this long the connection is dead. */
const SILENCE_MS_MAX = 40_000;

interface Message {
  type: "hello" | "delta" | "beat";
  sequence: number;
  kind?: string;
  payload?: Record<string, unknown>;
}

/** Reads a message; null for what is none of ours. */
function messageOf(data: unknown): Message | null {
  if (typeof data !== "string") return null;
  try {
    const message = JSON.parse(data) as Partial<Message>;
    const known = ["hello", "delta", "beat"].includes(message.type ?? "");
    return known && typeof message.sequence === "number" ? (message as Message) : null;
  } catch {
    return null;
  }
}

export class LiveConnection {
  readonly #url: string;
  readonly #handlers: LiveHandlers;
  #socket: WebSocket | null = null;
  #sequence: number | null = null;
  #attempts = 0;
  #lostAt: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(url: string, handlers: LiveHandlers) {
    this.#url = url;
    this.#handlers = handlers;
  }

  open(): void {
    if (this.#closed) return;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#timer = setTimeout(() => socket.close(), HELLO_WAIT_MS);
    socket.addEventListener("message", (event) => this.#receive(event.data));
    socket.addEventListener("close", () => this.#lost(socket));
  }

  /** Closes for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #receive(data: unknown): void {
    const message = messageOf(data);
    if (!message) return;
    this.#expectMore();
    if (message.type === "hello") this.#greeted(message.sequence);
    else if (message.type === "delta") this.#changed(message);
    else this.#reminded(message.sequence);
  }

  /** A network that dies without a word is noticed by the silence. */
  #expectMore(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket?.close(), SILENCE_MS_MAX);
  }

  /** A beat with a newer number tells of a delta that never came. */
  #reminded(sequence: number): void {
    if (this.#sequence === null || sequence <= this.#sequence) return;
    this.#sequence = sequence;
    this.#handlers.onResync();
  }

  #greeted(sequence: number): void {
    this.#sequence = sequence;
    this.#attempts = 0;
    this.#lostAt = null;
    this.#handlers.onState({ name: "live" });
    // also the first time: what was read before the hello may have missed a change
    this.#handlers.onResync();
  }

  #changed(message: Message): void {
    if (this.#sequence === null || message.sequence <= this.#sequence) return;
    const gap = message.sequence !== this.#sequence + 1;
    this.#sequence = message.sequence;
    if (gap) this.#handlers.onResync();
    else this.#handlers.onDelta({ kind: message.kind ?? "", payload: message.payload ?? {} });
  }

  #lost(socket: WebSocket): void {
    if (this.#closed || socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#sequence = null;
    this.#lostAt ??= Date.now();
    this.#handlers.onState({ name: "reconnecting", since: this.#lostAt });
    const wait = Math.min(RETRY_WAIT_MS_MAX, RETRY_WAIT_MS * 2 ** this.#attempts);
    this.#attempts += 1;
    // spread, so that a restarted plane is not met by all dashboards in one moment
    this.#timer = setTimeout(() => this.open(), wait * (0.5 + Math.random() / 2));
  }
}
