import type { IncomingHttpHeaders } from "node:http";

/** What goes wrong with a request, for tests of how others bear it. Applied in the order of its members. */
export interface Fault {
  /** wait so long, in milliseconds, before anything else */
  delayMs?: number;
  /** close the connection without an answer */
  reset?: boolean;
  /** answer with this, whatever the request asks for: `{ status: 503, code: "SlowDown" }` */
  error?: { status: number; code: string; message?: string };
  /** let no more than so many bytes a second of the body in */
  bytesPerSecond?: number;
}

/** Asked once for each request, before its signature is looked at; undefined lets it pass untouched. */
export type Intercept = (request: {
  method: string;
  bucket: string;
  key: string;
  headers: IncomingHttpHeaders;
}) => Fault | undefined;
