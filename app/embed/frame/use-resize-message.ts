import { type RefObject, useEffect } from "react";
import type { TokenSession } from "./token-session";

/** A frame as high as ten thousand rows would defeat windowing: beyond this it scrolls, CSS pixels. */
const TALLEST = 3000;
/** What a state, such as an empty folder, needs, CSS pixels. */
const STATE_HEIGHT = 320;

/** Tells the page around the frame which height would show everything without scrolling. */
export function useResizeMessage(root: RefObject<HTMLElement>, session: TokenSession): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    let told = 0;
    const look = () => {
      const main = element.querySelector<HTMLElement>(".main");
      const grid = element.querySelector<HTMLElement>(".grid");
      if (!main) return;
      const around = element.offsetHeight - main.offsetHeight;
      const height = Math.min(around + (grid?.offsetHeight ?? STATE_HEIGHT), TALLEST);
      if (height === told) return;
      told = height;
      session.post({ type: "platform.embed.resize", height });
    };
    look();
    const changes = new MutationObserver(look);
    changes.observe(element, { childList: true, subtree: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      changes.disconnect();
      sizes.disconnect();
    };
  }, [root, session]);
}
