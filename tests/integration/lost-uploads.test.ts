/** The store has a small file, and its response is lost. The next attempt finds a file of that name, and has to know it for its own. */
import { createFilesClient, type FilesClient } from "platform-embed-element/client";
import { nodeWorld } from "platform-embed-element/client/node";
import { beforeAll, expect, it } from "vitest";
import { type ScopeAction, scopeActions } from "../../app/services/files/place/actions";
import type { StoreFault } from "../../local/object-store";
import { issueEmbedUrl } from "../support/app/embed-client";
import { type Asked, asks, openFaultyStore } from "../support/files/cut-off-changes";

const { faulty, app, open } = await openFaultyStore();
const calls = await open();
let made = 0;

function openClient(actions: readonly ScopeAction[] = scopeActions): FilesClient {
  return createFilesClient({
    bucket: calls.bucket.name,
    fetchToken: () => issueEmbedUrl(faulty.stack, calls.client, { scope: { actions } }),
    world: {
      ...nodeWorld(),
      fetch: (url, init) =>
        (url.startsWith(faulty.stack.objectStore.endpoint) ? fetch : app.fetch)(url, init),
      random: () => 0,
    },
  });
}

/** A file with a name of its own. */
const newFile = () => ({ file: new Blob(["bytes"]), name: `${made++}.txt` });
const firstOf = ({ uploads }: FilesClient) => uploads.getState().uploads[0];
/** The state is published a moment later. */
async function idOf(files: FilesClient): Promise<number> {
  await expect.poll(() => firstOf(files)).toBeDefined();
  return firstOf(files)?.id ?? 0;
}
const statusOf = (files: FilesClient) => expect.poll(() => firstOf(files)?.status);

/**
 * The first request that sends a file gets this fault. Later ones for the file wait, by default those that ask for it.
 * @returns `failed`, which resolves when it has happened, and `goOn`
 */
function injectOnce(name: string, fault: StoreFault, isHeld = (request: Asked) => !asks.put(request)) {
  let fail = () => {};
  let goOn = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isFirst = true;
  faulty.intercept = async (request) => {
    if (request.key !== name) return undefined;
    if (!isFirst && isHeld(request)) await held;
    if (!isFirst || !asks.put(request)) return undefined;
    isFirst = false;
    fail();
    return fault;
  };
  return { failed, goOn };
}

// With the first upload to a bucket, the platform tries out what its store checks.
beforeAll(async () => {
  await openClient().uploads.add([newFile()], "/");
});

it("without a token for downloads", async () => {
  const files = openClient(["upload"]);
  const item = newFile();
  const { failed, goOn } = injectOnce(item.name, { loseResponse: true });
  void files.uploads.add([item], "/");
  await failed;
  goOn();
  await statusOf(files).toBe("done");
  expect(await calls.bucket.get(item.name)).toEqual(Buffer.from("bytes"));
});

it("but not another file of that name", async () => {
  const files = openClient(["upload"]);
  const item = newFile();
  const { failed, goOn } = injectOnce(item.name, { reset: true });
  void files.uploads.add([item], "/");
  await failed;
  await calls.put({ [item.name]: "other" });
  goOn();
  await statusOf(files).toBe("waiting");
  expect(await calls.bucket.get(item.name)).toEqual(Buffer.from("other"));
});

it.each(["pause", "cancel"] as const)("when the next attempt comes after %s", async (stop) => {
  const files = openClient();
  const item = newFile();
  const { failed, goOn } = injectOnce(item.name, { loseResponse: true });
  void files.uploads.add([item], "/");
  const id = await idOf(files);
  await failed;
  files.uploads[stop](id);
  goOn();
  await statusOf(files).toMatch(/paused|cancelled/);
  files.uploads.retry(id);
  await statusOf(files).toBe("done");
});

it("when the next attempt comes after a pause, on a store without conditions", async () => {
  const files = openClient();
  const item = newFile();
  const { failed, goOn } = injectOnce(item.name, { loseResponse: true }, () => true);
  const { intercept } = faulty;
  faulty.intercept = (request) =>
    asks.put(request) && "if-none-match" in request.headers
      ? { error: { status: 501, code: "NotImplemented" } }
      : intercept?.(request);
  void files.uploads.add([item], "/");
  const id = await idOf(files);
  await failed;
  files.uploads.pause(id);
  goOn();
  await statusOf(files).toBe("paused");
  files.uploads.retry(id);
  await statusOf(files).toBe("done");
});
