import type { EmbedAppearance } from "../protocol";

/**
 * Scripts with their own origin for the service's requests; downloads; the browser's question before a running upload is
 * left; and new tabs that are normal ones.
 */
export const SANDBOX =
  "allow-scripts allow-same-origin allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox";

/** What the frame's first rendering has to know already. */
interface Settings extends EmbedAppearance {
  theme: string;
  locale: string;
  path: string | null;
  isolated?: boolean;
}

/**
 * A new iframe in `parent` for each mount: another `src` in the old one would leave an entry in the page's history. The platform
 * checks the embedding page by its `Referer`, so the policy is explicit: a page-wide `no-referrer` must not hide it.
 */
export function createIframe(url: URL, settings: Settings, parent: HTMLElement): HTMLIFrameElement {
  // A page that is isolated has an embedder policy, and so the frame needs one.
  for (const [name, value] of Object.entries({ isolated: crossOriginIsolated, ...settings } as Settings))
    if (value === 0 || (value && value !== "auto")) url.searchParams.set(name, value);
  const iframe = document.createElement("iframe");
  iframe.part = "frame";
  iframe.inert = true;
  iframe.setAttribute("sandbox", SANDBOX);
  iframe.allow = "fullscreen";
  iframe.referrerPolicy = "strict-origin";
  iframe.src = url.href;
  parent.prepend(iframe);
  return iframe;
}
