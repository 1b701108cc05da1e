/**
 * Scripts with their own origin for the service's requests; downloads; the browser's question before a running upload is
 * left; and new tabs that are normal ones.
 */
const SANDBOX =
  "allow-scripts allow-same-origin allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox";

interface Appearance {
  theme: string;
  locale: string | null;
}

/**
 * A new iframe in `parent` for each mount: another `src` in the old one would leave an entry in the page's history. The platform
 * checks the embedding page by its `Referer`, so the policy is explicit: a page-wide `no-referrer` must not hide it.
 */
export function createIframe(
  url: URL,
  title: string,
  { theme, locale }: Appearance,
  parent: HTMLElement,
): HTMLIFrameElement {
  if (theme !== "auto") url.searchParams.set("theme", theme);
  if (locale) url.searchParams.set("locale", locale);
  const iframe = document.createElement("iframe");
  iframe.part = "frame";
  iframe.title = title;
  iframe.inert = true;
  iframe.setAttribute("sandbox", SANDBOX);
  iframe.allow = "fullscreen";
  iframe.referrerPolicy = "strict-origin";
  iframe.src = url.href;
  parent.prepend(iframe);
  return iframe;
}
