import { afterAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../../tests/support/databases/own-database";
import { query } from "../../../tests/support/databases/postgres";
import { Events } from "../../events/events.server";
import { ObjectClaims } from "../../providers/object-claims.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { resolvePendingEvents } from "./resolve-pending-events.server";

const own = await startOwnDatabase();
const { database } = own;
afterAll(() => own.stop());

it("looks for the uploads of somebody who has begun thousands after those of all others", async () => {
  const begun = (visitor: string, count: number) =>
    query(
      own.url,
      `INSERT INTO pending_events (id, change, type, pending_since, "companyId", client_id, visitor_id, request_id, bucket, key)
       SELECT gen_random_uuid(), $1 || n, 'file.uploaded', now() AT TIME ZONE 'UTC' - interval '1 hour', 'company', 'client', $1,
         'request', 'customers', $1 || '/' || n || '.txt' FROM generate_series(1, $2::int) AS n`,
      [visitor, count],
    );
  await begun("eve", 1_001);
  await begun("ada", 3);
  const asked: string[] = [];
  const objectStore = {
    listVersions: async ({ prefix }: { prefix: string }) => {
      asked.push(prefix);
      return { versions: [], prefixes: [], next: null };
    },
    describeObject: async () => null,
  } as unknown as ObjectStore;
  const tools = { database, events: new Events(database), claims: new ObjectClaims(database), objectStore };
  const { open } = await resolvePendingEvents(tools, new AbortController().signal);
  expect(open).toBe(1_004);
  expect(asked.slice(0, 3).sort()).toEqual(["ada/1.txt", "ada/2.txt", "ada/3.txt"]);
});
