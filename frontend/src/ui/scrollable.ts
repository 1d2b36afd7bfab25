/** What scrolls sideways can be reached by the keyboard, and only while it does. */
import { useEffect, useRef, useState } from "react";

export function useScrollable<Element extends HTMLElement>() {
  const ref = useRef<Element>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const frame = ref.current;
    if (!frame) return undefined;
    const look = () => setScrolls(frame.scrollWidth > frame.clientWidth);
    const observer = new ResizeObserver(look);
    observer.observe(frame);
    // what is within grows once it is read
    for (const child of frame.children) observer.observe(child);
    look();
    return () => observer.disconnect();
  }, []);
  return { ref, tabIndex: scrolls ? 0 : undefined };
}
