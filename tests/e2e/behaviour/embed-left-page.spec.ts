/** What the next person at a computer sees who presses Back: the browser has kept the page, with the frame in it. */
import type { FrameLocator, Page } from "@playwright/test";
import { guideIframe } from "../../support/integrator/guide-iframe";
import { enableBackForwardCache, leaveAndComeBack } from "../back-forward-cache";
import { expect, test } from "../fixtures";
import { type Integrator, listening, pageWith, told } from "../integrator";

enableBackForwardCache(test);

test.use({
  initialObjects: { "ada/Photos/hers.txt": "her words", "ben/his.txt": "x" },
  // The end of a session.
  allowedConsole: [/the server responded with a status of 401|^Error: .embed-url responded with 401/],
});

test.beforeEach(async ({ integrator, page, stack }) => {
  await page.addInitScript(() => {
    addEventListener("message", ({ data, ports }) => {
      if (data === "content") ports[0]?.postMessage(document.body.innerHTML);
    });
  });
  integrator.pages.set("/", pageWith(stack, listening));
  signIn(integrator, "ada");
});

function signIn(integrator: Integrator, name: string, members: object = {}): void {
  integrator.respond = integrator.grant;
  integrator.asks = { visitor: { id: name }, scope: { path: `/${name}`, ...members } };
}

function signOut(integrator: Integrator): void {
  integrator.respond = (response) => integrator.json(response, 401, {});
}

/** Opens a folder and the preview of a file. */
async function look(frame: FrameLocator): Promise<void> {
  await frame.getByRole("row", { name: "Photos", exact: true }).dblclick();
  await frame.getByRole("row", { name: "hers.txt", exact: true }).dblclick();
  await expect(frame.getByRole("dialog")).toContainText("her words");
}

/** The HTML in the frame. Playwright reaches no frame of a page that was restored, so the frame itself tells it. */
const contentOf = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const around = document.querySelector("platform-embed")?.shadowRoot ?? document;
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        around.querySelector("iframe")?.contentWindow?.postMessage("content", "*", [port2]);
      }),
  );
const hers = /hers\.txt|her words|Photos/;
const herWords = /her words/;

test("Whoever goes back after signing out sees that the session has ended, and no file", async ({
  integrator,
  openEmbed,
  page,
}) => {
  await look(await openEmbed());
  await leaveAndComeBack(page, `${integrator.origin}/signed-out`, () => signOut(integrator));
  await expect(page.locator("platform-embed")).toContainText("Your session has ended");
  expect(integrator.asked).toHaveLength(2);
  expect(await contentOf(page)).not.toMatch(hers);
});

test("Whoever goes back while signed in finds the same folder and preview", async ({
  integrator,
  openEmbed,
  page,
}) => {
  await look(await openEmbed());
  await leaveAndComeBack(page, `${integrator.origin}/elsewhere`, () => {});
  await expect.poll(() => contentOf(page)).toMatch(herWords);
  expect(await contentOf(page), "the folder behind the preview").toMatch(/role="row"[^>]*>.*hers\.txt/s);
  expect(await told(page, "ready"), "it is the same frame").toHaveLength(1);
  expect(integrator.asked).toHaveLength(2);
});

test("Whoever goes back after signing in as somebody else sees their own files", async ({
  integrator,
  openEmbed,
  page,
}) => {
  await look(await openEmbed());
  await leaveAndComeBack(page, `${integrator.origin}/elsewhere`, () => signIn(integrator, "ben"));
  await expect.poll(() => told(page, "ready")).toHaveLength(2);
  await expect.poll(() => contentOf(page)).toContain("his.txt");
  expect(await contentOf(page)).not.toMatch(hers);
});

test("Nothing is shown until there is another token", async ({ integrator, openEmbed, page }) => {
  await look(await openEmbed());
  let grant = () => {};
  await leaveAndComeBack(page, `${integrator.origin}/elsewhere`, () => {
    integrator.respond = (response, request) => {
      grant = () => void integrator.grant(response, request);
    };
  });
  await expect.poll(() => integrator.asked.length).toBe(2);
  const content = await contentOf(page);
  expect(content).not.toMatch(hers);
  expect(content).not.toContain("<button");
  grant();
  await expect.poll(() => contentOf(page)).toMatch(herWords);
});

test.describe("before the scripts of the frame have run", () => {
  test("whoever goes back after signing out sees no file", async ({ integrator, page, stack }) => {
    const empty = { contentType: "text/javascript", body: "" };
    await page.route(`${stack.platformBaseUrl}/build/entry.client-*.js`, (route) => route.fulfill(empty));
    await page.goto(integrator.origin);
    const rows = page.frameLocator("platform-embed iframe").getByRole("row");
    await expect(rows.filter({ hasText: "Photos" })).toBeVisible();
    await leaveAndComeBack(page, `${integrator.origin}/signed-out`, () => signOut(integrator));
    await expect.poll(() => page.locator("platform-embed iframe").count()).toBe(0);
    await expect(page.locator("platform-embed")).toContainText("Your session has ended");
  });
});

test("A hand-in page does not show the next person what was handed in", async ({
  integrator,
  openEmbed,
  page,
}) => {
  signIn(integrator, "ada", { path: undefined, view: "hand-in", uploadFolder: "/ada" });
  const frame = await openEmbed();
  const letter = { name: "letter.pdf", mimeType: "application/pdf", buffer: Buffer.from("x") };
  await frame.locator("input[type=file]").first().setInputFiles(letter);
  await expect(frame.getByRole("listitem").filter({ hasText: "letter.pdf" })).toContainText("Sent");
  await leaveAndComeBack(page, `${integrator.origin}/signed-out`, () => signOut(integrator));
  await expect(page.locator("platform-embed")).toContainText("Your session has ended");
  expect(await contentOf(page)).not.toContain("letter.pdf");
});

test.describe("in a plain iframe", () => {
  test.beforeEach(({ integrator }) => integrator.pages.set("/", guideIframe()));

  test("whoever goes back after signing out sees nothing of it", async ({ integrator, page }) => {
    await page.goto(integrator.origin);
    await look(page.frameLocator("iframe"));
    await leaveAndComeBack(page, `${integrator.origin}/signed-out`, () => signOut(integrator));
    await expect(page.locator("body")).toContainText("Your session has ended");
    await expect(page.locator("iframe")).toHaveCount(0);
  });

  test("whoever goes back while signed in finds the same folder and preview", async ({
    integrator,
    page,
  }) => {
    await page.goto(integrator.origin);
    await look(page.frameLocator("iframe"));
    await leaveAndComeBack(page, `${integrator.origin}/elsewhere`, () => {});
    await expect.poll(() => contentOf(page)).toMatch(herWords);
    expect(integrator.asked).toHaveLength(2);
  });
});
