import { createContext, useContext } from "react";
import { pageLanguage } from "../locales/languages.server";
import { createTranslate, type English } from "../locales/translate";
import { PageStyles } from "./page-styles.server";

/** Set by `entry.server.tsx`, because a page that failed has no loader data. */
export const FailedRequestContext = createContext<{ request?: Request; requestId?: string | undefined }>({});

/**
 * The page after an error while rendering. It uses nothing of the failed page's state, and takes its language from the request.
 */
export function FailedPage({ styles }: { styles: string[] }) {
  const { request, requestId: id } = useContext(FailedRequestContext);
  const { locale, dir, sentences } = pageLanguage("refused", {
    asked: request ? new URL(request.url).searchParams.get("locale") : null,
    accepted: request?.headers.get("Accept-Language"),
  });
  const t = createTranslate<English["refused"]>(sentences, locale);
  return (
    <html lang={locale} dir={dir}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{t("internal.title")}</title>
        <PageStyles hrefs={styles} />
      </head>
      <body>
        <main className="embed-state embed-state--page">
          <h1 className="embed-state__title">{t("internal.title")}</h1>
          <p className="embed-state__text">{t("internal.text")}</p>
          {id && <p className="embed-state__code">{t("request", { id })}</p>}
        </main>
      </body>
    </html>
  );
}
