import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { strToU8, zipSync } from "fflate";
import { writeXlsx } from "hucre/xlsx";
import { compoundFile } from "../../support/files/compound-file";
import { paragraph, picture, wordFile } from "../../support/files/word-file";
import { violations } from "../change-support";
import { expect, inBothThemes, resize, test } from "../explorer-support";
import { pdf } from "../sample-files";

const demo = (path: string) => readFile(`local/demo-files/${path}`);
const CONTRACT = "Contracts/Supply contract.docx";
const PRICES = "Data/Price list 2026.xlsx";
const PHOTO = "Photos/2026/IMG_0412.heic";
/** The decoder of HEIC is two megabytes of WebAssembly, which a busy machine compiles for long. */
const DECODED = { timeout: 30_000 };

/** The hosts that the page and its workers ask for something. */
function hostsAsked(page: Page): Set<string> {
  const hosts = new Set<string>();
  page.context().on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http")) hosts.add(host);
  });
  return hosts;
}

test("a Word document is shown with headings, lists, a table, a picture and links", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("contract.docx", await demo(CONTRACT), "application/octet-stream");
  const { frame, row } = await openExplorer();
  await row("contract.docx").dblclick();
  const document = frame.getByRole("dialog").getByRole("region", { name: "contract.docx" });
  await expect(document.getByRole("heading", { name: "Supply contract", level: 3 })).toBeVisible();
  await expect(document.getByRole("heading", { name: "2. Prices" })).toBeVisible();
  await expect(document.getByRole("columnheader", { name: "Price in euros" })).toBeVisible();
  await expect(document.getByRole("cell", { name: "14.50" })).toBeVisible();
  await expect(document.getByRole("listitem").filter({ hasText: "ラベル" })).toBeVisible();
  await expect(document.getByRole("heading", { name: "Supply contract" })).toHaveCSS("text-align", "center");
  await expect(document.getByText("Hamburg, 12 January 2026")).toHaveCSS("text-align", "end");
  const plan = document.getByRole("img", { name: /Plan of the quay/ });
  await expect(plan).toHaveJSProperty("naturalWidth", 560);
  const link = document.getByRole("link", { name: "example.com/prices" });
  await expect(link).toHaveAttribute("href", "https://example.com/prices");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
});

test("a link of a document leads to its place", async ({ integrator, openExplorer, page }) => {
  const body =
    `<w:p><w:hyperlink w:anchor="end"><w:r><w:t>To the end</w:t></w:r></w:hyperlink></w:p>` +
    paragraph("Line").repeat(100) +
    `<w:p><w:bookmarkStart w:id="1" w:name="end"/><w:bookmarkEnd w:id="1"/><w:r><w:t>The end</w:t></w:r></w:p>`;
  await integrator.bucket.put("a.docx", Buffer.from(wordFile({ body })), "application/octet-stream");
  const { frame, row } = await openExplorer();
  await row("a.docx").dblclick();
  await frame.getByRole("button", { name: "To the end" }).focus();
  await page.keyboard.press("Enter");
  await expect(frame.getByText("The end", { exact: true })).toBeInViewport();
  await expect(frame.getByRole("dialog")).toBeVisible();
});

test("a workbook has a tab for each sheet, formats, dates and values of formulas", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("prices.xlsx", await demo(PRICES), "application/octet-stream");
  await integrator.bucket.put("z.txt", "another file", "text/plain");
  const { frame, row } = await openExplorer();
  await row("prices.xlsx").dblclick();
  const dialog = frame.getByRole("dialog");
  await expect(dialog.getByRole("tab", { name: "Prices", selected: true })).toBeVisible();
  const sheet = dialog.getByRole("tabpanel", { name: "Prices" });
  await expect(sheet.getByRole("cell", { name: "Price list 2026" })).toHaveAttribute("colspan", "6");
  await expect(sheet.getByRole("cell", { name: "1 January 2026" })).toBeVisible();
  const crate = sheet.getByRole("row").filter({ hasText: "C-60" });
  await expect(crate.getByRole("cell")).toHaveText([
    "C-60",
    "Crate, 60 × 40 cm",
    "14.50 €",
    "120",
    "5%",
    "1,653.00 €",
  ]);
  await expect(crate.getByRole("cell", { name: "1,653.00 €" })).toHaveCSS("text-align", "right");
  await expect(crate.getByRole("rowheader")).toHaveText("4");
  const head = sheet.getByRole("cell", { name: "Discount" });
  await expect(head).toHaveCSS("background-color", "rgb(31, 78, 120)");
  await expect(head).toHaveCSS("color", "rgb(255, 255, 255)");
  const discount = crate.getByRole("cell", { name: "5%" });
  await expect(discount).toHaveCSS("color", "rgb(192, 0, 0)");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(discount).not.toHaveCSS("color", "rgb(192, 0, 0)");
  await expect(head).toHaveCSS("background-color", "rgb(31, 78, 120)");

  await dialog.getByRole("tab", { name: "Prices" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(dialog.getByRole("tab", { name: "Deliveries", selected: true })).toBeFocused();
  const deliveries = dialog.getByRole("tabpanel", { name: "Deliveries" });
  await expect(deliveries.getByRole("row").filter({ hasText: "March" })).toContainText("3/7/2026");
  await page.keyboard.press("Home");
  await expect(sheet).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("a long text runs over the empty cells after it, also over coloured ones", async ({
  integrator,
  openExplorer,
}) => {
  const text = "A title that is longer than its cell";
  const fill = { type: "pattern", pattern: "solid", fgColor: { rgb: "DDEBF7" } } as const;
  const cells = new Map([["0,1", { value: null, style: { fill } }]]);
  const rows = [[text, null, null, null, "end"]];
  const file = await writeXlsx({ sheets: [{ name: "A", rows, cells }] });
  await integrator.bucket.put("long.xlsx", Buffer.from(file), "application/octet-stream");
  const { frame, row } = await openExplorer();
  await row("long.xlsx").dblclick();
  const cell = frame.getByRole("cell", { name: text });
  const ends = await cell.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { right, top } = range.getBoundingClientRect();
    return {
      text: right,
      cell: element.getBoundingClientRect().right,
      seen: document.elementFromPoint(right - 2, top + 4) === element.firstChild,
    };
  });
  expect(ends.text).toBeGreaterThan(ends.cell + 20);
  expect(ends.seen).toBe(true);
});

test("the frozen rows and the letters of the columns stay in place", async ({ integrator, openExplorer }) => {
  const rows = [["Name", "Value"], ...Array.from({ length: 3_000 }, (_, index) => [`Line ${index}`, index])];
  const merges = [{ startRow: 1, endRow: 2_000, startCol: 0, endCol: 0 }];
  const file = await writeXlsx({ sheets: [{ name: "A", rows, freezePane: { rows: 1 }, merges }] });
  await integrator.bucket.put("long.xlsx", Buffer.from(file), "application/octet-stream");
  const { frame, row } = await openExplorer();
  await row("long.xlsx").dblclick();
  const sheet = frame.getByRole("region", { name: "long.xlsx" });
  await expect(sheet.getByRole("cell", { name: "Line 0", exact: true })).toBeVisible();
  await sheet.evaluate((element) => {
    element.scrollTop = 27 * 1_000;
  });
  await expect(sheet.getByRole("rowheader", { name: "1010", exact: true })).toBeInViewport();
  await expect(sheet.getByRole("cell", { name: "Value" })).toBeInViewport();
  await expect(sheet.getByRole("columnheader", { name: "B" })).toBeInViewport();
  await expect(sheet.getByRole("cell", { name: "Line 0", exact: true }), "merged").toBeAttached();
  await sheet.evaluate((element) => {
    element.scrollTop = element.scrollHeight;
  });
  await expect(sheet.getByRole("cell", { name: "Line 2999" })).toBeInViewport();
});

test("a HEIC photo is decoded, and zoomed like other images", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("photo.heic", await demo(PHOTO), "image/heic");
  const { frame, row } = await openExplorer();
  await row("photo.heic").dblclick();
  const photo = frame.getByRole("img", { name: "photo.heic" });
  await expect(photo).toHaveJSProperty("naturalWidth", 1400, DECODED);
  await expect(photo).toHaveJSProperty("naturalHeight", 933);
  const before = await photo.evaluate((image) => image.clientWidth);
  await frame.getByRole("button", { name: "Zoom in" }).click();
  expect(await photo.evaluate((image) => image.clientWidth)).toBeGreaterThan(before);
});

test("what a file refers to is not loaded, and nothing in it runs", async ({
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  test.slow();
  const size = { width: 4, height: 3 };
  const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>parent.ran = true</script></svg>';
  const document = wordFile({
    body: paragraph("Harmless words") + picture("tracker", "Linked", size) + picture("a.svg", "Drawn", size),
    pictures: { "a.svg": strToU8(script) },
    outside: { tracker: { type: "image", target: "http://tracker.example/pixel.png" } },
    entries: { "word/vbaProject.bin": strToU8("Sub AutoOpen()") },
  });
  await integrator.bucket.put("a.docx", Buffer.from(document), "application/octet-stream");
  await integrator.bucket.put("b.xlsx", await demo(PRICES), "application/octet-stream");
  await integrator.bucket.put("c.heic", await demo(PHOTO), "image/heic");
  const hosts = hostsAsked(page);
  const { frame, row } = await openExplorer();
  await row("a.docx").dblclick();
  await expect(frame.getByText("Harmless words")).toBeVisible();
  await expect(frame.getByText("Linked", { exact: true })).toBeVisible();
  await expect(frame.getByText("Drawn", { exact: true })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("tab", { name: "Deliveries" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("img", { name: "c.heic" })).toBeVisible(DECODED);
  const ours = [stack.platformBaseUrl, stack.objectStore.endpoint, integrator.origin];
  expect([...hosts].filter((host) => !ours.some((url) => new URL(url).host === host))).toEqual([]);
});

test("a worker that reads a file reaches no address", async ({ openExplorer, page }) => {
  const { frame } = await openExplorer();
  for (const name of ["document", "sheet", "heic"]) {
    // Other code with the headers of the real one, as if a file had taken the worker over.
    await page.route(`**/embed-workers/${name}.js`, async (route) => {
      const body = `fetch("/robots.txt").then(() => postMessage("reached"), () => postMessage("refused"))`;
      await route.fulfill({ response: await route.fetch(), body });
    });
    const outcome = await frame.locator("body").evaluate(
      (_, url) =>
        new Promise((resolve) => {
          const worker = new Worker(url, { type: "module" });
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = () => resolve("did not start");
        }),
      `/embed-workers/${name}.js`,
    );
    expect(outcome, name).toBe("refused");
  }
});

/** Of seventy megabytes. */
const bomb = () => Buffer.from(zipSync({ "word/document.xml": new Uint8Array(70_000_000) }, { level: 1 }));

test("a file that cannot be shown says why, and is offered for download", async ({
  integrator,
  openExplorer,
  page,
}) => {
  test.slow();
  const large = bomb();
  // What begins like its format: anything else is shown as what it is.
  const cutArchive = large.subarray(0, 100);
  const cutPhoto = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  const refused: [name: string, content: Buffer, says: string][] = [
    ["a bomb.docx", large, "too complex to preview"],
    ["b bomb.xlsx", large, "too complex to preview"],
    ["c locked.xlsx", Buffer.from(compoundFile(["EncryptedPackage"])), "protected by a password"],
    ["c old.xlsx", Buffer.from(compoundFile(["Workbook"])), "until 2003"],
    ["d broken.docx", cutArchive, "cannot be read"],
    ["e broken.ods", cutArchive, "cannot be read"],
    ["f broken.heic", cutPhoto, "cannot be read"],
  ];
  for (const [name, content] of refused)
    await integrator.bucket.put(name, content, "application/octet-stream");
  const { frame, row } = await openExplorer();
  const dialog = frame.getByRole("dialog");
  await row(refused[0]?.[0] ?? "").dblclick();
  for (const [name, , says] of refused) {
    await expect(dialog.getByText(name, { exact: true }).first()).toBeVisible();
    await expect(dialog.getByRole("alert"), name).toContainText(says, DECODED);
    await expect(dialog.locator(".preview__note").getByRole("button", { name: "Download" })).toBeVisible();
    await page.keyboard.press("ArrowRight");
  }
});

test("a viewer is loaded with the first file that needs it, and again if that fails", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.docx", await demo(CONTRACT), "application/octet-stream");
  const workers: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/embed-workers/")) workers.push(pathname);
  });
  const { frame, row } = await openExplorer();
  expect(workers).toEqual([]);
  await page.route("**/embed-workers/document.js", (route) => route.abort());
  await row("a.docx").dblclick();
  await expect(frame.getByRole("alert")).toContainText("could not be loaded");
  await page.unroute("**/embed-workers/document.js");
  await frame.getByRole("button", { name: "Try again" }).click();
  await expect(frame.getByRole("heading", { name: "Supply contract" })).toBeVisible();
  expect(new Set(workers)).toEqual(new Set(["/embed-workers/document.js"]));
});

test("documents, sheets and photos pass axe, in light and in dark, wide and narrow", async ({
  integrator,
  openExplorer,
  page,
}) => {
  test.slow();
  const kinds: [name: string, path: string, shown: string][] = [
    ["a.docx", CONTRACT, ".document__page h3"],
    ["b.xlsx", PRICES, ".sheet"],
    ["c.heic", PHOTO, "img"],
  ];
  for (const [name, path] of kinds)
    await integrator.bucket.put(name, await demo(path), "application/octet-stream");
  const explorer = await openExplorer();
  const { frame, row } = explorer;
  await row("a.docx").dblclick();
  for (const [name, , shown] of kinds) {
    await expect(frame.getByRole("dialog").locator(shown).first()).toBeVisible(DECODED);
    for (const width of [1280, 360]) {
      await resize(page, frame, width);
      await inBothThemes(explorer, async (theme) =>
        expect(await violations(page), `${name}, ${width} px, ${theme}`).toEqual([]),
      );
    }
    await page.keyboard.press("ArrowRight");
  }
});

test("tiles show the first page of a PDF, a picture of a film, and a HEIC photo; rows do not", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.pdf", pdf(3), "application/pdf");
  await integrator.bucket.put("b.webm", await readFile("tests/engines/film.webm"), "video/webm");
  await integrator.bucket.put("c.heic", await demo(PHOTO), "image/heic");
  await integrator.bucket.put("d.pdf", "no document", "application/pdf");
  const read: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/([a-d]\.\w+)\?/.exec(request.url()) ?? [];
    if (name) read.push(name);
  });
  const explorer = await openExplorer();
  const { frame } = explorer;
  await expect(explorer.row("c.heic")).toBeVisible();
  const tile = (name: string) => frame.getByRole("gridcell", { name, exact: true });
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  await expect(tile("a.pdf").locator("img")).toHaveJSProperty("naturalHeight", 320);
  await expect(tile("b.webm").locator("img")).toHaveJSProperty("naturalWidth", 64);
  await expect(tile("c.heic").locator("img")).toHaveJSProperty("naturalWidth", 320, DECODED);
  await expect(tile("d.pdf").locator("svg.file-icon")).toBeVisible();
  await expect.poll(() => new Set(read)).toEqual(new Set(["a.pdf", "b.webm", "c.heic", "d.pdf"]));
  await inBothThemes(explorer, async (theme) => expect(await violations(page), theme).toEqual([]));
  await frame.getByRole("button", { name: "Show as a list" }).click();
  await expect(explorer.row("a.pdf")).toBeVisible();
  await expect(explorer.row("a.pdf").locator("img")).toHaveCount(0);
});
