import type { Page } from "@playwright/test";
import { demoPages } from "../../../local/demo/pages";
import { openBucket } from "../../support/files/bucket";
import { findViolations } from "../find-violations";
import { expect, test } from "../fixtures";

/** Returns the names of each pair of overlapping controls. */
const overlaps = (page: Page) =>
  page.evaluate(() => {
    const controls = [...document.querySelectorAll("main :is(input, select, textarea, button, a)")];
    const boxes = controls.map((element) => ({
      name: element.getAttribute("name") ?? element.textContent,
      box: element.getBoundingClientRect(),
    }));
    return boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .filter(
          ({ box }) =>
            box.width * box.height * one.box.width * one.box.height > 0 &&
            Math.min(box.right, one.box.right) - Math.max(box.left, one.box.left) > 1 &&
            Math.min(box.bottom, one.box.bottom) - Math.max(box.top, one.box.top) > 1,
        )
        .map((other) => `${one.name} and ${other.name}`),
    );
  });

for (const { path } of demoPages) {
  test(`The demo's ${path} has no overlaps and nothing cut off at any width, and passes axe in light and dark`, async ({
    page,
    stack,
  }) => {
    await page.goto(stack.demoUrl + path);
    for (const width of [1280, 1024, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overlaps(page), `at ${width} pixels`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    // The content of frames is checked in their own tests.
    await page.locator("platform-embed, [data-preview]").evaluateAll((frames: HTMLElement[]) => {
      for (const frame of frames) {
        const place = document.createElement("div");
        place.dataset.preview = frame.dataset.preview;
        frame.replaceWith(place);
      }
    });
    for (const theme of ["Light", "Dark"]) {
      await page.getByText(theme, { exact: true }).click();
      const violations = await findViolations(page);
      expect(violations.map(({ id, help }) => `${theme}, ${id}: ${help}`)).toEqual([]);
    }
  });
}

test("The demo's portal opens folders, logs out and logs in again", async ({ page, stack }) => {
  await page.goto(stack.demoUrl);
  const frame = page.frameLocator("iframe");
  const files = frame.getByRole("grid");
  await expect(files).toBeVisible();
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  await page.getByRole("button", { name: "Invoices" }).click();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("Invoices");
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByText("Your session has ended")).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(files).toBeVisible();
  await expect(page.getByRole("button", { name: "Log out" })).toBeVisible();
});

test("The demo's portal signs in one of two people, and the token names them", async ({ page, stack }) => {
  await page.goto(stack.demoUrl);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  const issued = page.waitForResponse(/embed-url/);
  await page.getByLabel("Signed in as").selectOption("Jonas Weber");
  const { url } = await (await issued).json();
  const [payload = ""] = new URL(url).searchParams.get("t")?.split(".") ?? [];
  expect(JSON.parse(Buffer.from(payload, "base64url").toString()).visitor).toEqual({
    id: "u-2",
    name: "Jonas Weber",
  });
  await expect(page.frameLocator("iframe").getByRole("grid")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Signed in as")).toHaveValue("u-2");
});

test("The demo's portal and its files have one font", async ({ page, stack }) => {
  await page.goto(stack.demoUrl);
  const fontOf = (element: Element) => getComputedStyle(element).fontFamily;
  const name = page.frameLocator("platform-embed iframe").locator("[data-name]").first();
  await expect(name).toBeVisible();
  expect(await name.evaluate(fontOf)).toBe(await page.locator("main").evaluate(fontOf));
});

test("The demo's page of databases has no gap between its cards", async ({ page, stack }) => {
  await page.setViewportSize({ width: 1280, height: 1200 });
  await page.goto(`${stack.demoUrl}/databases`);
  // The list of databases may arrive between the two measurements.
  const gap = async () => {
    const databases = await page.getByRole("region", { name: "Databases", exact: true }).boundingBox();
    const code = await page.getByRole("complementary", { name: "How this page is made" }).boundingBox();
    return (code?.y ?? 0) - (databases?.y ?? 0) - (databases?.height ?? 0);
  };
  await expect.poll(gap).toBeLessThan(24);
});

test.describe("The demo's e-mail page", () => {
  const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

  test("shows beside the button that an e-mail was accepted, its id, and where to read it", async ({
    page,
    stack,
  }) => {
    await page.goto(`${stack.demoUrl}/emails`);
    await card(page, "stone").getByRole("button", { name: "Send" }).click();
    const result = card(page, "stone").getByRole("status");
    await expect(result).toContainText(/^Accepted, as \S+\. Open the mailbox$/);
    await expect(result).toBeInViewport();
    const mailbox = result.getByRole("link", { name: "Open the mailbox" });
    const { emails } = await (await page.request.get(`${await mailbox.getAttribute("href")}store`)).json();
    const id = await result.locator("code").textContent();
    expect(emails.map(({ messageId }: { messageId: string }) => messageId)).toContain(id);
    await expect(card(page, "stone").getByRole("button", { name: "Send" })).toBeFocused();
  });

  test.describe("says why an e-mail was not accepted", () => {
    test.use({ allowedConsole: [/the server responded with a status of 4\d\d/] });

    test("in plain words", async ({ page, stack }) => {
      await page.goto(`${stack.demoUrl}/emails`);
      await page.getByLabel("Text, in Markdown").fill("*a_".repeat(6_666));
      await card(page, "blue").getByRole("button", { name: "Send" }).click();
      await expect(card(page, "blue").getByRole("status")).toContainText(/^Not sent\. The description .+\.$/);
    });
  });
});

test.describe("The demo's playground", () => {
  test("shows its presets beside the files, with code to copy for each", async ({ page, context, stack }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${stack.demoUrl}/playground`);
    const presets = page.getByRole("group", { name: "Presets" });
    const upload = page
      .frameLocator("platform-embed iframe")
      .getByRole("button", { name: "Upload", exact: true });
    await expect(upload).toHaveCSS("background-color", "rgb(49, 87, 224)");
    await presets.getByRole("button", { name: "Green portal" }).click();
    await expect(upload).toHaveCSS("background-color", "rgb(15, 118, 110)");
    await expect(presets).toBeInViewport({ ratio: 1 });
    await expect(upload).toBeInViewport({ ratio: 1 });
    await expect(presets.getByRole("button", { pressed: true })).toHaveText("Green portal");
    for (const name of ["Own accent", "Font", "Density"])
      await expect(page.getByLabel(name)).toBeInViewport({ ratio: 1 });

    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Copy" }).first().click();
    await expect
      .poll(copied)
      .toBe("platform-embed {\n  --platform-embed-accent: #0f766e;\n  --platform-embed-radius: 10px;\n}");
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect.poll(copied).toBe('embed.appearance = {\n  "accent": "#0f766e",\n  "radius": 10\n};');
  });
});

test.describe("An unknown URL of the demo", () => {
  test.use({ allowedConsole: [/the server responded with a status of 404/] });

  test("links to the pages that exist", async ({ page, stack }) => {
    await page.goto(`${stack.demoUrl}/files`);
    await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Files" }).click();
    await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
  });
});

test("In the demo, a folder that was deleted yesterday comes back, and what a file was before it was overwritten three times", async ({
  page,
  stack,
}) => {
  const bucket = openBucket(stack.objectStore, stack.objectStore.bucket);
  await page.goto(stack.demoUrl);
  const frame = page.frameLocator("platform-embed iframe");
  const row = (name: string) => frame.getByRole("row", { name, exact: true });
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");

  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await frame.getByRole("menuitem", { name: "Deleted files" }).click();
  await row("Trade fair 2026").getByRole("checkbox").click();
  await frame.getByRole("button", { name: "Restore 1 item" }).click();
  await expect(frame.getByRole("region", { name: "Done" })).toContainText("3 items restored");
  expect(String(await bucket.get("Trade fair 2026/Travel/Trains.txt"))).toBe(
    "Outbound Monday 07:42, back Thursday 17:18.\n",
  );
  await frame.getByRole("button", { name: "Back to current files" }).click();

  const texts = ["as it was", "overwritten once", "overwritten twice", "overwritten three times"];
  for (const text of texts) await bucket.put("Minutes of today.txt", text, "text/plain");
  await frame.getByRole("button", { name: "Refresh" }).click();
  await row("Minutes of today.txt").click({ button: "right" });
  await frame.getByRole("menuitem", { name: "Versions" }).click();
  const versions = frame.getByRole("complementary", { name: "Details" }).getByRole("listitem");
  await expect(versions).toHaveCount(4);
  await versions.last().getByText("Restore this version").click();
  await expect.poll(async () => String(await bucket.get("Minutes of today.txt"))).toBe("as it was");
});
