import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../../tests/support/databases/own-database";
import { query } from "../../../../tests/support/databases/postgres";
import type { ServiceTools } from "../../../embed/service";
import { findAuthors } from "./find-authors.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
  await query(
    own.url,
    `INSERT INTO events (id, type, occurred_at, "companyId", visitor_id, visitor_name, bucket, key, data, source)
     VALUES (gen_random_uuid(), 'file.uploaded', '2026-01-02T03:04:05', 'company', 'ada', 'Ada', 'b', 'a.txt', '{ "etag": "1" }', 'service')`,
  );
});
afterAll(() => own?.stop());
afterEach(() => vi.unstubAllEnvs());

it.each(["UTC", "Asia/Tokyo", "America/New_York"])(
  "the author of an upload that names no version is found by ETag and time, by a process in %s",
  async (zone) => {
    vi.stubEnv("TZ", zone);
    const tools = { database: own.database, context: {} } as unknown as ServiceTools;
    const version = { key: "a.txt", versionId: "v", etag: "1", size: 1, isMarker: false, isLatest: true };
    const at = async (time: string) => {
      const one = { ...version, lastModified: new Date(time) };
      const place = { companyId: "company", bucket: "b", versions: [one] };
      return (await findAuthors({ ...place, of: "made" }, tools))(one);
    };
    expect(await at("2026-01-02T03:04:06Z")).toEqual({ id: "ada", name: "Ada" });
    expect(await at("2026-01-02T03:06:05Z")).toEqual({ id: "ada", name: "Ada" });
    expect(await at("2026-01-02T03:06:06Z")).toBeUndefined();
    expect(await at("2026-01-02T04:04:06Z")).toBeUndefined();
  },
);

it("the author of a version is found among thousands of newer ones, of which nothing is read", async () => {
  await query(
    own.url,
    `INSERT INTO events (id, type, occurred_at, "companyId", visitor_id, bucket, key, data, source)
     SELECT gen_random_uuid(), 'file.uploaded', '2026-01-02'::timestamp + make_interval(mins => n), 'company', 'v' || n, 'b', 'b.txt',
       jsonb_build_object('version', 'v' || n, 'etag', '1'), 'service'
     FROM generate_series(1, 6000) AS n`,
  );
  const $queryInTurn = vi.fn(own.database.$queryInTurn);
  const tools = { database: { $queryInTurn }, context: {} } as unknown as ServiceTools;
  const version = (n: number) => ({
    ...{ key: "b.txt", versionId: `v${n}`, etag: "1", size: 1, isMarker: false, isLatest: false },
    // The event may be much later, such as one that cleanup has recorded.
    lastModified: new Date("2026-01-01T00:00:00Z"),
  });
  const versions = [version(1), version(2)];
  const authorOf = await findAuthors({ companyId: "company", bucket: "b", versions, of: "made" }, tools);
  expect(versions.map(authorOf)).toEqual([{ id: "v1" }, { id: "v2" }]);
  expect(await $queryInTurn.mock.results[0]?.value).toHaveLength(2);
});
