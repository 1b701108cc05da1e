import { expect, vi } from "vitest";
import type { TestEmbedClient } from "../app/embed-client";
import type { Backend } from "./languages";

/** A process's output arrives through a pipe, independently of its responses. */
const PIPE = { timeout: 10_000, interval: 5 };

/** The header that a browser sends for a page of the same origin, and the signed-in user. */
export const own = { "Sec-Fetch-Site": "same-origin", "X-Test-User": "ada" };

/** Sends the request of `<platform-embed>`, and checks that the response contains no secret. */
export async function askBackend(
  { client, backend }: { client: TestEmbedClient; backend: Backend },
  headers: Record<string, string> = own,
  asked = JSON.stringify({ service: "files", reason: "initial" }),
) {
  const before = backend.output().length;
  const response = await fetch(backend.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: asked,
  });
  const text = await response.text();
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
  for (const secret of [client.apiKey, "Words for the log", "must be a bucket's name", "127.0.0.1"]) {
    if (!response.ok) expect(text).not.toContain(secret);
  }
  /** Resolves once the log contains these words. */
  const logged = (...words: string[]) =>
    vi.waitFor(() => {
      const log = backend.output().slice(before);
      for (const word of words) expect(log).toContain(word);
    }, PIPE);
  return { status: response.status, headers: response.headers, body: JSON.parse(text), logged };
}
