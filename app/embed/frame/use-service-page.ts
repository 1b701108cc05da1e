import { type RefObject, useEffect, useRef } from "react";
import type { ReadyMessage } from "../../../embed-element/protocol";
import { createTranslate } from "../../locales/translate";
import type { FrameProps } from "./frame-props";
import { useAppearance } from "./use-appearance";
import { type FrameSession, useSession } from "./use-session";

interface ServicePageOptions extends Pick<ReadyMessage, "opensFolders"> {
  /** measures the height at which the page shows everything, CSS pixels; must be the same function in every rendering */
  contentHeight: (root: HTMLElement) => number;
  /** The page sets the document's title by itself. */
  hasOwnTitle?: boolean;
}

/**
 * The session, the language and the outermost element of a service's page. The hook sets the document's title, unless
 * the page does, and tells the embedding page the height.
 * @param service its section of the locales must have a `root`: the title, if the integrator has named none
 */
export function useServicePage(
  service: string,
  props: FrameProps,
  { opensFolders, contentHeight, hasOwnTitle = false }: ServicePageOptions,
) {
  const root = useRef<HTMLDivElement>(null);
  const frame = useSession(service, props, { opensFolders });
  const pageLanguage = useAppearance(frame.embeddingPage, service, props);
  const { sentences, locale } = pageLanguage;
  const { title } = props;
  useEffect(() => {
    if (!hasOwnTitle) document.title = title ?? createTranslate<{ root: string }>(sentences, locale)("root");
  }, [title, sentences, locale, hasOwnTitle]);
  useResizeMessage(frame, root, contentHeight);
  return { root, frame, pageLanguage };
}

/** Beyond this the frame scrolls, CSS pixels: a frame as high as ten thousand rows would defeat windowing. */
const MAX_HEIGHT_PX = 3000;

/**
 * Tells the embedding page the height at which the frame shows everything without scrolling.
 * @param contentHeight measures that height, CSS pixels; must be the same function in every rendering
 */
function useResizeMessage(
  { embeddingPage, session }: Pick<FrameSession, "embeddingPage" | "session">,
  root: RefObject<HTMLElement>,
  contentHeight: (root: HTMLElement) => number,
): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    let sent = 0;
    const look = () => {
      // What is hidden comes back with the same height, and the embedding page does not jump.
      if (session.getState().wasLeft) return;
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
  }, [embeddingPage, session, root, contentHeight]);
}
