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
    const place = { companyId: "company", bucket: "b", keys: ["a.txt"] };
    const authorOf = await findAuthors({ ...place, of: "made" }, tools);
    const version = { key: "a.txt", versionId: "v", etag: "1", size: 1, isMarker: false, isLatest: true };
    const at = (time: string) => authorOf({ ...version, lastModified: new Date(time) });
    expect(at("2026-01-02T03:04:06Z")).toEqual({ id: "ada", name: "Ada" });
    expect(at("2026-01-02T04:04:06Z")).toBeUndefined();
  },
);
