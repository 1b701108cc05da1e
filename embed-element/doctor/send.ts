import type { IncomingHttpHeaders } from "node:http";
import * as http from "node:http";
import * as https from "node:https";

/** bytes of a response that are read */
const MOST_BYTES = 2_000_000;

export interface Received {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sent {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** milliseconds */
  timeoutMs: number;
}

/**
 * One request, without following where it leads. Not by `fetch`, which sets headers of its own where a browser's are wanted.
 * @throws Error whose message is a short reason: `ECONNREFUSED`, `CERT_HAS_EXPIRED`, `no response within 10 s`
 */
export function send(url: URL, { method = "GET", headers = {}, body, timeoutMs }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message));
    const { request: begin } = url.protocol === "https:" ? https : http;
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const request = begin(url, { method, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const done = () => {
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString();
        resolve({ url, status: response.statusCode ?? 0, headers: response.headers, text });
      };
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= MOST_BYTES) return;
        done();
        request.destroy();
      });
      response.on("end", done);
      response.on("error", fail);
    });
    const late = new Error(`no response within ${timeoutMs / 1000} s`);
    const timer = setTimeout(() => request.destroy(late), timeoutMs);
    request.on("error", (error) => {
      clearTimeout(timer);
      fail(error);
    });
    request.end(body);
  });
}

export const headerOf = ({ headers }: Received, name: string): string => String(headers[name] ?? "");
