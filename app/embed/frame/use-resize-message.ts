import { type RefObject, useEffect } from "react";
import type { EmbeddingPage } from "./embedding-page";

/** Beyond this the frame scrolls, CSS pixels: a frame as high as ten thousand rows would defeat windowing. */
const MAX_HEIGHT_PX = 3000;

/**
 * Tells the embedding page the height at which the frame shows everything without scrolling.
 * @param contentHeight measures that height, CSS pixels; must be the same function in every rendering
 */
export function useResizeMessage(
  embeddingPage: EmbeddingPage,
  root: RefObject<HTMLElement>,
  contentHeight: (root: HTMLElement) => number,
): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    let sent = 0;
    const look = () => {
      const height = Math.min(contentHeight(element), MAX_HEIGHT_PX);
      if (height === sent) return;
      sent = height;
      embeddingPage.post({ type: "platform.embed.resize", height });
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
  }, [embeddingPage, root, contentHeight]);
}
