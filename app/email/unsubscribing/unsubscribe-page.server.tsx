import { hash } from "node:crypto";
import { renderToStaticMarkup } from "react-dom/server";
import { pageLanguage } from "../../locales/languages.server";
import { createTranslate, type English } from "../../locales/translate";
import type { Subscription } from "./subscription.server";

/**
 * What the page shows: `ask` before unsubscribing, `done` after it, `again` after subscribing again, `wrong` for an invalid link, `busy`
 * when the request should be repeated later.
 */
export type UnsubscribeState = "ask" | "done" | "again" | "wrong" | "busy";

/** The form field that each button sends. Mail providers send the first one too. RFC 8058, section 3.2. */
export const UNSUBSCRIBE = { name: "List-Unsubscribe", value: "One-Click" };
export const SUBSCRIBE_AGAIN = { name: "subscribe", value: "again" };

/** Uses the explorer's colours and loads nothing. */
const style = `
:root {
  color-scheme: light dark;
  --background: light-dark(#f6f7f9, #131417);
  --card: light-dark(#fff, #1b1d21);
  --line: light-dark(#e6e8ec, #2a2c33);
  --text: light-dark(#16181d, #eef0f3);
  --soft: light-dark(#555b67, #a9afbb);
  --accent: light-dark(#3157e0, #8aa4ff);
  --hover: light-dark(#2748c4, #a2b7ff);
  --on-accent: light-dark(#fff, #10131f);
  --control: light-dark(#7f8591, #757b87);
}
* { box-sizing: border-box }
body {
  margin: 0; min-height: 100dvh; padding: 16px;
  display: grid; place-items: safe center;
  background: var(--background); color: var(--text);
  font: 16px/24px -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
    "Liberation Sans", Arial, sans-serif;
}
main {
  width: 100%; max-width: 440px; padding: 32px 24px;
  border: 1px solid var(--line); border-radius: 12px;
  background: var(--card); text-align: center;
}
.brand { margin: 0 0 20px; color: var(--text); font-weight: 600 }
h1 { margin: 0; font-size: 20px; line-height: 28px; text-wrap: balance }
p { margin: 8px 0 0; color: var(--soft); text-wrap: pretty; overflow-wrap: anywhere }
form, .again { margin: 24px 0 0 }
button, .again a {
  min-height: 44px; padding: 9px 20px;
  border: 1px solid var(--accent); border-radius: 8px;
  background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 600; cursor: pointer;
}
.again a { display: inline-block; text-decoration: none }
:is(button, .again a):hover { border-color: var(--hover); background: var(--hover) }
button.quiet { border-color: var(--control); background: none; color: var(--text) }
button.quiet:hover { border-color: var(--text) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
:lang(ja) { word-break: auto-phrase }
`;

/** No scripts, no images, no framing, and the form can only be sent to the page itself. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Renders the page in the campaign's language, or else in one that the browser asks for. */
export function unsubscribePage(
  state: UnsubscribeState,
  { headers }: Pick<Request, "headers">,
  subscription: Subscription | null = null,
): { html: string; headers: Record<string, string> } {
  const wanted = { asked: subscription?.locale ?? null, accepted: headers.get("Accept-Language") };
  const { locale, dir, sentences } = pageLanguage("unsubscribe", wanted);
  const t = createTranslate<English["unsubscribe"]>(sentences, locale);
  const values = { address: maskAddress(subscription?.address ?? ""), site: subscription?.siteName ?? "" };
  const button = state === "done" ? SUBSCRIBE_AGAIN : UNSUBSCRIBE;
  const page = (
    <html lang={locale} dir={dir}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{t(`${state}.title`)}</title>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of this file */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          {subscription && (
            <p className="brand">
              <bdi>{subscription.siteName}</bdi>
            </p>
          )}
          <h1>{t(`${state}.title`)}</h1>
          <p>{t(`${state}.text`, values)}</p>
          {state === "busy" && (
            <p className="again">
              {/* biome-ignore lint/a11y/useValidAnchor: the page itself, which asks first, whatever could not be done */}
              <a href="">{t("busy.button")}</a>
            </p>
          )}
          {subscription && (
            <form method="post">
              <button {...button} className={state === "ask" ? undefined : "quiet"}>
                {t(state === "done" ? "done.button" : "ask.button")}
              </button>
            </form>
          )}
        </main>
      </body>
    </html>
  );
  return {
    html: `<!doctype html>${renderToStaticMarkup(page)}`,
    headers: {
      "Content-Security-Policy": contentSecurityPolicy,
      "Referrer-Policy": "no-referrer",
      "X-Robots-Tag": "noindex",
    },
  };
}

/** Enough for the owner to recognize the address, too little for others who have the link. */
function maskAddress(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 1 ? "" : `${address[0]}…${address.slice(at)}`;
}
