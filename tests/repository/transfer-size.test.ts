import { expect, it } from "vitest";
import { measureTransfers } from "../support/transfer-size";

it("uploads and archives together cost at most 19.4 kB gzip beyond the first screen", async () => {
  const parts = await measureTransfers();
  expect(parts.map(({ name }) => name)).toContain("service worker");
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(19_400);
});
