/** Of a worker that ends without a response, people would read that the connection was lost, or wait. */
import { afterEach, expect, test, vi } from "vitest";
import { listFiles } from "./files";

afterEach(() => vi.unstubAllGlobals());

const workers = listFiles().filter((path) => path.endsWith(".worker.ts"));

test.each(workers)("%s responds also when it fails", async (path) => {
  const receive = vi.fn<(event: { data: unknown }) => unknown>();
  const responses: unknown[] = [];
  vi.stubGlobal("addEventListener", (type: string, listener: typeof receive) => {
    if (type === "message") receive.mockImplementation(listener);
  });
  vi.stubGlobal("postMessage", (response: unknown) => responses.push(response));
  await import(`../../${path}`);
  // No reader can read this, so that each one throws.
  await receive({ data: {} });
  expect(responses).toHaveLength(1);
});
