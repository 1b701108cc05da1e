/** The engine's storage in a browser, when the browser keeps nothing or is about to clear it. */
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import type { RecordStorage } from "platform-embed-element/client";
import { expect, test } from "../fixtures";

const SITE = "http://records.test/";
declare const engine: { browserStorage: RecordStorage };

const code = build({
  entryPoints: [fileURLToPath(new URL("../../../embed-element/client/world-storage.ts", import.meta.url))],
  bundle: true,
  write: false,
  format: "iife",
  globalName: "engine",
}).then(({ outputFiles }) => outputFiles[0]?.text ?? "");

async function openPage(page: Page, head = ""): Promise<void> {
  const headers = { "Content-Type": "text/html" };
  await page.route(SITE, (route) => route.fulfill({ headers, body: `<!doctype html>${head}` }));
  await page.goto(SITE);
  await page.addScriptTag({ content: await code });
}

const put = (page: Page) =>
  page.evaluate(() =>
    engine.browserStorage.put({ id: "a" }).then(
      () => "kept",
      ({ name }) => name,
    ),
  );

test("a record is kept once its transaction is committed, and not when only its request has succeeded", async ({
  page,
}) => {
  await openPage(page);
  // As a full disk does, which is noticed while committing.
  await page.evaluate(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (value) {
      const request = put.call(this, value);
      request.addEventListener("success", () => this.transaction.abort());
      IDBObjectStore.prototype.put = put;
      return request;
    };
  });
  expect(await put(page)).not.toBe("kept");
  expect(await page.evaluate(() => engine.browserStorage.all())).toEqual([]);
  expect(await put(page)).toBe("kept");
  expect(await page.evaluate(() => engine.browserStorage.all())).toEqual([{ id: "a" }]);
});

test("whoever clears the storage need not wait for the tab, which then begins anew", async ({
  page,
  context,
}) => {
  await openPage(page);
  expect(await put(page)).toBe("kept");
  const other = await context.newPage();
  await openPage(other);
  const deleted = await other.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.deleteDatabase("platform-embed-uploads");
        request.onsuccess = () => resolve("deleted");
        request.onblocked = () => resolve("blocked");
      }),
  );
  expect(deleted).toBe("deleted");
  expect(await put(page)).toBe("kept");
});

test("a frame without an origin has no storage, and nothing throws", async ({ page }) => {
  await openPage(page);
  const outcome = await page.evaluate(
    (script) =>
      new Promise((resolve) => {
        addEventListener("message", ({ data }) => resolve(data));
        const frame = document.createElement("iframe");
        frame.sandbox.add("allow-scripts");
        frame.srcdoc = `<script>${script};
          Object.defineProperty(window, "BroadcastChannel", { value: class { constructor() { throw new DOMException("", "SecurityError"); } } });
          const channel = engine.browserStorage.openChannel();
          engine.browserStorage.all().catch(({ name }) => parent.postMessage([channel, name], "*"));
        </script>`;
        document.body.append(frame);
      }),
    await code,
  );
  expect(outcome).toEqual([null, "SecurityError"]);
});
