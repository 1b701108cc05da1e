import { PassThrough } from "node:stream";
import {
  type AppLoadContext,
  createReadableStreamFromReadable,
  type EntryContext,
  type HandleDataRequestFunction,
  type HandleErrorFunction,
} from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import morgan from "morgan";
import { renderToPipeableStream } from "react-dom/server";
import { startApp } from "./http/app-context.server";
import { PageModuleContext, pageModuleOf } from "./http/embed-page-view.server";
import { FailedRequestContext } from "./http/failed-page.server";
import { logError } from "./shared/log.server";

startApp();

/**
 * For `npm run serve` only: `remix-serve` logs whole URLs in this format of morgan's, and an embed's URL contains a token. A format that
 * returns undefined writes no line. Our own log has a line for each request.
 */
morgan.format("tiny", () => undefined);

/** milliseconds after which rendering a page is aborted */
const RENDER_TIMEOUT_MS = 5_000;

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
  { requestId }: AppLoadContext,
): Promise<Response> {
  // A page's own route is the only one with a loader.
  const [page]: unknown[] = Object.values(context.staticHandlerContext.loaderData);
  const nonce = typeof page === "object" && page !== null && "nonce" in page ? String(page.nonce) : undefined;
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(
      <PageModuleContext.Provider value={pageModuleOf(context)}>
        <FailedRequestContext.Provider value={{ request, requestId }}>
          <RemixServer context={context} url={request.url} abortDelay={RENDER_TIMEOUT_MS} nonce={nonce} />
        </FailedRequestContext.Provider>
      </PageModuleContext.Provider>,
      {
        nonce,
        onAllReady() {
          const body = new PassThrough();
          headers.set("Content-Type", "text/html; charset=utf-8");
          resolve(new Response(createReadableStreamFromReadable(body), { status, headers }));
          pipe(body);
        },
        onShellError: reject,
        onError(error) {
          if (!request.signal.aborted)
            logError("A page could not be rendered.", { thrown: error, requestId });
        },
      },
    );
    setTimeout(abort, RENDER_TIMEOUT_MS).unref();
  });
}

/** None of our pages sends data requests of Remix's router (`….data`), so they get a 404. */
export const handleDataRequest: HandleDataRequestFunction = () =>
  Response.json({ error: "There is nothing at this address." }, { status: 404 });

/** Logs the error without the request, whose URL may contain a token. */
export const handleError: HandleErrorFunction = (error, { request, context: { requestId } }) => {
  if (!request.signal.aborted)
    logError("A request failed outside of our own error handling.", { thrown: error, requestId });
};
