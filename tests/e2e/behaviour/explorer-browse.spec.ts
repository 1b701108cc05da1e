import type { Page } from "@playwright/test";
import { everything } from "../change-support";
import { expect, manyFiles, test } from "../explorer-support";

test("folders come first, then files, in natural order", async ({ integrator, openExplorer }) => {
  for (const key of ["b10.txt", "b9.txt", "Zoo/x", "animals/x", "A.txt"])
    await integrator.bucket.put(key, "x");
  const { names, frame } = await openExplorer();
  await expect.poll(names).toEqual(["animals", "Zoo", "A.txt", "b9.txt", "b10.txt"]);
  await expect(frame.getByText("5 items")).toBeVisible();
});

test("breadcrumbs go up to the granted folder and no further", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("secret.txt", "x");
  await integrator.bucket.put("team/plans/2026/q1.txt", "x");
  const { frame, row } = await openExplorer({ scope: { path: "/team" } });
  const crumbs = frame.getByRole("navigation", { name: "Folder path" });
  await expect(crumbs).toHaveText("team");
  await row("plans").dblclick();
  await row("2026").dblclick();
  await expect(crumbs.getByRole("listitem")).toHaveText(["team", "plans", "2026"]);
  await expect(row("q1.txt")).toBeVisible();
  await crumbs.getByRole("button", { name: "team" }).click();
  await expect(row("plans")).toBeFocused();
  await page.keyboard.press("Backspace");
  await expect(crumbs).toHaveText("team");
  await expect(frame.getByText("secret.txt")).toHaveCount(0);
});

test("a double click on a name opens one folder, and not the row that then lies under the pointer", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("a/b/c.txt", "x");
  const { frame, row } = await openExplorer();
  await row("a").getByText("a", { exact: true }).dblclick();
  await expect(row("b")).toBeVisible();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("a");
});

test("a click with Shift selects the rows between, without selecting their text", async ({
  integrator,
  openExplorer,
}) => {
  for (const name of ["a", "b", "c"]) await integrator.bucket.put(`${name}.txt`, "x");
  const { frame, row } = await openExplorer();
  await row("a.txt")
    .getByText("a.txt")
    .click({ modifiers: ["ControlOrMeta"] });
  await row("c.txt")
    .getByText("c.txt")
    .click({ modifiers: ["Shift"] });
  await expect(frame.getByText("3 selected")).toBeVisible();
  await expect(frame.locator(".status__size")).toHaveText("3 bytes");
  expect(await frame.locator("body").evaluate(() => String(getSelection()))).toBe("");
});

test("columns sort in both directions, and announce it", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("small.txt", "x");
  await integrator.bucket.put("large.txt", "x".repeat(3000));
  await integrator.bucket.put("middle.txt", "x".repeat(2000));
  const { frame, names } = await openExplorer();
  const header = (name: string) => frame.getByRole("columnheader", { name });
  await expect(header("Name")).toHaveAttribute("aria-sort", "ascending");
  await header("Size").getByRole("button").click();
  await expect.poll(names).toEqual(["large.txt", "middle.txt", "small.txt"]);
  await expect(header("Size")).toHaveAttribute("aria-sort", "descending");
  await expect(header("Name")).toHaveAttribute("aria-sort", "none");
  await expect(frame.getByRole("status")).toHaveText("Sorted by Size, descending");
  await header("Size").getByRole("button").click();
  await expect.poll(names).toEqual(["small.txt", "middle.txt", "large.txt"]);
  await header("Name").getByRole("button").click();
  await header("Name").getByRole("button").click();
  await expect.poll(names).toEqual(["small.txt", "middle.txt", "large.txt"]);
});

test("the filter narrows the list, reports an empty result, and is cleared by Escape", async ({
  integrator,
  openExplorer,
}) => {
  for (const key of ["Report.pdf", "report.txt", "other.txt"]) await integrator.bucket.put(key, "x");
  const { frame, names } = await openExplorer();
  const filter = frame.getByRole("searchbox", { name: "Search" });
  await filter.fill("REPORT");
  await expect.poll(names).toEqual(["Report.pdf", "report.txt"]);
  await expect(frame.getByText("2 of 3")).toBeVisible();
  await filter.fill("nothing like it");
  await expect(frame.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await filter.press("Escape");
  await expect(filter).toHaveValue("");
  await expect.poll(names).toHaveLength(3);
});

test("typing ahead accepts spaces, and Space selects again afterwards", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const key of ["annual.txt", "annual report.txt", "zebra.txt"]) await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer();
  // On a machine that takes a break between two letters, another name begins.
  await expect(async () => {
    await row("zebra.txt").focus();
    await page.keyboard.press("Escape");
    await page.keyboard.type("annual r");
    await expect(row("annual report.txt")).toBeFocused({ timeout: 500 });
    await expect(frame.getByText("3 items")).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.keyboard.press("End");
  await page.keyboard.press("Space");
  await expect(row("zebra.txt")).toHaveAttribute("aria-selected", "true");
});

test("everything works from the keyboard", async ({ integrator, openExplorer, page }) => {
  for (const key of ["docs/inner.txt", "alpha.txt", "beta.txt", "gamma.txt"])
    await integrator.bucket.put(key, "x");
  const { frame, row } = await openExplorer();
  await row("docs").focus();
  await page.keyboard.press("ArrowDown");
  await expect(row("alpha.txt")).toBeFocused();
  await page.keyboard.press("End");
  await expect(row("gamma.txt")).toBeFocused();
  await page.keyboard.press("Home");
  await expect(row("docs")).toBeFocused();
  await page.keyboard.type("be");
  await expect(row("beta.txt")).toBeFocused();
  // One row is in the tab order at a time.
  await expect(frame.locator("[data-row][tabindex='0']")).toHaveCount(1);

  // Right after a letter, Space would be one of the name.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowUp");
  await expect(frame.getByText("2 selected")).toBeVisible();
  await expect(row("beta.txt")).toHaveAttribute("aria-selected", "true");
  await expect(row("alpha.txt")).toHaveAttribute("aria-selected", "false");
  await page.keyboard.press("Escape");
  await expect(frame.getByText("4 items")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+a");
  await expect(frame.getByText("4 selected")).toBeVisible();
  // A folder is among them, whose size nobody knows.
  await expect(frame.locator(".status__size")).toHaveCount(0);

  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(row("inner.txt")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(frame.getByRole("dialog", { name: "inner.txt" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(row("inner.txt")).toBeFocused();
  await page.keyboard.press("Backspace");
  await expect(row("docs")).toBeFocused();
});

const LIST = "**/api/embed/storage/list";

/** Keeps the page after the first 1,100 rows back. @returns a function that lets it and all others come */
async function holdPages(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let pages = 0;
  await page.route(LIST, async (route) => {
    if (++pages > 1) await released;
    // The person may have left the folder.
    await route.continue().catch(() => {});
  });
  return release;
}

const loading = "Still loading. The order may change.";

test.describe("a folder of many pages", () => {
  test.use({
    initialObjects: {
      ...manyFiles(1_300, (index) => [`many/Z${1000 + index}.txt`, "x".repeat(index)]),
      // The store lists by bytes: small letters after capital ones.
      "many/apple.txt": "x",
      "many/zoo/lion.txt": "x",
    },
  });

  test("is in order from its first row, though the last page holds it", async ({ openExplorer, page }) => {
    const release = await holdPages(page);
    const { frame, names, row, grid } = await openExplorer({ scope: { path: "/many" } });
    await expect(frame.getByText("1,100 items")).toBeVisible();
    await expect(frame.getByText(loading)).toBeVisible();
    expect((await names())[0]).toBe("Z1000.txt");
    release();
    await expect(frame.getByText("1,302 items")).toBeVisible();
    await expect(frame.getByText(loading)).toHaveCount(0);
    await expect(grid).toHaveAttribute("aria-rowcount", "1303");
    expect((await names()).slice(0, 3)).toEqual(["zoo", "apple.txt", "Z1000.txt"]);
    await expect(row("zoo")).toBeInViewport({ ratio: 1 });
    await frame.getByRole("button", { name: "Size" }).click();
    expect((await names()).slice(0, 2)).toEqual(["zoo", "Z2299.txt"]);
  });

  test("does not move what a person has chosen or scrolled to", async ({ openExplorer, page }) => {
    for (const chosen of ["Z1000.txt", "Z1500.txt"]) {
      const release = await holdPages(page);
      const { frame, row } = await openExplorer({ scope: { path: "/many" } });
      await expect(frame.getByText("1,100 items")).toBeVisible();
      const rowHeight = (await row("Z1000.txt").boundingBox())?.height ?? 0;
      const index = Number(chosen.slice(1, 5)) - 1000;
      await frame.locator(".list").evaluate((list, top) => list.scrollTo(0, top), index * rowHeight);
      await row(chosen).click();
      const before = await row(chosen).boundingBox();
      release();
      await expect(frame.getByText(loading)).toHaveCount(0);
      await expect(row(chosen)).toBeFocused();
      expect(await row(chosen).boundingBox()).toEqual(before);
      await page.unroute(LIST);
    }
  });

  for (const [key, selected] of [
    ["End", null],
    ["Shift+End", "1,300 selected"],
    ["ControlOrMeta+a", "1,302 selected"],
  ] as const)
    test(`${key} covers what is still being loaded`, async ({ openExplorer, page }) => {
      const release = await holdPages(page);
      const { frame, row } = await openExplorer({ scope: { path: "/many" } });
      await expect(frame.getByText("1,100 items")).toBeVisible();
      await row("Z1000.txt").focus();
      await page.keyboard.press(key);
      if (key === "ControlOrMeta+a") await expect(frame.getByText("1,100 selected")).toBeVisible();
      else await expect(row("Z2099.txt"), "the last so far").toBeFocused();
      release();
      if (selected !== null) await expect(frame.getByText(selected)).toBeVisible();
      if (key !== "ControlOrMeta+a") {
        await expect(row("Z2299.txt")).toBeFocused();
        await expect(row("Z2299.txt")).toBeInViewport();
      }
    });

  test("End leads nowhere any more once the person is elsewhere", async ({ openExplorer, page }) => {
    const release = await holdPages(page);
    const { frame, row } = await openExplorer({ scope: { path: "/many" } });
    await expect(frame.getByText("1,100 items")).toBeVisible();
    await row("Z1000.txt").focus();
    await page.keyboard.press("End");
    await row("Z2095.txt").click();
    release();
    await expect(frame.getByText(loading)).toHaveCount(0);
    await expect(row("Z2095.txt")).toBeFocused();
  });

  test("is loaded no further once it is left", async ({ openExplorer, page }) => {
    const release = await holdPages(page);
    const { frame, row } = await openExplorer();
    await row("many").focus();
    await page.keyboard.press("Enter");
    await expect(frame.locator(".status")).toContainText("1,000 items");
    const aborted = page.waitForEvent("requestfailed");
    await frame
      .getByRole("navigation", { name: "Folder path" })
      .getByRole("button", { name: "Files" })
      .click();
    expect((await aborted).postDataJSON()).toMatchObject({ folderPath: "/many" });
    release();
    await expect(frame.locator(".status")).toHaveText("1 item");
  });

  test.describe("of which a page fails", () => {
    test.use({ allowedConsole: [/Failed to load resource: .*status of 503/] });

    test("keeps the others, and offers to try again", async ({ openExplorer, page }) => {
      let pages = 0;
      await page.route(LIST, (route) =>
        ++pages === 1
          ? route.continue()
          : route.fulfill({ status: 503, json: { error: "No.", code: "unavailable" } }),
      );
      const { frame, names } = await openExplorer({ scope: { path: "/many" } });
      await expect(frame.getByRole("alert")).toHaveText("The files are not available right now");
      await expect(frame.getByText("1,100 items")).toBeVisible();
      await expect(frame.getByText("There are more. Only the loaded ones are sorted.")).toBeVisible();
      await page.unroute(LIST);
      await frame.getByRole("button", { name: "Try again" }).click();
      await expect(frame.getByText("1,302 items")).toBeVisible();
      expect((await names())[0]).toBe("zoo");
    });
  });
});

test.describe("a folder of 2,500 files", () => {
  test.use({ initialObjects: manyFiles(2_500, (index) => `many/file-${index}.txt`) });
  test("can be stopped while it loads, and continued; only the visible rows are rendered", async ({
    openExplorer,
    page,
  }) => {
    const release = await holdPages(page);
    const { frame, row, grid } = await openExplorer({ scope: { path: "/many", ...everything } });
    // The server's first page, and the one that follows.
    await expect(frame.getByText("1,100 items")).toBeVisible();
    await expect(grid).toHaveAttribute("aria-rowcount", "-1");
    await frame.getByRole("button", { name: "Stop" }).click();
    await expect(frame.getByText("There are more. Only the loaded ones are sorted.")).toBeVisible();
    release();
    await frame.getByRole("button", { name: "Load all" }).click();
    await expect(frame.getByText("2,500 items")).toBeVisible();
    await expect(frame.getByText("There are more")).toHaveCount(0);
    await expect(grid).toHaveAttribute("aria-rowcount", "2501");
    expect(await frame.locator("[data-row]").count()).toBeLessThan(100);

    await row("file-0.txt").focus();
    await page.keyboard.press("End");
    await expect(row("file-2499.txt")).toBeFocused();
    await expect(row("file-2499.txt")).toBeInViewport();
    const filter = frame.getByRole("searchbox", { name: "Search" });
    await filter.fill("file-2400");
    await expect(row("file-2400.txt")).toBeVisible();
    await filter.press("Escape");
    await expect(frame.getByText("2,500 items")).toBeVisible();

    // The name of a copy beside itself is the server's choice, so the folder is listed again: all that was loaded.
    await row("file-2499.txt").focus();
    await page.keyboard.press("Control+c");
    await expect(frame.getByText("file-2499.txt copied. Open a folder and paste.")).toBeVisible();
    await page.keyboard.press("Control+v");
    await expect(row("file-2499 (1).txt")).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Escape");
    await expect(frame.locator(".status")).toContainText("2,501 items");
  });
});

test("theme and language follow the URL, and then the embedding page's messages", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("a.txt", "x".repeat(1500));
  const { frame, row, say } = await openExplorer({ query: "&theme=dark&locale=fr-CA" });
  const html = frame.locator("html");
  await expect(html).toHaveAttribute("data-theme", "dark");
  await expect(row("a.txt")).toContainText("1,5 ko");
  await say({ type: "platform.embed.configure", theme: "light", locale: "en" });
  await expect(html).toHaveAttribute("data-theme", "light");
  await expect(row("a.txt")).toContainText("1.5 kB");
});

test("the embedding page is told when the explorer is ready and which folder is opened", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("docs/a.txt", "x");
  const { row, heard } = await openExplorer();
  await row("docs").dblclick();
  await expect(row("a.txt")).toBeVisible();
  expect(await heard()).toEqual(expect.arrayContaining(["platform.embed.ready", "platform.embed.navigate"]));
});
