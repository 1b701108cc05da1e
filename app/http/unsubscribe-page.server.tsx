import { renderToStaticMarkup } from "react-dom/server";
import type { Subscription } from "../campaigns/unsubscribe/subscription.server";
import { pageLanguage } from "../locales/languages.server";
import { createTranslate, type English } from "../locales/translate";
import { UNSUBSCRIBE_POLICY, unsubscribeStyle } from "./unsubscribe-style.server";

/** `ask` before, `done` after, `again` when it was taken back; `wrong` of a link that is none of ours, `busy` when we cannot tell. */
export type UnsubscribeState = "ask" | "done" | "again" | "wrong" | "busy";

/** What each button sends; the first is what mail providers send too. RFC 8058, section 3.2. */
export const UNSUBSCRIBE = { name: "List-Unsubscribe", value: "One-Click" };
export const SUBSCRIBE_AGAIN = { name: "subscribe", value: "again" };

/** The page in the campaign's language, or, without one, in one that the browser asks for. */
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
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a style sheet of ours */}
        <style dangerouslySetInnerHTML={{ __html: unsubscribeStyle }} />
      </head>
      <body>
        <main>
          <h1>{t(`${state}.title`)}</h1>
          <p>{t(`${state}.text`, values)}</p>
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
      "Content-Security-Policy": UNSUBSCRIBE_POLICY,
      "Referrer-Policy": "no-referrer",
      "X-Robots-Tag": "noindex",
    },
  };
}

/** Enough for its owner to know it, and for nobody else who has the link. */
function maskAddress(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 1 ? "" : `${address[0]}…${address.slice(at)}`;
}
