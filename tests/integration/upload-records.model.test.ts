/** In any order of uploads, confirmations, notifications, cleanups, moves and deletions, the record says what the store holds. */
import { hash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { fileActions } from "../../app/services/files/actions";
import { resolvePendingEvents } from "../../app/services/files/resolve-pending-events.server";
import { makeDatabase } from "../support/app/deployment";
import { makeEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import { makeBucket } from "../support/files/bucket";
import { age, eventsOf, type SignedUpload, send, uploadCalls } from "../support/files/event-calls";

const shared = inject("stack");
const RUNS = 12;
const KEYS = ["a.txt", "b.txt"];
const TEXTS = ["first", "second", "the third"];

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
  /** by the content's text: the keys at which URLs of ours have stored it */
  stored: Set<string>;
}

type Real = Awaited<ReturnType<typeof open>>;

async function open(keepsVersions: boolean) {
  const bucket = await makeBucket(stack);
  if (keepsVersions) await bucket.keepVersions();
  const client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...fileActions] } });
  const response = await app.fetch(`${app.apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
    body: JSON.stringify({ service: "files", scope: { bucket: bucket.name, actions: fileActions } }),
  });
  const { url } = (await response.json()) as { url: string };
  const calls = uploadCalls(app, stack, bucket.name, new URL(url).searchParams.get("t") ?? "");
  const signed: SignedUpload[] = [];
  for (const key of KEYS) signed.push(await calls.sign(key));

  async function notify(key: string) {
    const found = await app.objectStore.describeObject({ bucket: bucket.name, key });
    if (found === null) return;
    const { size, etag, versionId } = found;
    const object = { key, size, eTag: etag.replaceAll('"', ""), versionId, sequencer: `${Date.now()}` };
    const s3 = { bucket: { name: bucket.name }, object };
    const record = { eventName: "ObjectCreated:Put", eventTime: new Date().toISOString(), s3 };
    const body = amazon.message({ Message: JSON.stringify({ Records: [record] }) });
    await app.fetch(`${app.apiBaseUrl}/api/storage/events`, { method: "POST", body });
  }
  async function cleanUp() {
    await age(stack.postgresUrl, bucket.name, "16 min");
    const { database, events, objectStore } = app;
    await resolvePendingEvents({ database, events, objectStore }, new AbortController().signal);
  }
  return { ...calls, bucket, keepsVersions, signed, notify, cleanUp };
}

/** A step, as fast-check prints it if it finds a fault. */
const step = (name: string, run: (real: Real, model: Model) => Promise<unknown>) => ({
  check: () => true,
  run: async (model: Model, real: Real) => void (await run(real, model)),
  toString: () => name,
});

const index = fc.nat({ max: KEYS.length - 1 });
const keyAt = (at: number) => KEYS[at] ?? "";
const steps = [
  fc.tuple(index, fc.constantFrom(...TEXTS)).map(([at, text]) =>
    step(`put(${keyAt(at)}, ${text})`, async ({ signed }, { stored }) => {
      const target = signed[at];
      if (target) await send(target, text);
      stored.add(`${keyAt(at)} ${hash("md5", text)}`);
    }),
  ),
  index.map((at) => step(`confirm(${keyAt(at)})`, ({ confirm }) => confirm(keyAt(at)))),
  // Twice at once, and as if by another process.
  index.map((at) =>
    step(`confirmTwice(${keyAt(at)})`, ({ confirm, notify }) =>
      Promise.all([confirm(keyAt(at)), confirm(keyAt(at)), notify(keyAt(at))]),
    ),
  ),
  index.map((at) => step(`notify(${keyAt(at)})`, ({ notify }) => notify(keyAt(at)))),
  index.map((at) =>
    step(`delete(${keyAt(at)})`, ({ ask }) => ask("delete", { items: [{ key: keyAt(at) }] })),
  ),
  index.map((at) =>
    step(`move(${keyAt(at)})`, ({ ask }) =>
      ask("move", { items: [{ key: keyAt(at) }], to: "/moved", onConflict: "replace" }),
    ),
  ),
  fc.constant(step("cleanup", ({ cleanUp }) => cleanUp())),
];

/** Tells everything that is stored, as cleanup does at last, and compares the record with the store. */
async function expectRecord({ bucket, confirm, cleanUp, keepsVersions }: Real, { stored }: Model) {
  await confirm(...KEYS);
  await cleanUp();
  await cleanUp();
  const recorded = await eventsOf(stack.postgresUrl, bucket.name);
  const uploads = recorded.filter(({ type }) => type === "file.uploaded");
  // Nothing is recorded that no URL has stored.
  for (const { key, data } of uploads)
    expect(stored).toContain(`${key} ${String(data.etag).replaceAll('"', "")}`);
  for (const key of KEYS) {
    const ofKey = uploads.filter((event) => event.key === key);
    if (keepsVersions) {
      const { versions } = await app.objectStore.listVersions({ bucket: bucket.name, prefix: key });
      const kept = versions.filter((version) => !version.isMarker && version.key === key);
      // Each version has one event, and each event has a version.
      expect(ofKey.map(({ data }) => data.version).sort()).toEqual(
        kept.map(({ versionId }) => versionId).sort(),
      );
      continue;
    }
    // What the key holds is what its last event says.
    const current = await app.objectStore.describeObject({ bucket: bucket.name, key });
    const last = recorded.findLast(({ type, key: at, data }) =>
      type === "file.moved" ? data.from === key : at === key && /uploaded|deleted/.test(type),
    );
    const lastEtag = last?.type === "file.uploaded" ? last.data.etag : undefined;
    expect([key, lastEtag]).toEqual([key, current?.etag]);
  }
}

describe.each([
  ["without versions", false],
  ["with versions", true],
])("in a bucket %s", (_, keepsVersions) => {
  it("the record says what the store holds, whatever happens in whichever order", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 12 }), async (commands) => {
        const model: Model = { stored: new Set() };
        const real = await open(keepsVersions);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await expectRecord(real, model);
      }),
      { numRuns: RUNS },
    );
  });
});
