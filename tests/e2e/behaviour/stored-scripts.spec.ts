import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures";

/** Tells that it ran by what it leaves on the store's origin, which every page there can read. */
const PROOF = `try { localStorage.setItem("ran", "yes") } catch {} try { parent.postMessage("ran", "*") } catch {}`;

const stored = {
  "page.html": ["text/html", `<!doctype html><title>stored</title><script>${PROOF}</script>`],
  "drawing.svg": ["image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>${PROOF}</script></svg>`],
  "page.xml": [
    "image/any+xml",
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>${PROOF}</script></html>`,
  ],
  "untyped.html": ["application/octet-stream", `<!doctype html><script>${PROOF}</script>`],
  "script.js": ["text/javascript", PROOF],
  "worker.js": ["application/javascript", `addEventListener("fetch", () => {}); skipWaiting();`],
} as const;

/** A harmless page of the test's own on the store's origin, to look at what is left there and to try what a page could. */
async function openOnStore(page: Page, origin: string, bucket: string): Promise<void> {
  const address = `${origin}/${bucket}/only-in-this-test`;
  await page.route(address, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>test</title>" }),
  );
  await page.goto(address);
}

test.describe("a stored script", () => {
  for (const disposition of ["inline", "attachment"]) {
    test(`does not run on the store's origin with an ${disposition} URL`, async ({
      integrator,
      context,
      stack,
    }) => {
      const { endpoint } = stack.objectStore;
      const { bucket } = integrator;
      const { token } = await integrator.issue();
      // Not the fixture's page: a download that a page is sent to, and a worker that is refused, are told on the console.
      const page = await context.newPage();
      const urlOf = async (key: string): Promise<string> => {
        const response = await fetch(`${stack.platformBaseUrl}/api/embed/storage/presign-download`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ token, bucket: bucket.name, key, disposition }),
        });
        return (await response.json()).url;
      };
      for (const [key, [type, content]] of Object.entries(stored)) await bucket.put(key, content, type);

      for (const key of Object.keys(stored)) {
        const url = await urlOf(key);
        // Opened by itself: the browser saves it, and the page stays where it is.
        await openOnStore(page, endpoint, bucket.name);
        const saved = page.waitForEvent("download");
        await page.goto(url).catch(() => {});
        await (await saved).cancel();

        // In a frame of a page on the same origin, which is the most that could be given to it.
        const heard = await page.evaluate(async (src) => {
          const messages: unknown[] = [];
          addEventListener("message", (event) => messages.push(event.data));
          const frame = document.createElement("iframe");
          frame.src = src;
          const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
          document.body.append(frame);
          // A download loads nothing into a frame: the request's end is what can be waited for.
          const ended = fetch(src).then((response) => response.arrayBuffer());
          await Promise.race([loaded, ended]);
          const text = frame.contentDocument?.documentElement?.textContent ?? "";
          return { messages, text };
        }, url);
        expect(heard, `${key} in a frame`).toEqual({ messages: [], text: "" });

        // As a worker, which would see every later request to the store.
        const registered = await page.evaluate(
          (src) =>
            navigator.serviceWorker.register(src).then(
              () => "registered",
              (error: DOMException) => error.name,
            ),
          url,
        );
        expect(registered, `${key} as a service worker`).toBe("SecurityError");
        expect(await page.evaluate(() => localStorage.getItem("ran")), key).toBeNull();
      }
      expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
        0,
      );
    });
  }
});
