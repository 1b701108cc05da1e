import { expect, it, vi } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import {
  emptyDatabase,
  noCatalogues,
  noQuotas,
  testClaims,
  testEvents,
} from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion, VersionPage } from "../../../providers/listings.server";
import type { ObjectStore } from "../../../providers/object-store.server";
import { listChangeTimes } from "./list-change-times.server";

const listVersions = vi.fn<ObjectStore["listVersions"]>();
const tools: ServiceTools = {
  events: testEvents(),
  claims: testClaims(),
  catalogues: noCatalogues,
  quotas: noQuotas,
  database: emptyDatabase,
  objectStore: { listVersions } as unknown as ObjectStore,
  context: { requestId: "r", route: "/", callerAddress: "::1", deadline: Number.POSITIVE_INFINITY },
  nowSeconds: 1_000,
  production: true,
  platformBaseUrl: "https://embed.example.com",
  signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
};
const grant = testGrant({ actions: ["history"] });

/** A page of versions that were made at these times. */
function page(times: string[], next: string | null): VersionPage {
  const versions = times.map(
    (time, index): ObjectVersion => ({
      ...{ key: `k${index}`, versionId: "v", isLatest: true, isMarker: index % 2 === 1, size: 1, etag: "" },
      lastModified: new Date(time),
    }),
  );
  return { versions, prefixes: [], next: next === null ? null : { key: next, versionId: undefined } };
}

/** `count` minutes from the beginning of 2026. */
const minutes = (count: number) =>
  Array.from({ length: count }, (_, index) => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString());

const request = {
  bucket: "docs",
  folderPath: "/a",
  from: "2026-01-01T00:00:00Z",
  to: "2027-01-01T00:00:00Z",
};

it("lists each minute of the range once, in order, from all pages", async () => {
  listVersions
    .mockResolvedValueOnce(
      page(["2026-03-01T10:02:59Z", "2025-12-31T23:59:59Z", "2026-02-01T00:00:00Z"], "m"),
    )
    .mockResolvedValueOnce(
      page(["2026-03-01T10:02:00Z", "2027-01-01T00:00:00Z", "2026-03-01T10:03:00Z"], null),
    );
  expect(await listChangeTimes(request, grant, tools)).toEqual({
    times: ["2026-02-01T00:00:00.000Z", "2026-03-01T10:02:00.000Z", "2026-03-01T10:03:00.000Z"],
    cursor: null,
  });
});

it("ends after a thousand minutes, and continues from the cursor in the same folder and range only", async () => {
  listVersions.mockReset().mockResolvedValueOnce(page(minutes(1_000), "m"));
  const { times, cursor } = await listChangeTimes(request, grant, tools);
  expect([times.length, cursor]).toEqual([1_000, expect.any(String)]);
  listVersions.mockResolvedValueOnce(page([], null));
  const next = { ...request, cursor: cursor ?? "" };
  expect(await listChangeTimes(next, grant, tools)).toEqual({ times: [], cursor: null });
  expect(listVersions.mock.lastCall?.[0]).toMatchObject({ prefix: "a/", after: { key: "m" } });
  for (const other of [
    { folderPath: "/b" },
    { from: "2026-01-02T00:00:00Z" },
    { to: "2028-01-01T00:00:00Z" },
  ])
    await expect(listChangeTimes({ ...next, ...other }, grant, tools)).rejects.toMatchObject({
      code: "invalid_request",
    });
});
