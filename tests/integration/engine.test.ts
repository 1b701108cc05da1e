import { createFilesClient, type FilesClient, realWorld } from "platform-embed-element/client";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { scopeActions } from "../../app/services/files/place/actions";
import { issueEmbedUrl } from "../support/app/embed-client";
import { createRouteApp } from "../support/app/route-app";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { fileRow as file, folderRow as folder } from "../support/files/rows";

/** The engine without a screen, in Node, with the platform and a store. */
const stack = inject("stack");
const app = createRouteApp(stack);
let calls: ChangeCalls;
let files: FilesClient;
let made = 0;
const place = () => `place-${made++}`;

beforeAll(async () => {
  calls = await openChanges(stack, app.fetch);
  await calls.keepVersions();
  files = createFilesClient({
    bucket: calls.bucket.name,
    fetchToken: () => issueEmbedUrl(stack, calls.client, { scope: { actions: scopeActions } }),
    world: { ...realWorld, fetch: app.fetch },
  });
});
afterAll(() => app.close());

it("deletes, and brings back by undo", async () => {
  const at = place();
  await calls.put({ [`${at}/a.txt`]: "a", [`${at}/docs/b.txt`]: "b" });
  const before = await calls.below(at);
  const { changes } = files;
  const deleted = await changes.remove([file(`${at}/a.txt`), folder(`/${at}/docs`)]);
  expect(deleted).toMatchObject({ status: "done", done: 2 });
  // What is left of the folders.
  expect(Object.keys(await calls.below(at))).not.toContain("a.txt");
  const undone = new Promise<string>((resolve) => {
    files.on("changed", ({ change }) => resolve(`${change.stepOf?.way}: ${change.status}`));
  });
  expect(await changes.undo()).toMatchObject({ status: "started" });
  expect(await undone).toBe("undo: done");
  expect(await calls.below(at)).toMatchObject(before);
  expect(changes.getState()).toEqual([]);
});

it("waits for an answer when a name is taken", async () => {
  const at = place();
  await calls.put({ [`${at}/a.txt`]: "new", [`${at}/in/a.txt`]: "old" });
  const { changes } = files;
  const stop = changes.subscribe(() => {
    const waiting = changes.getState().find(({ status }) => status === "waiting");
    if (!waiting) return;
    stop();
    expect(waiting.question).toEqual({
      about: "conflicts",
      items: [{ name: "a.txt", key: `${at}/a.txt` }],
    });
    changes.answer(waiting.id, "keep-both");
  });
  const moved = await changes.move([file(`${at}/a.txt`)], `/${at}/in`);
  expect(moved).toMatchObject({ status: "done", renamed: [{ name: "a (1).txt" }] });
  expect(await calls.below(`${at}/in`)).toEqual({ "a.txt": "old", "a (1).txt": "new" });
});

it("lists a folder, which follows changes, searches below it, and tells the versions of a file", async () => {
  const at = place();
  await calls.put({ [`${at}/a.txt`]: "a", [`${at}/docs/plan.txt`]: "b" });
  await calls.put({ [`${at}/a.txt`]: "newer" });
  const opened = files.folder();
  await opened.open(`/${at}`);
  const names = () => opened.getState().rows.map(({ name }) => name);
  expect(opened.getState()).toMatchObject({ status: "ready", complete: true, problem: null });
  expect(names()).toEqual(["docs", "a.txt"]);
  await files.changes.rename(file(`${at}/a.txt`), "b.txt");
  expect(names()).toEqual(["docs", "b.txt"]);
  opened.close();
  const found: string[] = [];
  for await (const { rows } of files.search(`/${at}`, "plan")) found.push(...rows.map(({ name }) => name));
  expect(found).toEqual(["plan.txt"]);
  const versions: number[] = [];
  for await (const page of files.history.versions({ key: `${at}/a.txt` })) {
    versions.push(...page.versions.map(({ size }) => size));
  }
  expect(versions).toEqual([5, 1]);
});

it("has the contract's code for what fails", async () => {
  const at = place();
  await calls.put({ [`${at}/a.txt`]: "a", [`${at}/b.txt`]: "b" });
  const renamed = await files.changes.rename(file(`${at}/a.txt`), "b.txt");
  expect(renamed).toMatchObject({ status: "failed", error: { code: "name_taken" } });
  files.changes.dismiss(renamed.id);
  await expect(files.changes.createFolder(`/${at}`, "a/b")).rejects.toMatchObject({
    code: "invalid_request",
    status: 400,
  });
});
