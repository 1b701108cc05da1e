import type { FrameLocator, Locator, Page } from "@playwright/test";
import { dialog, everything, menuItem } from "../change-support";
import { expect, manyFiles, type OpenExplorer, test } from "../explorer-support";

const preview = (frame: FrameLocator) => frame.getByRole("dialog");
const selected = async ({ frame }: OpenExplorer) =>
  frame
    .locator('[data-row][aria-selected="true"]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
const name = ({ row }: OpenExplorer, file: string) => row(file).getByText(file);
/** A point in a row that is neither its name nor a control. */
const blank = { position: { x: 420, y: 12 } };

const files = ["a.txt", "b.txt", "c.txt", "d.txt"].map((file) => [file, "some text"]);
test.use({ initialObjects: { ...Object.fromEntries(files), "docs/inside.txt": "x" } });

test("a click selects a row, and a double click opens it", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("a.txt").click(blank);
  await expect.poll(() => selected(explorer)).toEqual(["a.txt"]);
  await row("c.txt").click(blank);
  await expect.poll(() => selected(explorer)).toEqual(["c.txt"]);
  await expect(preview(frame)).toHaveCount(0);
  await row("b.txt").dblclick(blank);
  await expect(preview(frame)).toBeVisible();
  await page.keyboard.press("Escape");
  await row("docs").dblclick(blank);
  await expect(row("inside.txt")).toBeVisible();
  await expect.poll(() => selected(explorer)).toEqual([]);
});

test("a click on the name opens at once", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: everything });
  await name(explorer, "docs").click();
  await expect(explorer.row("inside.txt")).toBeVisible();
  await name(explorer, "inside.txt").click();
  await expect(preview(explorer.frame)).toBeVisible();
});

test("a double click on a folder's name opens it once", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: everything });
  await name(explorer, "docs").dblclick();
  await expect(explorer.row("inside.txt")).toBeVisible();
  const opened = (await explorer.heard()).filter((type) => type === "platform.embed.navigate");
  expect(opened).toHaveLength(1);
});

test("where files may not be downloaded, a click on a name selects the file", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: { actions: [] } });
  await name(explorer, "b.txt").click();
  await expect.poll(() => selected(explorer)).toEqual(["b.txt"]);
});

test("Ctrl adds to the selection, Shift extends it, and a click on blank space ends it", async ({
  openExplorer,
}) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("a.txt").click(blank);
  await row("c.txt").click({ ...blank, modifiers: ["ControlOrMeta"] });
  await expect.poll(() => selected(explorer)).toEqual(["a.txt", "c.txt"]);
  await name(explorer, "d.txt").click({ modifiers: ["Shift"] });
  await expect.poll(() => selected(explorer)).toEqual(["a.txt", "c.txt", "d.txt"]);
  await frame.locator(".list").click({ position: { x: 300, y: 420 } });
  await expect.poll(() => selected(explorer)).toEqual([]);
});

test("the arrow keys move what a click has selected, and leave alone what the keyboard has selected", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: everything });
  await explorer.row("a.txt").click(blank);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => selected(explorer)).toEqual(["b.txt"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect.poll(() => selected(explorer)).toEqual(["b.txt", "c.txt"]);
});

test("Ctrl+A selects all rows wherever the focus is, and Escape none", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const places = {
    "blank space": () => frame.locator(".list").click({ position: { x: 300, y: 420 } }),
    Refresh: () => frame.getByRole("button", { name: "Refresh" }).click(),
    "a column header": () => frame.getByRole("button", { name: "Size" }).click(),
  };
  for (const [place, click] of Object.entries(places)) {
    await click();
    await page.keyboard.press("ControlOrMeta+a");
    await expect.poll(() => selected(explorer), { message: place }).toHaveLength(5);
    expect(await row("docs").evaluate(() => String(getSelection())), place).toBe("");
    await page.keyboard.press("Escape");
    await expect.poll(() => selected(explorer), { message: place }).toEqual([]);
  }
  const field = frame.getByRole("searchbox", { name: "Search" });
  await field.fill("a.txt");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await expect(field).toHaveValue("");
  await expect.poll(() => selected(explorer), { message: "its text was selected" }).toEqual([]);
});

test("a right click selects the row that its menu is about", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("a.txt").click(blank);
  await row("c.txt").click({ button: "right" });
  await expect(frame.getByRole("menu", { name: "Actions for c.txt" })).toBeVisible();
  await expect.poll(() => selected(explorer)).toEqual(["c.txt"]);
  await page.keyboard.press("Escape");
});

test("a selected row keeps its tint under the pointer", async ({ openExplorer, page }) => {
  const { row } = await openExplorer({ scope: everything });
  /** red, green and blue, of the row's background */
  const colour = (file: string) =>
    row(file).evaluate((element) => {
      const canvas = document.createElement("canvas").getContext("2d");
      if (!canvas) throw new Error("There is no canvas.");
      canvas.fillStyle = getComputedStyle(element).backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    });
  const distance = (one: number[], other: number[]) =>
    Math.max(...one.map((value, index) => Math.abs(value - (other[index] ?? 0))));
  await row("b.txt").hover(blank);
  const hovered = await colour("b.txt");
  await row("a.txt").click(blank);
  const underPointer = await colour("a.txt");
  await page.mouse.move(0, 0);
  const tint = await colour("a.txt");
  expect(distance(tint, hovered), "the tint is another colour").toBeGreaterThan(6);
  expect(distance(underPointer, tint)).toBeLessThan(distance(underPointer, hovered));
  // The pointer is noticed nevertheless.
  expect(underPointer).not.toEqual(tint);
});

test("the active row hides its buttons while the pointer is on another", async ({ openExplorer, page }) => {
  const { row } = await openExplorer({ scope: everything });
  const button = (file: string) => row(file).getByRole("button", { name: `More for ${file}` });
  await row("a.txt").focus();
  await page.mouse.move(0, 0);
  await expect(button("a.txt")).toHaveCSS("opacity", "1");
  await row("c.txt").hover();
  await expect(button("c.txt")).toHaveCSS("opacity", "1");
  await expect(button("a.txt")).toHaveCSS("opacity", "0");
  // With the keyboard it is found all the same.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(button("a.txt")).toBeFocused();
  await expect(button("a.txt")).toHaveCSS("opacity", "1");
});

for (const width of [360, 768, 1280])
  test(`the buttons of folders and files are in one column, at ${width} pixels`, async ({
    openExplorer,
    page,
  }) => {
    await page.setViewportSize({ width, height: 640 });
    const { row } = await openExplorer({ scope: everything });
    const places = (name: string) =>
      row(name)
        .locator(".row__actions button")
        .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().x)));
    expect((await places("docs")).length).toBe(2);
    expect(await places("docs")).toEqual(await places("a.txt"));
  });

/** Drags with the mouse between two points of the list. */
async function drag(page: Page, frame: FrameLocator, from: [number, number], to: [number, number]) {
  const box = await frame.locator(".list").boundingBox();
  const at = ([x, y]: [number, number]) => [(box?.x ?? 0) + x, (box?.y ?? 0) + y] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]));
  await page.mouse.move(...at(to));
}

test("dragging from blank space selects the rows that the rectangle touches", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame } = explorer;
  // The head is 36 pixels high, each row 48: docs, a, b, c, d.
  await drag(page, frame, [500, 400], [300, 36 + 48 * 3 + 20]);
  await expect(frame.locator(".rectangle")).toBeVisible();
  const opacity = await frame.locator(".rectangle").evaluate((element) => {
    const canvas = document.createElement("canvas").getContext("2d");
    if (!canvas) throw new Error("There is no canvas.");
    const { backgroundColor, opacity } = getComputedStyle(element);
    canvas.fillStyle = backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return ((canvas.getImageData(0, 0, 1, 1).data[3] ?? 0) / 255) * Number(opacity);
  });
  expect(opacity, "the names below stay readable").toBeLessThan(0.2);
  await page.mouse.up();
  await expect(frame.locator(".rectangle")).toHaveCount(0);
  await expect.poll(() => selected(explorer)).toEqual(["c.txt", "d.txt"]);
  await page.keyboard.down("Shift");
  await drag(page, frame, [500, 36 + 48 + 20], [480, 36 + 48 + 30]);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect.poll(() => selected(explorer)).toEqual(["a.txt", "c.txt", "d.txt"]);
});

test("a selected row is dragged by its blank part at once, and draws no rectangle", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const blankOf = (index: number) => [500, 36 + 48 * index + 24] as const;
  await row("b.txt").click({ position: { x: 500, y: 24 } });
  await row("c.txt").click({ position: { x: 500, y: 24 }, modifiers: ["Control"] });
  await drag(page, frame, [...blankOf(3)], [...blankOf(1)]);
  await expect(frame.locator(".rectangle")).toHaveCount(0);
  await page.mouse.up();
  await expect.poll(() => selected(explorer)).toEqual(["b.txt", "c.txt"]);
});

test.describe("in a folder of 160 files", () => {
  test.use({ initialObjects: manyFiles(160, (index) => `many/f${String(index).padStart(3, "0")}.txt`) });

  test("a rectangle scrolls the list, and selects among tiles by column", async ({ openExplorer, page }) => {
    const explorer = await openExplorer({ scope: { ...everything, path: "/many" } });
    const { frame } = explorer;
    await expect(frame.getByText("160 items")).toBeVisible();
    const height = (await frame.locator(".list").boundingBox())?.height ?? 0;
    await drag(page, frame, [600, 36 + 60], [620, height - 4]);
    // It scrolls by some pixels with each frame, of which a busy machine draws few.
    await expect(explorer.row("f159.txt")).toBeInViewport({ timeout: 30_000 });
    await page.mouse.up();
    await expect(frame.getByText("159 selected")).toBeVisible();
    await page.keyboard.press("Escape");

    await frame.getByRole("button", { name: "Show as tiles" }).click();
    const tile = frame.getByRole("gridcell", { name: "f001.txt", exact: true });
    const [tileBox, listBox] = [await tile.boundingBox(), await frame.locator(".list").boundingBox()];
    if (!tileBox || !listBox) throw new Error("There is no tile.");
    const x = tileBox.x - listBox.x + 3;
    const y = tileBox.y - listBox.y + 3;
    await drag(page, frame, [x, y], [x + tileBox.width + 10, y + 20]);
    await page.mouse.up();
    await expect.poll(() => selected(explorer)).toEqual(["f001.txt", "f002.txt"]);
  });
});

test("blank space has a menu of the folder, and so has a button", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, names } = explorer;
  const menu = frame.getByRole("menu", { name: "More actions in this folder" });
  await row("a.txt").press("Control+c");
  await row("a.txt").click(blank);
  await frame.locator(".list").click({ button: "right", position: { x: 300, y: 420 } });
  await expect(menu.getByRole("menuitem")).toHaveText([
    "New folder",
    "Upload files",
    "Upload folder",
    /^Paste here/,
    /^Select all/,
    /^Recently added/,
    "Show as tiles",
    "Refresh",
    "Help?",
  ]);
  await expect.poll(() => selected(explorer)).toEqual([]);
  await expect(menu.getByRole("menuitemradio", { name: "Sort by name" })).toBeChecked();
  await expect(
    menu.getByRole("menuitem").locator('[href="#icon-check"]'),
    "no tick at a command",
  ).toHaveCount(0);
  await menu.getByRole("menuitemradio", { name: "Sort by name" }).click();
  await expect.poll(names).toEqual(["docs", "d.txt", "c.txt", "b.txt", "a.txt"]);

  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  await menuItem(frame, "New folder").click();
  await expect(dialog(frame)).toBeVisible();
  await page.keyboard.press("Escape");
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  const chooser = page.waitForEvent("filechooser");
  await menuItem(frame, "Upload files").click();
  await (await chooser).setFiles({ name: "new.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await expect(row("new.txt")).toBeVisible();
});

test.describe("in a folder of 30 files", () => {
  test.use({ initialObjects: manyFiles(30, (index) => `many/f${10 + index}.txt`) });

  test("a full list has blank space below its last row, in rows and tiles", async ({
    openExplorer,
    page,
  }) => {
    const explorer = await openExplorer({ scope: { ...everything, path: "/many" } });
    const { frame } = explorer;
    const last = frame.locator('[data-row="29"]');
    const below = async () => {
      await last.press("Space");
      await expect.poll(() => selected(explorer)).toEqual(["f39.txt"]);
      await frame.locator(".list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
      const { x = 0, y = 0, width = 0, height = 0 } = (await last.boundingBox()) ?? {};
      return [x + width / 2, y + height + 24] as const;
    };
    await page.mouse.click(...(await below()));
    await expect.poll(() => selected(explorer)).toEqual([]);
    await page.mouse.click(...(await below()), { button: "right" });
    await expect(frame.getByRole("menu", { name: "More actions in this folder" })).toBeVisible();
    await page.keyboard.press("Escape");
    await frame.getByRole("button", { name: "Show as tiles" }).click();
    await page.mouse.click(...(await below()));
    await expect.poll(() => selected(explorer)).toEqual([]);
  });
});

test("without the right to change anything, the folder's menu sorts, selects and shows", async ({
  openExplorer,
}) => {
  const { frame } = await openExplorer({ scope: { actions: [] } });
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  await expect(frame.getByRole("menuitem")).toHaveText([
    /^Select all/,
    /^Recently added/,
    "Show as tiles",
    "Refresh",
    "Help?",
  ]);
});

/** Rests a finger on a row until that selects it. */
async function longPress(page: Page, row: Locator): Promise<void> {
  const box = await row.boundingBox();
  const point = { x: (box?.x ?? 0) + 150, y: (box?.y ?? 0) + 20 };
  const session = await page.context().newCDPSession(page);
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await expect(row).toHaveAttribute("aria-selected", "true");
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test.describe("by touch", () => {
  test.use({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });

  test("a tap opens, a long press selects, and then taps select", async ({ openExplorer, page }) => {
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await row("docs").tap();
    await expect(row("inside.txt")).toBeVisible();
    await frame.getByRole("button", { name: "Up one folder" }).tap();
    await longPress(page, row("b.txt"));
    await row("c.txt").tap();
    await expect.poll(() => selected(explorer)).toEqual(["b.txt", "c.txt"]);
    await row("b.txt").tap();
    await row("c.txt").tap();
    // The last tap leaves its row hovered.
    for (const file of ["b.txt", "c.txt"])
      await expect(row(file).getByRole("button", { name: `More for ${file}` })).toHaveCSS("opacity", "1");
    await row("c.txt").tap();
    await expect(preview(frame)).toBeVisible();
  });

  test("a tap beside the field for a new name saves it, and opens nothing", async ({
    openExplorer,
    page,
  }) => {
    const { frame, row } = await openExplorer({ scope: everything });
    await row("b.txt").getByRole("button", { name: "More for b.txt" }).tap();
    await frame.getByRole("menuitem", { name: /^Rename/ }).tap();
    await page.keyboard.type("plan");
    await row("c.txt").tap();
    await expect(row("plan.txt")).toBeVisible();
    await expect(preview(frame)).toHaveCount(0);
    await row("c.txt").tap();
    await expect(preview(frame)).toBeVisible();
  });

  test("a file that was only looked at is not added to what a long press selects", async ({
    openExplorer,
    page,
  }) => {
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await row("c.txt").tap();
    await expect(preview(frame)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(preview(frame)).toHaveCount(0);
    await expect.poll(() => selected(explorer)).toEqual([]);
    await longPress(page, row("b.txt"));
    await expect.poll(() => selected(explorer)).toEqual(["b.txt"]);
  });

  test("the first file is within 140 pixels of the top, and a menu is a sheet at the bottom", async ({
    openExplorer,
  }) => {
    const { frame, row } = await openExplorer({ scope: everything });
    expect((await row("docs").boundingBox())?.y).toBeLessThan(140);
    await row("docs").getByRole("button", { name: "More for docs" }).tap();
    const edges = async () => {
      const { x = 0, y = 0, width = 0, height = 0 } = (await frame.getByRole("menu").boundingBox()) ?? {};
      return [x, x + width, Math.round(y + height)];
    };
    // It rises from below.
    await expect.poll(edges).toEqual([0, 360, 640]);
  });
});

test("the checkbox of all rows is mixed while some of them are selected", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const all = frame.getByRole("checkbox", { name: "Select all" });
  const box = (name: string) => row(name).getByRole("checkbox");
  const isMixed = async () => {
    await expect(all).toBeChecked({ indeterminate: true });
    await expect(all).toMatchAriaSnapshot('- checkbox "Select all" [checked=mixed]');
  };
  const isPlain = () => expect(all).toHaveJSProperty("indeterminate", false);
  await expect(all).not.toBeChecked();
  await isPlain();

  await box("a.txt").check();
  await isMixed();
  // From there, it selects the others, too.
  await all.click();
  await expect(all).toBeChecked();
  await isPlain();
  expect(await selected(explorer)).toEqual(["docs", "a.txt", "b.txt", "c.txt", "d.txt"]);

  await box("b.txt").uncheck();
  await isMixed();
  await box("b.txt").check();
  await expect(all).toBeChecked();
  await isPlain();
  await all.click();
  await expect(all).not.toBeChecked();
  await isPlain();
  expect(await selected(explorer)).toEqual([]);

  await box("c.txt").check();
  await isMixed();
  await page.keyboard.press("Escape");
  await expect(all).not.toBeChecked();
  await isPlain();
});
