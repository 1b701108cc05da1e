/**
 * In any order of uploads, confirmations, notifications, cleanups, moves, deletions and kills, the record says what the store holds.
 * RECORD_RUNS and RECORD_STEPS run it for longer.
 */
import { hash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeDatabase } from "../support/app/deployment";
import { type Death, type MortalApp, startMortalApp } from "../support/app/mortal-app";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import {
  age,
  eventsOf,
  openRecorded,
  type RecordedEvent,
  type SignedUpload,
  send,
  sendInParts,
  settlePending,
  uploadCalls,
} from "../support/files/event-calls";

const shared = inject("stack");
const RUNS = Number(process.env.RECORD_RUNS ?? 4);
const STEPS = Number(process.env.RECORD_STEPS ?? 12);
/** Each key belongs to one visitor, who alone uploads to it. */
const OWNERS = { "a.txt": "ada", "b.txt": "grace" } as const;
const KEYS = ["a.txt", "b.txt"] as const;
/** Two are of one size. */
const TEXTS = ["first", "other", "the third"];
type Key = (typeof KEYS)[number];

let stack: typeof shared;
let amazon: SnsAtTheWire;
let app: RouteApp;
beforeAll(async () => {
  // A database of its own, as cleanup settles all that it finds.
  stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  amazon = await startSns();
  app = createRouteApp(stack, { STORAGE_EVENTS_TOPICS: TOPIC });
});
afterAll(async () => {
  await app?.close();
  await amazon?.close();
});

/** What the test has done, by which it judges the record. */
interface Model {
  /** key and ETag of what URLs of ours have stored */
  stored: Set<string>;
}

type Real = Awaited<ReturnType<typeof open>>;

async function open(keepsVersions: boolean) {
  const { bucket, tokenOf } = await openRecorded(app, stack, keepsVersions);
  const tokens = { "a.txt": await tokenOf(OWNERS["a.txt"]), "b.txt": await tokenOf(OWNERS["b.txt"]) };
  const mortal: MortalApp[] = [];
  /** A process: its calls, by the owner of a key, and its cleanup. */
  function processOf(routes: RouteApp) {
    return {
      by: (key: Key) => uploadCalls(routes, stack, bucket.name, tokens[key]),
      async cleanUp() {
        await age(stack.postgresUrl, bucket.name, "16 min");
        await settlePending(routes);
      },
    };
  }
  type Process = ReturnType<typeof processOf>;
  const living = processOf(app);
  const signed: Record<Key, SignedUpload> = {
    "a.txt": await living.by("a.txt").sign("a.txt"),
    "b.txt": await living.by("b.txt").sign("b.txt"),
  };
  return {
    bucket,
    keepsVersions,
    signed,
    ...living,
    async notify(key: Key) {
      const found = await app.objectStore.describeObject({ bucket: bucket.name, key });
      if (found === null) return;
      const { size, etag, versionId } = found;
      const object = { key, size, eTag: etag.replaceAll('"', ""), versionId, sequencer: `${Date.now()}` };
      const s3 = { bucket: { name: bucket.name }, object };
      const record = { eventName: "ObjectCreated:Put", eventTime: new Date().toISOString(), s3 };
      const body = amazon.message({ Message: JSON.stringify({ Records: [record] }) });
      await app.fetch(`${app.apiBaseUrl}/api/storage/events`, { method: "POST", body });
    },
    /** Does something in a process that dies at its nth message to the database or the store, if it sends as many. */
    async kill(count: number, when: Death, work: (process: Process) => Promise<unknown>) {
      const dying = await startMortalApp(stack, {});
      mortal.push(dying);
      dying.dieAt(count, when);
      await Promise.race([work(processOf(dying.app)).catch(() => {}), dying.died]);
      await dying.close();
      // Those of a killed process end after seconds. The test does not wait for that.
      await query(stack.postgresUrl, "DELETE FROM object_claims");
    },
  };
}

/** A step, as fast-check prints it if it finds a fault. */
const step = (name: string, run: (real: Real, model: Model) => Promise<unknown>) => ({
  check: () => true,
  run: async (model: Model, real: Real) => void (await run(real, model)),
  toString: () => name,
});

const md5 = (text: string | Buffer, encoding: "hex" | "buffer" = "hex") => hash("md5", text, encoding);
const etagOf = (text: string) => `"${md5(text)}"`;
const etagInParts = (text: string) => `"${md5(md5(text, "buffer"))}-1"`;

/** The copy of an upload in parts has another ETag. */
const textOf = (etag: unknown) => TEXTS.find((text) => etag === etagOf(text) || etag === etagInParts(text));

const aKey = fc.constantFrom(...KEYS);
const aText = fc.constantFrom(...TEXTS);

/** What a process may be killed in. */
type Work = (process: Pick<Real, "by" | "cleanUp">, real: Real, model: Model) => Promise<unknown>;
const works: fc.Arbitrary<[string, Work]>[] = [
  aKey.map((key) => [`confirm(${key})`, ({ by }) => by(key).confirm(key)]),
  aKey.map((key) => [`delete(${key})`, ({ by }) => by(key).ask("delete", { items: [{ key }] })]),
  aKey.map((key) => [
    `move(${key})`,
    ({ by }) => by(key).ask("move", { items: [{ key }], to: "/moved", onConflict: "replace" }),
  ]),
  aKey.map((key) => [
    `moveBack(${key})`,
    ({ by }) => by(key).ask("move", { items: [{ key: `moved/${key}` }], to: "/", onConflict: "replace" }),
  ]),
  fc.tuple(aKey, aText).map(([key, text]) => [
    `inParts(${key}, ${text})`,
    async ({ by }, real, { stored }) => {
      stored.add(`${key} ${etagInParts(text)}`);
      // If it is moved before it is recorded, the copy is all that there is. Its ETag is another one.
      stored.add(`${key} ${etagOf(text)}`);
      const { upload } = await sendInParts(real.by(key), key, text);
      await by(key).ask("multipart/complete", { bucket: undefined, upload, overwrite: true });
    },
  ]),
  fc.constant(["cleanUp", ({ cleanUp }) => cleanUp()]),
];
const work = fc.oneof(...works);

const steps = [
  fc.tuple(aKey, aText).map(([key, text]) =>
    step(`put(${key}, ${text})`, async ({ signed }, { stored }) => {
      stored.add(`${key} ${etagOf(text)}`);
      await send(signed[key], text);
    }),
  ),
  aKey.map((key) =>
    step(`sign(${key})`, async ({ signed, by }) => {
      signed[key] = await by(key).sign(key);
    }),
  ),
  aKey.map((key) => step(`notify(${key})`, ({ notify }) => notify(key))),
  // Twice at once, and as if by another process.
  aKey.map((key) =>
    step(`confirmTwice(${key})`, ({ by, notify }) =>
      Promise.all([by(key).confirm(key), by(key).confirm(key), notify(key)]),
    ),
  ),
  work.map(([name, run]) => step(name, (real, model) => run(real, real, model))),
  work.map(([name, run]) => step(name, (real, model) => run(real, real, model))),
  fc
    .tuple(work, fc.integer({ min: 1, max: 25 }), fc.constantFrom<Death>("before", "after"))
    .map(([[name, run], count, when]) =>
      step(`kill(${name}, ${when} message ${count})`, (real, model) =>
        real.kill(count, when, (process) => run(process, real, model)),
      ),
    ),
];

/** Tells everything that is stored, as cleanup does at last, and compares the record with the store. */
async function expectRecord({ bucket, by, cleanUp, keepsVersions }: Real, { stored }: Model) {
  for (const key of KEYS) await by(key).confirm(key);
  await cleanUp();
  await age(stack.postgresUrl, bucket.name, "24 hours");
  await cleanUp();
  const recorded = await eventsOf(stack.postgresUrl, bucket.name);
  const uploads = recorded.filter(({ type }) => type === "file.uploaded");
  // Nothing is recorded that no URL has stored, and nobody's name is on what another one has stored.
  for (const { key, data, visitorId } of uploads) {
    expect(stored).toContain(`${key} ${data.etag}`);
    expect([key, visitorId]).toEqual([key, OWNERS[key as Key]]);
  }
  const { versions } = await app.objectStore.listVersions({ bucket: bucket.name, prefix: "" });
  const contents = versions.filter(({ key, isMarker }) => !isMarker && !key.endsWith("/"));
  // Nothing is stored whose upload is not recorded.
  const uploaded = uploads.map(({ data }) => textOf(data.etag));
  for (const { etag } of contents) expect(uploaded).toContain(textOf(etag));
  for (const key of KEYS) {
    const made = recorded.filter((event) => event.key === key && /uploaded|moved|copied/.test(event.type));
    if (keepsVersions) {
      // Each version has one event, and each event has a version.
      const kept = contents.filter((version) => version.key === key).map(({ versionId }) => versionId);
      const isMadeBy = ({ data }: RecordedEvent) => data.restoredVersion === undefined;
      expect(
        made
          .filter(isMadeBy)
          .map(({ data }) => data.version)
          .sort(),
      ).toEqual(kept.sort());
      for (const { data } of made) if (data.restoredVersion) expect(kept).toContain(data.restoredVersion);
      continue;
    }
    // What the key holds is what its last event says.
    const current = await app.objectStore.describeObject({ bucket: bucket.name, key });
    const last = recorded.findLast(
      (event) => event.data.from === key || (event.key === key && event.type !== "folder.created"),
    );
    const isThere = last?.key === key && last.type !== "file.deleted";
    expect([key, isThere ? last.data.etag : undefined]).toEqual([key, current?.etag]);
  }
}

describe.each([
  ["without versions", false],
  ["with versions", true],
])("in a bucket %s", (_, keepsVersions) => {
  it("the record says what the store holds, whatever happens in whichever order", {
    timeout: RUNS * STEPS * 10_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: STEPS, size: "max" }), async (commands) => {
        const model: Model = { stored: new Set() };
        const real = await open(keepsVersions);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await expectRecord(real, model);
      }),
      // Kills depend on the machine's speed, so a shorter sequence would prove nothing.
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
