/** The order of versions that the store made at the same time: Amazon S3 has whole seconds. */
import { expect, it, vi } from "vitest";
import { listFolderAt } from "../../app/services/files/history/list-folder-at.server";
import { openFaultyStore } from "../support/files/cut-off-changes";
import { testGrant } from "../support/files/grant";
import { serviceTools } from "../support/files/service-tools";

const { app, open } = await openFaultyStore();
const { bucket } = await open();
await bucket.keepVersions();
const grant = testGrant({ bucket: bucket.name, actions: ["history"] }, { expiresAt: app.now() + 600 });

it("is the store's where objects and delete markers have the same time", async () => {
  const then = Math.floor(Date.now() / 1000) * 1000 - 60_000;
  vi.useFakeTimers({ toFake: ["Date"], now: then });
  try {
    for (const key of ["stored-again.txt", "deleted.txt"]) await bucket.put(key, "first");
    for (const key of ["stored-again.txt", "deleted.txt"]) await bucket.remove(key);
    await bucket.put("stored-again.txt", "second one");
  } finally {
    vi.useRealTimers();
  }
  // The latest versions are others now.
  await bucket.remove("stored-again.txt");
  await bucket.put("deleted.txt", "third");
  const request = { bucket: bucket.name, at: new Date(then + 1_000).toISOString(), pageSize: 10 };
  const { files } = await listFolderAt(request, grant, serviceTools(app));
  expect(files.map(({ name, size }) => [name, size])).toEqual([["stored-again.txt", 10]]);
});
