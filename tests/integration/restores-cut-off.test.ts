/** Restores that were cut off: what the store's versions say about them later. */
import { expect, inject, it, vi } from "vitest";
import { authorOf } from "../../app/events/event";
import { makeDatabase } from "../support/app/deployment";
import { makeBucket } from "../support/files/bucket";
import { openFaultyStore } from "../support/files/cut-off-changes";
import { age, eventsOf, pendingOf, settlePending } from "../support/files/event-calls";
import { testGrant } from "../support/files/grant";

// A database of its own: whatever is pending in it is resolved.
const postgresUrl = await makeDatabase(inject("stack"));
const { faulty, app } = await openFaultyStore({ POSTGRES_URL: postgresUrl });
const bucket = await makeBucket(faulty.stack);
await bucket.keepVersions();
const author = authorOf(testGrant(), { requestId: "r" });

/** Runs `make` with a clock from before the restores were begun. */
async function before(make: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 30 * 60_000 });
  try {
    await make();
  } finally {
    vi.useRealTimers();
  }
}

const versionsOf = async (key: string) =>
  (await app.objectStore.listVersions({ bucket: bucket.name, prefix: key })).versions;

async function begin(key: string, data: object): Promise<void> {
  const event = { ...author, type: "file.restored", bucket: bucket.name, key, data } as const;
  await app.events.recordPending(event, key);
}

it("tells by the versions which of them had been made, whatever happened to the files since", async () => {
  await before(async () => {
    for (const key of ["restored", "deleted-again", "still-deleted", "uploaded-again"]) {
      await bucket.put(key, "first");
      await bucket.remove(key);
    }
    for (const key of ["copied", "not-copied"])
      for (const text of ["first", "second one"]) await bucket.put(key, text);
  });
  for (const key of ["restored", "deleted-again", "still-deleted", "uploaded-again"])
    await begin(key, { version: (await versionsOf(key))[1]?.versionId, size: 5, etag: '"e"' });
  for (const key of ["copied", "not-copied"]) {
    const [, first] = await versionsOf(key);
    await begin(key, { fromVersion: first?.versionId, size: 5, etag: first?.etag });
  }
  for (const key of ["restored", "deleted-again"]) {
    const [marker] = await versionsOf(key);
    await app.objectStore.removeObject({ bucket: bucket.name, key, version: marker?.versionId ?? "" });
  }
  await bucket.remove("deleted-again");
  await bucket.put("uploaded-again", "other");
  await bucket.put("copied", "first");
  await bucket.put("copied", "somebody else's");
  const [, copy] = await versionsOf("copied");
  await age(postgresUrl, bucket.name, "16 min");

  const settled = await settlePending(app);
  expect(settled).toMatchObject({ made: 3, notMade: 3, open: 0, recent: 0 });
  const recorded = await eventsOf(postgresUrl, bucket.name);
  expect(recorded.map(({ type, key }) => [type, key]).sort()).toEqual([
    ["file.restored", "copied"],
    ["file.restored", "deleted-again"],
    ["file.restored", "restored"],
  ]);
  expect(recorded.find(({ key }) => key === "copied")?.data).toMatchObject({ etag: copy?.etag });
  expect(await pendingOf(postgresUrl, bucket.name)).toEqual([]);
});
