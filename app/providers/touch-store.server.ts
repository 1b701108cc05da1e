import type { S3Client } from "@aws-sdk/client-s3";
import { type StoreClock, thisMoment } from "./store-clock.server";

/** What sends one unsigned request, whose response is of interest only for its status and headers, and for the time it tells. */
export function createTouch(client: S3Client, clock: StoreClock) {
  return async (method: string, url: URL, headers: Record<string, string>, limitMs: number) => {
    const sent = thisMoment();
    const { protocol, hostname, host, pathname: path } = url;
    const port = url.port === "" ? {} : { port: Number(url.port) };
    const request = { method, protocol, hostname, ...port, path, query: {}, headers: { host, ...headers } };
    const { response } = await client.config.requestHandler.handle(request, {
      abortSignal: AbortSignal.timeout(limitMs),
    });
    // The connection serves again once the body is out of the way.
    response.body.on("error", () => {}).resume();
    clock.learn(response.headers.date, sent, thisMoment());
    return { status: Number(response.statusCode), headers: response.headers as Record<string, string> };
  };
}
