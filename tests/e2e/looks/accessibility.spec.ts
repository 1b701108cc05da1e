/** Criteria of WCAG 2.2 that no rule of axe and no other test shows. docs/reference/accessibility.md names these tests. */
import type { FrameLocator, Locator, Page } from "@playwright/test";
import { everything } from "../change-support";
import { expect, test, thirtyFiles } from "../explorer-support";
import { findViolations } from "../find-violations";
import { EMBED_TAG, pageWith } from "../integrator";
import { bmp } from "../sample-files";
import { choose, files } from "../upload-support";

const LONG_NAME =
  "Minutes of the meeting on the new warehouse in the harbour, with all comments, final version 3.txt";
const handIn = { view: "hand-in", uploadFolder: "/inbox" };

/** How many CSS pixels the frame can be scrolled sideways. */
const overflow = (frame: FrameLocator) =>
  frame.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);

/** The visible texts that are cut off. Texts with an ellipsis are left out: their title and the details have the whole. */
const cutTexts = (frame: FrameLocator) =>
  frame.locator("body").evaluate((body) =>
    [...body.querySelectorAll<HTMLElement>("*")]
      .filter((element) => {
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
        if (!hasText || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          return false;
        const { overflowX, overflowY, textOverflow, clip, clipPath } = getComputedStyle(element);
        const isForReadersOnly = clip !== "auto" || clipPath !== "none";
        if (isForReadersOnly || textOverflow === "ellipsis" || element.closest("option")) return false;
        const cutX =
          overflowX !== "visible" && overflowX !== "auto" && element.scrollWidth > element.clientWidth + 1;
        const cutY =
          overflowY !== "visible" && overflowY !== "auto" && element.scrollHeight > element.clientHeight + 1;
        return cutX || cutY;
      })
      .map((element) => `${element.className}: ${element.textContent}`),
  );

/**
 * Presses Tab or Shift+Tab until the embedding page has the focus, and calls `look` with each element of the frame that gets it. Page and
 * frame are different processes, so each step waits until one of them has seen the focus arrive.
 * @returns how many elements of the frame had the focus
 */
async function tabThrough(
  page: Page,
  frame: FrameLocator,
  key: "Tab" | "Shift+Tab",
  look: (focused: Locator, description: string) => Promise<void> = async () => {},
): Promise<number> {
  const documents = [page.locator("body"), frame.locator("body")];
  const countArrivals = async () => {
    const counts = await Promise.all(
      documents.map((body) => body.evaluate(() => (window as { arrivals?: number }).arrivals ?? 0)),
    );
    return counts.reduce((sum, count) => sum + count);
  };
  for (const body of documents)
    await body.evaluate(() => {
      const counting = window as { arrivals?: number };
      if (counting.arrivals !== undefined) return;
      counting.arrivals = 0;
      addEventListener("focusin", () => {
        counting.arrivals = (counting.arrivals ?? 0) + 1;
      });
    });
  for (let count = 0; ; count++) {
    const before = await countArrivals();
    await page.keyboard.press(key);
    await expect.poll(countArrivals).toBeGreaterThan(before);
    if ((await page.evaluate(() => document.activeElement?.tagName)) !== "PLATFORM-EMBED") return count;
    const focused = frame.locator(":focus");
    const description = await focused.evaluate((element) => element.outerHTML.slice(0, 120));
    await look(focused, description);
  }
}

test.describe("at 320 CSS pixels, as at a zoom of 400 %", () => {
  test.use({ viewport: { width: 320, height: 512 } });

  test("the explorer needs no sideways scrolling, in its list, tiles, dialogs and picker", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await integrator.bucket.put(LONG_NAME, "x", "text/plain");
    await integrator.bucket.put("photo.bmp", bmp(64, 48), "image/bmp");
    const { frame, row, say } = await openExplorer({ scope: everything });
    const fits = async (state: string) => expect(await overflow(frame), state).toBe(0);
    await fits("the list");
    await frame.getByRole("button", { name: "More actions in this folder" }).click();
    await expect(frame.getByRole("menu")).toBeVisible();
    await fits("the menu of the folder");
    await page.keyboard.press("Escape");
    await row(LONG_NAME).focus();
    await page.keyboard.press("F2");
    await expect(frame.getByRole("textbox", { name: /^New name/ })).toBeFocused();
    await fits("the field for a name");
    await page.keyboard.press("Escape");
    await row(LONG_NAME).focus();
    await page.keyboard.press("Enter");
    await expect(frame.getByRole("dialog")).toBeVisible();
    await fits("the preview");
    await page.keyboard.press("Escape");
    // What was looked at is selected.
    await page.keyboard.press("Delete");
    await expect(frame.getByRole("alertdialog")).toBeVisible();
    await fits("the question");
    await page.keyboard.press("Escape");
    await say({ type: "platform.embed.configure", picker: { mode: "file" } });
    await expect(frame.getByRole("region", { name: /^Choose/ })).toBeVisible();
    await fits("the picker");
  });

  test("the hand-in page needs no sideways scrolling", async ({ openExplorer }) => {
    const { frame } = await openExplorer({ scope: handIn });
    await frame
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: LONG_NAME, mimeType: "text/plain", buffer: Buffer.from("x") });
    await expect(frame.getByRole("listitem")).toContainText("Sent");
    expect(await overflow(frame)).toBe(0);
  });
});

test("with wider text spacing nothing is cut off", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("notes.txt", "x", "text/plain");
  const { frame, row, say } = await openExplorer({ scope: everything });
  const content =
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }" +
    "p { margin-bottom: 2em !important }";
  await frame.locator("html").evaluate((_, text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }, content);
  expect(await cutTexts(frame), "the list").toEqual([]);
  expect(await overflow(frame), "the list").toBe(0);
  await row("notes.txt").click();
  await page.keyboard.press("Delete");
  await expect(frame.getByRole("alertdialog")).toBeVisible();
  expect(await cutTexts(frame), "the question").toEqual([]);
  await page.keyboard.press("Escape");
  await say({ type: "platform.embed.configure", picker: { mode: "file" } });
  await expect(frame.getByRole("region", { name: /^Choose/ })).toBeVisible();
  expect(await cutTexts(frame), "the picker").toEqual([]);
});

test("portrait and landscape have the same content", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("notes.txt", "x");
  await page.setViewportSize({ width: 390, height: 780 });
  const { frame, row } = await openExplorer();
  for (const size of [
    { width: 390, height: 780 },
    { width: 780, height: 390 },
  ]) {
    await page.setViewportSize(size);
    await expect(row("notes.txt")).toBeInViewport({ ratio: 1 });
    await expect(frame.getByRole("button", { name: "Upload", exact: true })).toBeInViewport({ ratio: 1 });
    await expect(frame.getByRole("searchbox", { name: "Search" })).toBeInViewport({ ratio: 1 });
  }
});

test.describe("in a page with buttons before and after the tag", () => {
  test.use({ initialObjects: thirtyFiles, viewport: { width: 900, height: 500 } });
  test.beforeEach(({ integrator, stack }) => {
    integrator.pages.set("/", pageWith(stack, `<button>Before</button>${EMBED_TAG}<button>After</button>`));
  });

  test("the keyboard enters and leaves the frame, and focus alone changes nothing", async ({
    openEmbed,
    page,
  }) => {
    const frame = await openEmbed();
    await page.getByRole("button", { name: "Before" }).focus();
    const stops = await tabThrough(page, frame, "Tab", async (_, description) => {
      await expect(frame.getByRole("dialog"), description).toHaveCount(0);
      await expect(frame.getByRole("menu"), description).toHaveCount(0);
    });
    expect(stops).toBeGreaterThan(5);
    await expect(page.getByRole("button", { name: "After" })).toBeFocused();
    expect(await tabThrough(page, frame, "Shift+Tab")).toBeGreaterThan(5);
    await expect(page.getByRole("button", { name: "Before" })).toBeFocused();
    await expect(frame.getByRole("row", { name: "file 00.txt" })).toBeVisible();
  });

  test("whatever has the focus has an outline, and no bar covers it", async ({ openEmbed, page }) => {
    const frame = await openEmbed();
    /** The middle of the element is what a click there would hit. */
    const look = async (focused: Locator, description: string) => {
      const seen = await focused.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const at = document.elementFromPoint(left + width / 2, top + height / 2);
        const marks = [element, element.parentElement, element.firstElementChild].map((one) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(one ?? element);
          return outlineStyle !== "none" && outlineWidth !== "0px";
        });
        return {
          isMarked: marks.includes(true),
          isUncovered: at !== null && (element.contains(at) || at.contains(element)),
        };
      });
      expect(seen, description).toEqual({ isMarked: true, isUncovered: true });
    };
    await page.getByRole("button", { name: "Before" }).focus();
    await tabThrough(page, frame, "Tab", look);
    await frame.getByRole("row", { name: "file 00.txt" }).focus();
    // With a selection, there is one bar more at the bottom.
    await page.keyboard.press("Space");
    for (let index = 1; index < 30; index++) {
      await page.keyboard.press("ArrowDown");
      await look(frame.locator(":focus"), `row ${index}`);
    }
    for (let index = 1; index < 30; index++) {
      await page.keyboard.press("ArrowUp");
      await look(frame.locator(":focus"), `row ${30 - index}`);
    }
  });
});

test("with a mouse, every control is at least 24 by 24 pixels", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("docs/a.txt", "x");
  await integrator.bucket.put("notes.txt", "x", "text/plain");
  const { frame, row } = await openExplorer({ scope: everything, query: "&density=compact" });
  /** Controls that a click 11 pixels from their middle misses. */
  const small = () =>
    frame.locator("body").evaluate((body) =>
      [...body.querySelectorAll<HTMLElement>("button, a[href], input, select")]
        .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          const [x, y] = [left + width / 2, top + height / 2];
          const hits = (dx: number, dy: number) =>
            element.contains(document.elementFromPoint(x + dx, y + dy));
          const reach = 11;
          return (
            hits(0, 0) && ![hits(-reach, 0), hits(reach, 0), hits(0, -reach), hits(0, reach)].every(Boolean)
          );
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    );
  await row("notes.txt").hover();
  expect(await small(), "the list").toEqual([]);
  await row("notes.txt").getByRole("checkbox").check();
  expect(await small(), "the selection").toEqual([]);
  await row("docs").getByText("docs").click();
  await expect(row("a.txt")).toBeVisible();
  expect(await small(), "a folder").toEqual([]);
  await frame.getByRole("button", { name: "Details" }).first().click();
  expect(await small(), "the details").toEqual([]);
});

test("an action happens when the pointer is released, and not if it has left the control", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("notes.txt", "x");
  const { frame } = await openExplorer();
  const tiles = frame.getByRole("button", { name: "Show as tiles" });
  await tiles.hover();
  await page.mouse.down();
  await expect(frame.getByRole("grid")).toBeVisible();
  await page.mouse.move(400, 500);
  await page.mouse.up();
  await expect(tiles, "it was left").toBeVisible();
  await tiles.click();
  await expect(tiles).toBeHidden();
});

test("letters and digits do nothing unless the list has the focus", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("notes.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  const refresh = frame.getByRole("button", { name: "Refresh" });
  await refresh.focus();
  for (const key of "abcdefghijklmnopqrstuvwxyz0123456789") await page.keyboard.press(key);
  await expect(refresh).toBeFocused();
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await expect(row("notes.txt")).toHaveAttribute("aria-selected", "false");
});

test("the document has a language, a title, a heading and landmarks, and each field a label", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("notes.txt", "x");
  const { frame } = await openExplorer({ query: "&locale=de" });
  await expect(frame.locator("html")).toHaveAttribute("lang", "de");
  expect(await frame.locator("html").evaluate(() => document.title)).not.toBe("");
  await expect(frame.getByRole("main")).toHaveCount(1);
  await expect(frame.getByRole("heading", { level: 1 })).toHaveCount(1);
  const fields = frame.locator("input:visible, select:visible");
  for (const field of await fields.all())
    expect(
      await field.evaluate((input) => input.ariaLabel ?? (input as HTMLInputElement).labels?.length),
    ).toBeTruthy();
});

test("visible words of a control are in its name", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("docs/a.txt", "x");
  await integrator.bucket.put("notes.txt", "x", "text/plain");
  const { row } = await openExplorer({ scope: everything });
  const find = () => findViolations(page, { include: "iframe", rules: ["label-content-name-mismatch"] });
  expect(await find(), "the list").toEqual([]);
  await row("notes.txt").click();
  expect(await find(), "the selection").toEqual([]);
});

test("names of menu entries and of rows in a question are said once, without what is beside them", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("notes.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("notes.txt").click({ button: "right" });
  const entry = frame.getByRole("menuitem", { name: "Delete", exact: true });
  await expect(entry).toHaveAttribute("aria-keyshortcuts", "Delete");
  await page.keyboard.press("Escape");
  await choose(frame, files(10, "notes.txt"));
  await frame.getByRole("button", { name: "Compare" }).click();
  await expect(frame.getByRole("rowheader", { name: "notes.txt", exact: true })).toBeVisible();
});

test("the hand-in page asks for no data about the person", async ({ openExplorer }) => {
  const { frame } = await openExplorer({ scope: handIn });
  await expect(frame.getByRole("heading", { name: "Hand in files" })).toBeVisible();
  await expect(frame.locator("input:not([type=file]), select, textarea")).toHaveCount(0);
});
