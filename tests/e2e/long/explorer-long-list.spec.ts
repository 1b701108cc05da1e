import type { FrameLocator, Locator, Page } from "@playwright/test";
import { expect, type Fixtures, manyFiles, type OpenExplorer, test } from "../explorer-support";

const COUNT = 240;
const LIST = "**/api/embed/storage/list";
/** rows that the server renders */
const FIRST_PAGE_SIZE = 100;
const nameOf = (index: number) => `f${String(index).padStart(3, "0")}.txt`;

test.use({
  // Only the visible rows of a longer list are in the document. The files are in a folder, so that a search finds them too.
  initialObjects: manyFiles(COUNT, (index) => `box/${nameOf(index)}`),
});
test.beforeEach(async ({ page }) => {
  // Nothing is drawn between two places of the list then, in which the browser could catch up.
  await page.emulateMedia({ reducedMotion: "reduce" });
});

/** @param item a row or a tile */
async function expectKeysToLead(page: Page, item: (index: number) => Locator): Promise<void> {
  const reaches = async (key: string, index: number) => {
    await page.keyboard.press(key);
    await expect(item(index)).toBeFocused();
    await expect(item(index)).toBeInViewport({ ratio: 1 });
  };
  await item(0).focus();
  await reaches("End", COUNT - 1);
  await reaches("Home", 0);
  await reaches("End", COUNT - 1);
  await page.keyboard.press("PageUp");
  await expect(item(COUNT - 1)).not.toBeFocused();
  await reaches("PageDown", COUNT - 1);
  await page.keyboard.type("f20");
  await expect(item(200)).toBeFocused();
  await expect(item(200)).toBeInViewport({ ratio: 1 });
  await reaches("Home", 0);
}

test("Home and End go to the ends of a long list, in rows and tiles", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer({ scope: { path: "/box" } });
  await expect(frame.getByText(`${COUNT} items`)).toBeVisible();
  await expectKeysToLead(page, (index) => row(nameOf(index)));
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = (index: number) => frame.getByRole("gridcell", { name: nameOf(index), exact: true });
  await expectKeysToLead(page, tile);
});

test("Home and End go to the ends of the search results", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer();
  await frame.getByRole("searchbox", { name: "Search" }).fill("txt");
  await expect(frame.getByText(`${COUNT} found`)).toBeVisible();
  await expectKeysToLead(page, (index) => row(nameOf(index)));
});

/** Rows of the list below its head: how to scroll to one, and which is first in view. */
const placeIn = (frame: FrameLocator) => ({
  scrollTo: (index: number) =>
    frame.locator(".list").evaluate((list, rows) => {
      list.scrollTop = rows * (list.querySelector<HTMLElement>("[data-row]")?.offsetHeight ?? 0);
    }, index),
  first: () =>
    frame.locator(".list").evaluate((list) => {
      const { left, top } = list.getBoundingClientRect();
      const head = list.querySelector(".row--head")?.clientHeight ?? 0;
      const at = document.elementFromPoint(left + 100, top + head + 4);
      return at?.closest("[data-row]")?.getAttribute("aria-label");
    }),
});

test("the first visible row stays in view while rows are added above", async ({
  integrator,
  openExplorer,
}) => {
  const { frame } = await openExplorer({ scope: { path: "/box" } });
  await expect(frame.getByText(`${COUNT} items`)).toBeVisible();
  const { scrollTo, first } = placeIn(frame);
  await scrollTo(200);
  await expect.poll(first).toBe(nameOf(200));
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => integrator.bucket.put(`box/before ${index}.txt`, "x")),
  );
  await frame.getByRole("button", { name: "Refresh" }).click();
  await expect(frame.getByText(`${COUNT + 40} items`)).toBeVisible();
  await expect.poll(first).toBe(nameOf(200));
});

test("another order begins at the top, in rows and tiles", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("box/large.txt", "x".repeat(3000));
  const { frame, row } = await openExplorer({ scope: { path: "/box" } });
  await expect(frame.getByText(`${COUNT + 1} items`)).toBeVisible();
  const { scrollTo, first } = placeIn(frame);
  await scrollTo(200);
  await expect.poll(first).toBe(nameOf(200));
  await frame.getByRole("button", { name: "Size" }).click();
  await expect(row("large.txt")).toBeInViewport({ ratio: 1 });
  await scrollTo(200);
  await expect(row("large.txt")).not.toBeInViewport();
  await frame.getByRole("button", { name: "Name" }).click();
  await expect(row(nameOf(0))).toBeInViewport({ ratio: 1 });

  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await tile(nameOf(0)).press("End");
  await expect(tile("large.txt")).toBeInViewport();
  await frame.getByRole("combobox", { name: "Sort by" }).selectOption("Type");
  await expect(tile(nameOf(0))).toBeInViewport({ ratio: 1 });
});

test("the same rows stay in view when the density changes, at any scroll position", async ({
  openExplorer,
  page,
}) => {
  const { frame, row, say } = await openExplorer({ scope: { path: "/box" } });
  await expect(frame.getByText(`${COUNT} items`)).toBeVisible();
  const { scrollTo, first } = placeIn(frame);
  const setDensity = (density: "compact" | "comfortable") =>
    say({ type: "platform.embed.configure", appearance: { density } });
  for (const index of [30, 100, 200]) {
    await scrollTo(index);
    await expect.poll(first).toBe(nameOf(index));
    for (const [density, height] of [
      ["compact", "36px"],
      ["comfortable", "48px"],
    ] as const) {
      await setDensity(density);
      await expect(row(nameOf(index))).toHaveCSS("height", height);
      await expect.poll(first).toBe(nameOf(index));
    }
  }
  await row(nameOf(200)).focus();
  await page.keyboard.press("End");
  await expect(row(nameOf(COUNT - 1))).toBeInViewport({ ratio: 1 });
  await setDensity("compact");
  await expect(row(nameOf(COUNT - 1))).toHaveCSS("height", "36px");
  await expect(row(nameOf(COUNT - 1))).toBeInViewport({ ratio: 1 });
});

const loading = "Still loading. The order may change.";

test.describe("a folder of 100,000 files", () => {
  test.beforeEach(async ({ page }) => {
    test.setTimeout(90_000);
    const count = 100_000;
    const pageSize = 20_000;
    await page.route(LIST, (route) => {
      const { cursor } = route.request().postDataJSON() as { cursor: string };
      const first = cursor.startsWith("at-") ? Number(cursor.slice(3)) : FIRST_PAGE_SIZE;
      const end = Math.min(first + pageSize, count);
      const files = Array.from({ length: end - first }, (_, index) => {
        const name = `f${first + index}.txt`;
        const key = `box/${name}`;
        return { name, key, size: first + index, lastModified: "2026-01-01T00:00:00.000Z", etag: "x" };
      });
      return route.fulfill({ json: { folders: [], files, nextCursor: end < count ? `at-${end}` : null } });
    });
  });

  /** Opens it and waits until it loads no further by itself. */
  async function openLong(openExplorer: Fixtures["openExplorer"]): Promise<OpenExplorer> {
    const opened = await openExplorer({ scope: { path: "/box" } });
    await expect(opened.frame.getByText("There are more. Only the loaded ones are sorted.")).toBeVisible();
    return opened;
  }

  /** @returns a function that lets the held pages and all others come */
  async function holdPages(page: Page): Promise<() => void> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(LIST, (route) => released.then(() => route.fallback()));
    return release;
  }

  async function expectLast(frame: FrameLocator, row: OpenExplorer["row"]): Promise<void> {
    await expect(frame.getByText("100,000 items")).toBeVisible();
    await expect(row("f99999.txt")).toBeFocused();
    await expect(row("f99999.txt")).toBeInViewport({ ratio: 1 });
  }

  test("has only its visible rows rendered, and the last is reached", async ({ openExplorer, page }) => {
    const { frame, row } = await openLong(openExplorer);
    await frame.getByRole("button", { name: "Load all" }).click();
    await expect(frame.getByText("100,000 items")).toBeVisible();
    const rendered = frame.locator("[data-row]");
    const last = row("f99999.txt");
    for (const place of [0, 0.5, 1]) {
      await frame.locator(".list").evaluate((list, at) => list.scrollTo(0, at * list.scrollHeight), place);
      if (place === 1) await expect(last).toBeInViewport({ ratio: 1 });
      expect(await rendered.count()).toBeLessThan(100);
    }
    await frame.locator(".list").evaluate((list) => list.scrollTo(0, 0));
    await row("f000.txt").focus();
    await page.keyboard.press("End");
    await expect(last).toBeFocused();
    await expect(last).toBeInViewport({ ratio: 1 });
    expect(await rendered.count()).toBeLessThan(100);
  });

  test("End loads what is left, and leads to the last file", async ({ openExplorer, page }) => {
    const { frame, row } = await openLong(openExplorer);
    const release = await holdPages(page);
    await row("f000.txt").focus();
    await page.keyboard.press("End");
    await expect(frame.getByText(loading)).toBeVisible();
    release();
    await expectLast(frame, row);
  });

  test("End leads to the last file while the first pages are loading, too", async ({
    openExplorer,
    page,
  }) => {
    const release = await holdPages(page);
    const { frame, row } = await openExplorer({ scope: { path: "/box" } });
    await expect(frame.getByText(loading)).toBeVisible();
    await row("f000.txt").focus();
    await page.keyboard.press("End");
    await expect(row("f099.txt")).toBeFocused();
    release();
    await expectLast(frame, row);
  });

  test("another order covers all files", async ({ openExplorer, page }) => {
    const { frame, row } = await openLong(openExplorer);
    const release = await holdPages(page);
    await frame.getByRole("button", { name: "Size" }).click();
    await expect(frame.getByText(loading)).toBeVisible();
    release();
    await expect(frame.getByText("100,000 items")).toBeVisible();
    await expect(row("f99999.txt")).toBeInViewport({ ratio: 1 });
  });
});
