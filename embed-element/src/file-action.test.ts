import { expect, test } from "vitest";
import type { FileActionProgressMessage } from "../protocol.js";
import type { Emit, FileActionDetail } from "./events.js";
import { runFileAction } from "./file-action.js";

const items = [{ bucket: "acme", key: "a.pdf", name: "a.pdf", size: 3, contentType: "application/pdf" }];

/** Chooses the action `sign` in a page with this listener; the result is what the page posts to the frame. */
function choose(listener: (detail: FileActionDetail) => void) {
  const posted: Omit<FileActionProgressMessage, "type" | "id">[] = [];
  const emit = ((_type, detail) => {
    listener(detail as FileActionDetail);
    return true;
  }) as Emit;
  const message = {
    type: "platform.embed.file-action",
    service: "files",
    id: 7,
    action: "sign",
    items,
  } as const;
  runFileAction(message, emit, ({ type, id, ...progress }) => {
    expect([type, id]).toEqual(["platform.embed.file-action-progress", 7]);
    posted.push(structuredClone(progress));
  });
  return posted;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("the listener gets the action and its items, and the frame nothing if it does not wait", async () => {
  const heard: unknown[] = [];
  const posted = choose(({ service, action, items }) => heard.push({ service, action, items }));
  await settle();
  expect(heard).toEqual([{ service: "files", action: "sign", items }]);
  expect(posted).toEqual([]);
});

test("the frame shows an action that the page waits for, its progress, and its end", async () => {
  let finish = () => {};
  let report: FileActionDetail["progress"] = () => {};
  const posted = choose(({ waitUntil, progress }) => {
    report = progress;
    waitUntil(
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    );
  });
  expect(posted).toEqual([{ state: "running" }]);
  report(0.5, "One of two");
  report(0.9);
  finish();
  await settle();
  expect(posted.slice(1)).toEqual([
    { state: "running", progress: 0.5, text: "One of two" },
    { state: "running", progress: 0.9 },
    { state: "done" },
  ]);
});

test("an action fails with the reason that the page gives, or without one", async () => {
  const rejected = choose(({ waitUntil }) => waitUntil(Promise.reject(new Error("internal"))));
  const explained = choose(({ waitUntil, fail }) => {
    waitUntil(Promise.resolve());
    fail("The document is signed already.");
  });
  await settle();
  expect(rejected).toEqual([{ state: "running" }, { state: "failed" }]);
  // The frame takes the first end.
  expect(explained).toEqual([
    { state: "running" },
    { state: "failed", text: "The document is signed already." },
    { state: "done" },
  ]);
});
