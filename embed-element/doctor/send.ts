import type { IncomingHttpHeaders } from "node:http";
import * as http from "node:http";
import * as https from "node:https";

const MAX_RESPONSE_BYTES = 2_000_000;

export interface Received {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  /** at most `MAX_RESPONSE_BYTES` of the body */
  text: string;
}

export interface Sent {
  signal: AbortSignal;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Sends one request and follows no redirect. `fetch` would set some of the headers itself that a browser sends.
 * @throws Node's error, with a `code` like `ECONNREFUSED` or `CERT_HAS_EXPIRED`
 */
export function send(url: URL, { signal, method = "GET", headers = {}, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { request: begin } = url.protocol === "https:" ? https : http;
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const request = begin(url, { signal, method, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ url, status: response.statusCode ?? 0, headers: response.headers, text });
      };
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= MAX_RESPONSE_BYTES) return;
        finish();
        request.destroy();
      });
      response.on("end", finish);
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

export const headerOf = ({ headers }: Received, name: string): string => String(headers[name] ?? "");
