import { PassThrough } from "node:stream";
import {
  createReadableStreamFromReadable,
  type EntryContext,
  type HandleDataRequestFunction,
  type HandleErrorFunction,
} from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import morgan from "morgan";
import { renderToPipeableStream } from "react-dom/server";
import { startApp } from "./http/app-context.server";
import { RequestContext } from "./http/failed-page.server";
import { PageScriptsContext, scriptsOf } from "./http/live-view.server";
import { logError } from "./log.server";

startApp();

/**
 * `remix-serve` writes every URL to its log, query and all, and an embed's URL holds a token. It asks for this format by
 * name after it has loaded this file; a format that gives nothing writes nothing. Our own log has a line for each request.
 */
morgan.format("tiny", () => undefined);

/** milliseconds; a page that has not rendered by then is given up */
const RENDER_TIMEOUT = 5_000;

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
): Promise<Response> {
  // Of the routes of a page, only its own has a loader.
  const [page]: unknown[] = Object.values(context.staticHandlerContext.loaderData);
  const nonce = typeof page === "object" && page !== null && "nonce" in page ? String(page.nonce) : undefined;
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(
      <PageScriptsContext.Provider value={scriptsOf(context)}>
        <RequestContext.Provider value={request}>
          <RemixServer context={context} url={request.url} abortDelay={RENDER_TIMEOUT} nonce={nonce} />
        </RequestContext.Provider>
      </PageScriptsContext.Provider>,
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
            logError("A page could not be rendered.", { thrown: error, ...requestIdOf(request) });
        },
      },
    );
    setTimeout(abort, RENDER_TIMEOUT).unref();
  });
}

/** Nothing of ours navigates by Remix's data requests, so their addresses (`….data`) are not offered to anybody else. */
export const handleDataRequest: HandleDataRequestFunction = () =>
  Response.json({ error: "There is nothing at this address." }, { status: 404 });

/** Without the request: its URL may hold a token. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (!request.signal.aborted) {
    logError("A request failed outside of our own handling.", { thrown: error, ...requestIdOf(request) });
  }
};

function requestIdOf(request: Request) {
  return { requestId: request.headers.get("X-Request-Id") ?? undefined };
}
