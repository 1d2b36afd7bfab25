/** What jsdom lacks of a browser, as far as the dashboard needs it. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** A canvas that takes every call and draws nothing. */
const blankContext = new Proxy(
  {},
  {
    get: (target: Record<string, unknown>, name: string) =>
      name in target ? target[name] : name === "measureText" ? () => ({ width: 10 }) : () => undefined,
    set: (target: Record<string, unknown>, name: string, value) => {
      target[name] = value;
      return true;
    },
  },
);

class NoPath {
  moveTo() {}
  lineTo() {}
  rect() {}
  arc() {}
  addPath() {}
  closePath() {}
}

vi.stubGlobal("ResizeObserver", NoObserver);
vi.stubGlobal("Path2D", NoPath);

const FRAME_PX = { width: 1200, height: 800 };

/** A test that names another environment has no page. */
function pageFill(): void {
  HTMLCanvasElement.prototype.getContext = (() => blankContext) as never;
  document.documentElement.lang = "en";
  // a frame in which a long list finds room for some of its rows
  Object.defineProperty(HTMLElement.prototype, "clientHeight", { get: () => FRAME_PX.height });
  Object.defineProperty(HTMLElement.prototype, "clientWidth", { get: () => FRAME_PX.width });
  Element.prototype.scrollIntoView = () => undefined;
  globalThis.matchMedia = ((query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  })) as typeof matchMedia;
}

// a machine that runs other things meanwhile is slow, not wrong
configure({ asyncUtilTimeout: 60_000 });

if ("document" in globalThis) {
  pageFill();
  afterEach(() => {
    cleanup();
    localStorage.clear();
  });
}
