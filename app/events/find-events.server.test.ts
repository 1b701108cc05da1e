import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../prisma/migrate";
import { fillWithEvents } from "../../tests/support/databases/many-events";
import { readPlan } from "../../tests/support/databases/plan";
import { query, startTestPostgres, type TestPostgres } from "../../tests/support/databases/postgres";
import { createDatabase, type Database } from "../providers/database.server";
import { toInputIssue, validationMessages } from "../shared/validation-messages";
import { type EventFilter, type EventPosition, eventFilterSchema } from "./event-filter.server";
import type { EventReach } from "./event-reach.server";
import { findAllEvents, findEvents } from "./find-events.server";
import { selectEvents, selectEventsOfMessage } from "./find-events.sql.server";
import { findRecentVisitors } from "./visible-events.server";

const EVENTS = 30_000;
const LIMIT = 100;

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  await migrate(url);
  await fillWithEvents(url, EVENTS);
});
afterAll(() => postgres?.stop());

const planOf = (filter: EventFilter, position?: EventPosition) => {
  const { text, values } = selectEvents(filter, LIMIT, position);
  return readPlan(url, text, values);
};

describe("a page of events", () => {
  it.each<[string, Record<string, string>]>([
    ["of all companies", {}],
    ["of a large company", { companyId: "company-0" }],
    ["of a small company", { companyId: "company-5" }],
    ["of a type", { companyId: "company-0", type: "file.deleted" }],
    ["of a rare type", { companyId: "company-5", type: "file.purged" }],
    ["of a family of types", { companyId: "company-5", type: "file.*" }],
    ["of a type that no company has", { type: "email.bounced" }],
    ["of a type, of all companies", { type: "file.purged" }],
    ["of a visitor", { companyId: "company-0", visitor: "visitor-12" }],
    ["of a rare visitor", { companyId: "company-0", visitor: "rare" }],
    ["of a visitor, of all companies", { visitor: "rare" }],
    ["of a visitor and a type", { companyId: "company-0", visitor: "visitor-12", type: "file.uploaded" }],
    ["of a bucket", { companyId: "company-0", bucket: "bucket-0" }],
    ["of a rare bucket", { companyId: "company-0", bucket: "rare" }],
    ["of a prefix", { companyId: "company-0", prefix: "folder-17/" }],
    ["of a prefix that many keys have", { companyId: "company-0", prefix: "folder-" }],
    ["of a rare prefix", { companyId: "company-0", prefix: "rare/" }],
    ["of a file", { bucket: "rare", prefix: `rare/file-${EVENTS}.pdf` }],
    ["of a prefix, of all companies", { prefix: "rare/" }],
    ["of a prefix and types", { companyId: "company-0", prefix: "folder-17/", type: "file.*" }],
    ["of a time", { companyId: "company-0", before: "2000-01-01T00:00:00Z" }],
  ])("%s is read by an index, without the events that are not on it", async (_, query) => {
    const filter = eventFilterSchema.parse(query);
    // Somewhere in the middle.
    const middle = { occurredAt: new Date(Date.now() - EVENTS * 500).toISOString(), id: crypto.randomUUID() };
    for (const position of [undefined, middle]) {
      const { nodes, indexes, read } = await planOf(filter, position);
      expect(nodes).not.toContain("Seq Scan");
      expect(indexes.length).toBeGreaterThan(0);
      expect(read).toBeLessThan(20 * LIMIT);
    }
  });
});

describe("a page of what an API key may read", () => {
  const folder = (name: string, prefix = "", clientId?: string) => ({ buckets: [name], prefix, clientId });
  const many = Array.from({ length: 60 }, (_, index) => folder("bucket-0", `folder-${index}/`));
  it.each<[string, Exclude<EventReach, "company">["folders"], Record<string, string>]>([
    ["a bucket", [folder("bucket-0")], {}],
    ["a bucket and types", [folder("bucket-0")], { type: "file.*" }],
    ["a bucket and a visitor", [folder("bucket-0")], { visitor: "visitor-12" }],
    ["several buckets", [folder("bucket-0"), folder("bucket-5"), folder("rare")], {}],
    ["a rare bucket", [folder("rare")], {}],
    ["a bucket that has no events", [folder("deleted")], {}],
    ["a folder", [folder("bucket-0", "folder-17/")], {}],
    ["a folder and types", [folder("bucket-0", "folder-17/")], { type: "file.*" }],
    ["a rare folder", [folder("rare", "rare/")], {}],
    [
      "two folders, one within the other",
      [folder("bucket-0", "folder-1"), folder("bucket-0", "folder-17/")],
      {},
    ],
    ["its own events", [folder("rare", "", "rare")], {}],
    ["its own events of a type", [folder("rare", "", "rare")], { type: "file.uploaded" }],
    ["its own events, of which there are none", [folder("bucket-0", "", "nobody")], {}],
    ["its own events in a folder", [folder("bucket-0", "folder-17/", "client-0")], {}],
    ["very many folders", many, {}],
    ["nothing", [], {}],
  ])("is read by an index: %s", async (_, folders, wanted) => {
    for (const others of [true, false]) {
      const filter = {
        ...eventFilterSchema.parse({ companyId: "company-0", ...wanted }),
        reach: { folders, others },
      };
      const { nodes, indexes, read } = await planOf(filter);
      expect(nodes).not.toContain("Seq Scan");
      if (folders.length > 0 || others) expect(indexes.length).toBeGreaterThan(0);
      expect(read).toBeLessThan(20 * LIMIT);
    }
  });
});

describe("events", () => {
  let database: Database;
  beforeAll(async () => {
    database = createDatabase({ url, poolSize: 1 });
    await query(
      url,
      `INSERT INTO events (id, type, occurred_at, "companyId", bucket, key, recipient, visitor_id, client_id, source)
       SELECT lpad(n::text, 32, '0')::uuid, split_part(row, ' ', 1), '2020-01-01T00:00:00Z'::timestamp + n / 2 * interval '1 ms', 'own',
         CASE WHEN row NOT LIKE 'email%' THEN 'b' END, nullif(split_part(row, ' ', 2), ''), CASE WHEN row LIKE 'email%' THEN 'ada@example.com' END, 'ada', CASE n WHEN 2 THEN 'own' WHEN 3 THEN 'other' END, 'service'
       FROM unnest($1::text[]) WITH ORDINALITY AS given(row, n)`,
      [
        [
          "file.uploaded a/1",
          "file.moved a/2",
          "folder.created a_/",
          "file.deleted A/3",
          "email.sent",
          "file.copied a%/",
        ],
      ],
    );
  });
  afterAll(() => database?.$disconnect());

  const find = async (wanted: Record<string, string>) => {
    const filter = eventFilterSchema.parse({ companyId: "own", ...wanted });
    const pages = [];
    // A page for each event.
    for (let position: EventPosition | undefined; ; ) {
      const [event] = await findEvents(database, filter, { limit: 1, position });
      if (event === undefined) break;
      pages.push(event);
      position = event;
    }
    const atOnce = [];
    for await (const events of findAllEvents(database, filter)) atOnce.push(...events);
    expect(pages).toEqual(atOnce);
    return atOnce.map(({ id }) => Number(id.slice(-2)));
  };

  it.each<[string, Record<string, string>, number[]]>([
    ["are found newest first, those of one millisecond by their id", {}, [6, 5, 4, 3, 2, 1]],
    ["of one type", { type: "file.moved" }, [2]],
    ["of several types and families", { type: "email.sent,file.*,email.*" }, [6, 5, 4, 2, 1]],
    ["of types and a visitor", { type: "file.moved,file.copied", visitor: "ada" }, [6, 2]],
    ["of another visitor", { visitor: "bob" }, []],
    ["of a prefix, letter by letter", { prefix: "a/" }, [2, 1]],
    ["of a prefix with a character that LIKE knows", { prefix: "a_" }, [3]],
    ["of a prefix with another one", { prefix: "a%" }, [6]],
    ["of a time or later", { after: "2020-01-01T01:00:00.002+01:00" }, [6, 5, 4]],
    ["before a time", { before: "2020-01-01T00:00:00.002Z" }, [3, 2, 1]],
  ])("%s: %j", async (_, wanted, ids) => {
    expect(await find(wanted)).toEqual(ids);
  });

  it.each<[string, Exclude<EventReach, "company">, number[]]>([
    ["of nothing", { folders: [], others: false }, []],
    ["of e-mails and databases", { folders: [], others: true }, [5]],
    ["of a bucket", { folders: [{ buckets: ["b"], prefix: "" }], others: false }, [6, 4, 3, 2, 1]],
    ["of another bucket", { folders: [{ buckets: ["c"], prefix: "" }], others: false }, []],
    [
      "of folders that overlap, each once",
      {
        folders: ["a/", "a", "a/1"].map((prefix) => ({ buckets: ["b", "c"], prefix })),
        others: true,
      },
      [6, 5, 3, 2, 1],
    ],
    [
      "of very many folders",
      {
        folders: Array.from({ length: 50 }, (_, index) => ({ buckets: ["b"], prefix: `a/${index}` })),
        others: true,
      },
      [5, 2, 1],
    ],
    ["of one client", { folders: [{ buckets: ["b"], prefix: "", clientId: "own" }], others: false }, [2]],
  ])("that an API key may read: those %s", async (_, reach, ids) => {
    const filter = { ...eventFilterSchema.parse({ companyId: "own" }), reach };
    const found = [];
    for (let position: EventPosition | undefined; ; ) {
      const [event] = await findEvents(database, filter, { limit: 1, position });
      if (event === undefined) break;
      found.push(Number(event.id.slice(-2)));
      position = event;
    }
    expect(found).toEqual(ids);
  });

  it.each([
    ["one folder", ["a/"], []],
    ["one of the folders, and another", ["a/", "b/c/"], []],
    ["all folders", ["a/", "b/"], ["quota"]],
    ["very many folders and one of them", ["a/", ...Array.from({ length: 50 }, (_, n) => `${n}/`)], []],
    [
      "very many folders and all of them",
      ["a/", "b/", ...Array.from({ length: 50 }, (_, n) => `${n}/`)],
      ["quota"],
    ],
  ])(
    "of a quota are found by an API key that may read all of its folders: %s",
    async (_, prefixes, found) => {
      await query(
        url,
        `INSERT INTO events (id, type, occurred_at, "companyId", bucket, key, data, source)
       VALUES (gen_random_uuid(), 'usage.threshold', now(), 'quota', 'b', 'a/', '{"paths":["/a","/b"]}', 'service') ON CONFLICT DO NOTHING`,
      );
      const folders = prefixes.map((prefix) => ({ buckets: ["b"], prefix }));
      const filter = { ...eventFilterSchema.parse({ companyId: "quota" }), reach: { folders, others: true } };
      const events = await findEvents(database, filter, { limit: 1 });
      expect(events.map(({ companyId }) => companyId)).toEqual(found);
    },
  );

  it.each([
    [["b"], 0],
    [["b", "c"], 1],
  ])(
    "of a quota over several buckets are found by an API key that may read all of these: %j",
    async (buckets, count) => {
      await query(
        url,
        `INSERT INTO events (id, type, occurred_at, "companyId", bucket, key, data, source)
       SELECT gen_random_uuid(), 'usage.threshold', now(), 'quotas', 'b', '', '{"paths":["/"],"buckets":["b","c"]}', 'service'
       WHERE NOT EXISTS (SELECT FROM events WHERE "companyId" = 'quotas')`,
      );
      const reach = { folders: [{ buckets, prefix: "" }], others: true };
      const filter = { ...eventFilterSchema.parse({ companyId: "quotas" }), reach };
      await expect(findEvents(database, filter, { limit: 2 })).resolves.toHaveLength(count);
    },
  );

  it("are pages of at most the limit, also when all are read", async () => {
    const filter = eventFilterSchema.parse({ companyId: "company-0" });
    const counts = [];
    for await (const events of findAllEvents(database, filter, { limit: 2_500 })) counts.push(events.length);
    expect(counts).toEqual([1_000, 1_000, 500]);
  });
});

describe("a filter", () => {
  it.each([
    [{ type: "file.renamed" }, "type", "must be types of events, separated by commas: file.uploaded, "],
    [{ type: "*" }, "type", "must be types"],
    [{ type: "" }, "type", "must be types"],
    [{ after: "yesterday" }, "after", "must be a date and time"],
    [{ after: "2026-11-24T10:00:00" }, "after", "must be a date and time"],
    [{ before: "0000-01-01T00:00:00Z" }, "before", "must be in the years 1970 to 9999"],
    [{ before: "9999-12-31T23:59:59-01:00" }, "before", "must be in the years 1970 to 9999"],
    [{ visitor: "a\0" }, "visitor", "must have 1 to 128 characters"],
    [{ prefix: "a\0" }, "prefix", "must not contain a null character"],
    [{ vistor: "ada" }, "", 'must not have the member "vistor"'],
  ])("%j is refused", (wanted, path, message) => {
    const { error } = eventFilterSchema.safeParse(wanted, { error: validationMessages });
    expect(error?.issues.map(toInputIssue)).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
});

describe("the events of e-mails", () => {
  const insert = (from: number, to: number) =>
    query(
      url,
      `INSERT INTO events (id, type, occurred_at, campaign_id, recipient, data, source)
       SELECT gen_random_uuid(), 'email.delivered', now() AT TIME ZONE 'utc', 'campaign-' || n % 50, n || '@example.com',
              jsonb_build_object('messageId', 'm' || n), 'service' FROM generate_series($1::int, $2::int) AS n`,
      [from, to],
    );
  beforeAll(async () => {
    await insert(1, 20_000);
    await query(url, "ANALYZE events");
  });

  it("are found by an index: of one message", async () => {
    const { text, values } = selectEventsOfMessage("m7");
    const { indexes, read } = await readPlan(url, text, values);
    expect(indexes).toEqual(["events_message_id_idx"]);
    expect(read).toBe(1);
  });
});

it("the people of the newest events are read without these events, each with the latest name", async () => {
  const database = createDatabase({ url, poolSize: 1 });
  const rename = `UPDATE events SET visitor_name = CASE WHEN id = (
      SELECT id FROM events WHERE visitor_id = 'visitor-2' AND "companyId" = 'company-0' ORDER BY occurred_at DESC LIMIT 1
    ) THEN 'Ada' ELSE NULL END WHERE visitor_id = 'visitor-2' RETURNING id`;
  expect((await query(url, rename)).length).toBeGreaterThan(1);
  let most = 0;
  const counting: Pick<Database, "$queryInTurn"> = {
    async $queryInTurn(caller, statement, row) {
      const rows = await database.$queryInTurn(caller, statement, row);
      most = Math.max(most, rows.length);
      return rows;
    },
  };
  const people = await findRecentVisitors(
    { companyId: "company-0", bucket: undefined, prefix: "" },
    counting,
  );
  await database.$disconnect();
  // Of the 2,000 newest events of the company, every second one of the record, each of 500 visitors has four.
  expect([people.length, most]).toEqual([500, 500]);
  expect(people[0]).toEqual({ id: "visitor-2", name: "Ada" });
  expect(people[1]).toEqual({ id: "visitor-0", name: "Visitor 0" });
});
