import { expect, test } from "vitest";
import type { UploadDecision } from "../protocol.js";
import { askBeforeUpload } from "./before-upload.js";
import type { BeforeUploadDetail, Emit } from "./events.js";

/** Asks a page with this listener about the files; `posted` is what it posts to the frame. */
function ask(names: string[], listener: (detail: BeforeUploadDetail) => boolean | undefined) {
  const posted: UploadDecision[][] = [];
  const files = names.map((name) => ({ name, size: 3, type: "text/plain", folderPath: "/in" }));
  const emit = ((_type, detail) => listener(detail as BeforeUploadDetail) ?? true) as Emit;
  const message = { type: "platform.embed.before-upload", service: "files", id: 7, files } as const;
  askBeforeUpload(message, emit, ({ id, decisions }) => {
    expect(id).toBe(7);
    posted.push(structuredClone(decisions));
  });
  return posted;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("without a listener that decides, every file is accepted at once", () => {
  const heard: unknown[] = [];
  const posted = ask(["a.txt", "b.txt"], ({ rename, refuse, waitUntil, ...file }) => {
    heard.push(file);
    return undefined;
  });
  const file = { service: "files", size: 3, type: "text/plain", folderPath: "/in" };
  expect(heard).toEqual([
    { ...file, name: "a.txt" },
    { ...file, name: "b.txt" },
  ]);
  expect(posted).toEqual([
    [
      { index: 0, outcome: "accepted" },
      { index: 1, outcome: "accepted" },
    ],
  ]);
});

test("each file may be renamed, refused with a reason, or refused by preventing the default", () => {
  const posted = ask(["rename", "refuse", "prevent"], ({ name, rename, refuse }) => {
    if (name === "rename") rename("renamed");
    if (name === "refuse") refuse("Too old");
    return name !== "prevent";
  });
  expect(posted).toEqual([
    [
      { index: 0, outcome: "accepted", name: "renamed" },
      { index: 1, outcome: "refused", reason: "Too old" },
      { index: 2, outcome: "refused" },
    ],
  ]);
});

test("a page may wait for a promise before it decides, which delays no other file", async () => {
  let allow = () => {};
  const backend = new Promise<void>((resolve) => {
    allow = resolve;
  });
  const posted = ask(["slow", "fast", "broken"], ({ name, rename, waitUntil }) => {
    if (name === "slow") waitUntil(backend.then(() => rename("checked")));
    if (name === "broken") waitUntil(Promise.reject(new Error("503")));
    return undefined;
  });
  const waiting = { outcome: "waiting" };
  expect(posted).toEqual([
    [
      { index: 0, ...waiting },
      { index: 1, outcome: "accepted" },
      { index: 2, ...waiting },
    ],
  ]);
  await settle();
  expect(posted.slice(1)).toEqual([[{ index: 2, outcome: "refused" }]]);
  allow();
  await settle();
  expect(posted.slice(2)).toEqual([[{ index: 0, outcome: "accepted", name: "checked" }]]);
});

test("a file that is refused already waits for nothing", () => {
  const posted = ask(["a"], ({ refuse, waitUntil }) => {
    waitUntil(new Promise(() => {}));
    refuse();
    return undefined;
  });
  expect(posted).toEqual([[{ index: 0, outcome: "refused" }]]);
});

test("a reason that is not text does not keep the decision from being posted", () => {
  const posted = ask(["a"], ({ refuse }) => {
    refuse(new Error("Too old") as unknown as string);
    return undefined;
  });
  expect(posted).toEqual([[{ index: 0, outcome: "refused", reason: "Error: Too old" }]]);
});
