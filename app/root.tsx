import type { HeadersFunction, SerializeFrom } from "@remix-run/node";
import {
  isRouteErrorResponse,
  Links,
  LiveReload,
  Meta,
  Outlet,
  useMatches,
  useRouteError,
} from "@remix-run/react";
import type { embedPage } from "./http/embed-page.server";

/** What a page that failed is answered with: its boundary is here, so its headers are too. */
export const headers: HeadersFunction = ({ errorHeaders }) => errorHeaders ?? new Headers();

/** The document around every page. Only embed pages are pages; all else answers JSON. */
export default function Root() {
  const page = useMatches().at(-1)?.data as SerializeFrom<typeof embedPage> | undefined;
  return (
    <html lang={page?.language.locale ?? "en"} dir={page?.language.dir} data-theme={page?.theme ?? "auto"}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <Meta />
        <Links />
      </head>
      <body>
        <Outlet />
        {page?.shown ? <LiveReload nonce={page.nonce} /> : null}
      </body>
    </html>
  );
}

/**
 * An error while rendering, or a method that a page does not answer. The page's own state cannot be trusted any more, so this
 * needs nothing of it.
 */
export function ErrorBoundary() {
  const error = useRouteError();
  const wrongMethod = isRouteErrorResponse(error) && error.status === 405;
  const title = wrongMethod ? "This address answers GET only" : "Something went wrong on our side";
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <Links />
      </head>
      <body>
        <main className="embed-state embed-state--page">
          <h1 className="embed-state__title">{title}</h1>
          <p className="embed-state__text">Load the page around this view again.</p>
        </main>
      </body>
    </html>
  );
}
