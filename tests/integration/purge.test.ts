/** Deleting permanently in many small steps, while others work on the same files. */
import { expect, it } from "vitest";
import { purgeVersions } from "../../app/services/files/history/purge-versions.server";
import { restoreVersions } from "../../app/services/files/history/restore-versions.server";
import type { Purged } from "../../app/services/files/place/contract/history-contract.server";
import { openFaultyStore } from "../support/files/cut-off-changes";
import { testGrant } from "../support/files/grant";
import { serviceTools } from "../support/files/service-tools";

const { faulty, app, open } = await openFaultyStore();
const calls = await open();
await calls.bucket.keepVersions();
const bucket = calls.bucket.name;
const grant = testGrant({ bucket, actions: ["history", "purge"] }, { expiresAt: app.now() + 600 });
/** A request deletes one version of each file, however fast the store is. */
const oneEach = { ms: 0, objects: 1_000, concurrency: 16 };
let made = 0;

/** A deleted file with this many versions. */
async function deleted(count: number): Promise<string> {
  const key = `purge-${made++}.txt`;
  for (let index = 0; index < count; index++) await calls.bucket.put(key, `version ${index}`);
  await calls.bucket.remove(key);
  return key;
}

const purge = (keys: string[], cursor?: string | null, bounds = oneEach) => {
  const items = keys.map((key) => ({ key }));
  return purgeVersions(
    { token: "", bucket, items, cursor: cursor ?? undefined },
    grant,
    serviceTools(app),
    bounds,
  );
};
const versionsOf = async (key: string) =>
  (await app.objectStore.listVersions({ bucket, prefix: key })).versions;

it("continues within files by cursor, and counts each file once", async () => {
  const keys = [await deleted(4), await deleted(1), await deleted(3)];
  const answers: Purged[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await purge(keys, cursor);
    answers.push(answer);
    cursor = answer.cursor;
  }
  expect(answers.length).toBeGreaterThan(4);
  const sum = (of: "purged" | "done") => answers.reduce((total, answer) => total + answer[of], 0);
  expect([sum("purged"), sum("done")]).toEqual([8, 3]);
  expect(answers.flatMap(({ failed }) => failed)).toEqual([]);
  for (const key of keys) expect(await versionsOf(key)).toEqual([]);
});

it("stops at a file that somebody restored meanwhile, and its content is there", async () => {
  const key = await deleted(5);
  const [, newest] = await versionsOf(key);
  const begun = await purge([key]);
  expect(begun).toMatchObject({ purged: 1, done: 0, cursor: expect.any(String) });
  const items = [{ key, versionId: newest?.versionId ?? "" }];
  const body = { token: "", bucket, items, onConflict: "fail" as const };
  expect(await restoreVersions(body, grant, serviceTools(app))).toMatchObject({ restored: 1, failed: [] });
  expect(await purge([key], begun.cursor)).toEqual({
    ...{ purged: 0, done: 0, cursor: null },
    failed: [{ key, code: "is_latest" }],
  });
  expect(String(await calls.bucket.get(key))).toBe("version 4");
});

it("deletes the version that could be restored, and then the delete marker, after all others", async () => {
  const key = await deleted(130);
  const [marker, newest, ...older] = (await versionsOf(key)).map(({ versionId }) => versionId);
  const removed: (string | null)[] = [];
  faulty.intercept = ({ method, query }) => {
    if (method === "DELETE") removed.push(query.get("versionId"));
    return undefined;
  };
  expect(await purge([key], null, { ...oneEach, ms: 20_000 })).toMatchObject({ purged: 130, done: 1 });
  expect(removed.slice(-2)).toEqual([newest, marker]);
  expect(removed.slice(0, -2).sort()).toEqual(older.sort());
});
