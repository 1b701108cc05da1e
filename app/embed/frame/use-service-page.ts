import { useEffect, useRef } from "react";
import type { ReadyMessage } from "../../../embed-element/protocol";
import { createTranslate } from "../../locales/translate";
import type { FrameProps } from "./frame-props";
import { useAppearance } from "./use-appearance";
import { useResizeMessage } from "./use-resize-message";
import { useSession } from "./use-session";

interface ServicePageOptions extends Pick<ReadyMessage, "opensFolders"> {
  /** measures the height at which the page shows everything, CSS pixels; must be the same function in every rendering */
  contentHeight: (root: HTMLElement) => number;
}

/**
 * The session, the language and the outermost element of a service's page. The hook sets the document's title and tells the
 * embedding page the height.
 * @param service its section of the locales must have a `root`: the title
 */
export function useServicePage(
  service: string,
  props: FrameProps,
  { opensFolders, contentHeight }: ServicePageOptions,
) {
  const root = useRef<HTMLDivElement>(null);
  const frame = useSession(service, props, { opensFolders });
  const pageLanguage = useAppearance(frame.embeddingPage, service, props);
  const { sentences, locale } = pageLanguage;
  useEffect(() => {
    document.title = createTranslate<{ root: string }>(sentences, locale)("root");
  }, [sentences, locale]);
  useResizeMessage(frame.embeddingPage, root, contentHeight);
  return { root, frame, pageLanguage };
}
