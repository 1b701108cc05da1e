/** Filters by kind, date and size, with and without a catalogue of the bucket. */
import type { FrameLocator } from "@playwright/test";
import { addCatalogueOf } from "../../../local/demo-bucket";
import { query } from "../../support/databases/postgres";
import { test, untilCatalogueIsFound } from "../catalogue-support";
import { expect, inBothThemes, resize } from "../explorer-support";
import { findViolations } from "../find-violations";
import { EMBED_TAG, pageWith } from "../integrator";

const KEYS = [
  "notes.txt",
  "Report 2026.pdf",
  "Été/Café menu.txt",
  "Été/winter.jpg",
  "projects/alpha/annual report.pdf",
  "projects/reports/empty.txt",
];
const LARGE = "projects/large.pdf";

test.beforeEach(async ({ integrator }) => {
  await Promise.all(KEYS.map((key) => integrator.bucket.put(key, `this is ${key}`, "text/plain")));
  await integrator.bucket.put(LARGE, "x".repeat(1_000_001), "application/pdf");
});

const partsOf = (frame: FrameLocator) => ({
  field: frame.getByRole("searchbox", { name: "Search" }),
  progress: frame.getByRole("search", { name: "Search progress" }),
  filters: frame.getByRole("search", { name: "Filters" }),
  kind: frame.getByRole("combobox", { name: "Type" }),
  time: frame.getByRole("combobox", { name: "Modified" }),
  size: frame.getByRole("combobox", { name: "Size" }),
});

test("the filters list files of the folder and below, by keyboard, and Back returns to what was chosen before", async ({
  openExplorer,
  page,
}) => {
  const { frame, names } = await openExplorer();
  const { field, filters, kind, size, time, progress } = partsOf(frame);
  await expect(filters).toHaveCount(0);
  await field.focus();
  await expect(filters).toBeVisible();
  await kind.selectOption({ label: "PDF" });
  await expect.poll(names).toEqual(["annual report.pdf", "large.pdf", "Report 2026.pdf"]);
  await expect(progress).toHaveText("Searched all folders below, 7 files.");
  await size.selectOption({ label: "Larger than 1 MB" });
  await expect.poll(names).toEqual(["large.pdf"]);
  await time.selectOption({ label: "Last 30 days" });
  await expect.poll(names).toEqual(["large.pdf"]);
  await field.fill("report");
  await expect(frame.getByRole("heading", { name: "No file fits these filters" })).toBeVisible();
  await field.fill("");
  await expect.poll(names).toEqual(["large.pdf"]);

  await page.evaluate(() => history.go(-2));
  await expect(kind).toHaveValue("pdf");
  await expect(size).toHaveValue("");
  await expect.poll(names).toEqual(["annual report.pdf", "large.pdf", "Report 2026.pdf"]);
  await kind.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(filters.getByRole("button", { name: "Remove filters" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual(["Été", "projects", "notes.txt", "Report 2026.pdf"]);
});

test("Escape ends the search with its filters, and another folder shows all of its files", async ({
  openExplorer,
  page,
}) => {
  const { frame, row, names } = await openExplorer();
  const { field, filters, kind } = partsOf(frame);
  await field.focus();
  await kind.selectOption({ label: "Image" });
  await expect.poll(names).toEqual(["winter.jpg"]);
  await row("winter.jpg").focus();
  await page.keyboard.press("Escape");
  await expect(filters).toHaveCount(0);
  await expect.poll(names).toEqual(["Été", "projects", "notes.txt", "Report 2026.pdf"]);
  await field.focus();
  await kind.selectOption({ label: "Image" });
  await row("winter.jpg").getByRole("button", { name: "Open its folder, Été" }).click();
  await expect.poll(names).toEqual(["Café menu.txt", "winter.jpg"]);
  await expect(filters).toHaveCount(0);
});

/** Keeps folder and filters in its own address, as the element's README says. */
const KEEPING_PAGE = `${EMBED_TAG}<script>
  const embed = document.querySelector("platform-embed");
  const address = new URL(location.href);
  embed.path = address.searchParams.get("folder");
  embed.filter = address.searchParams.get("filter");
  embed.addEventListener("platform-embed-navigate", ({ detail: { path, filter } }) => {
    address.searchParams.set("folder", path);
    if (filter) address.searchParams.set("filter", filter);
    else address.searchParams.delete("filter");
    history.replaceState(history.state, "", address);
  });
</script>`;

test("a page keeps folder and filters in its address: reloaded, or opened from there, it shows the same", async ({
  integrator,
  openEmbed,
  page,
  browser,
  stack,
}) => {
  integrator.pages.set("/", pageWith(stack, KEEPING_PAGE));
  const frame = await openEmbed();
  const { field, kind, size, filters } = partsOf(frame);
  const names = () =>
    frame
      .locator("[data-row]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
  const kept = () => Object.fromEntries(new URL(page.url()).searchParams);
  expect(kept()).toEqual({});
  await frame.getByRole("row", { name: "projects", exact: true }).dblclick();
  await expect.poll(kept).toEqual({ folder: "/projects" });
  await field.focus();
  await kind.selectOption({ label: "PDF" });
  await expect.poll(kept).toEqual({ folder: "/projects", filter: "kind=pdf" });
  await size.selectOption({ label: "Larger than 1 MB" });
  await expect.poll(kept).toEqual({ folder: "/projects", filter: "kind=pdf&size=1000000" });
  await expect.poll(names).toEqual(["large.pdf"]);
  const address = page.url();

  await page.reload();
  await expect(kind).toHaveValue("pdf");
  await expect(size).toHaveValue("1000000");
  await expect.poll(names).toEqual(["large.pdf"]);
  expect(page.url()).toBe(address);

  const colleague = await (await browser.newContext()).newPage();
  await colleague.goto(address);
  const theirs = colleague.frameLocator("iframe");
  await expect(theirs.getByRole("row", { name: "large.pdf", exact: true })).toBeVisible();
  await expect(theirs.getByRole("row", { name: "alpha", exact: true })).toHaveCount(0);
  await colleague.context().close();

  await size.selectOption({ label: "Any size" });
  await expect.poll(kept).toEqual({ folder: "/projects", filter: "kind=pdf" });
  await page.evaluate(() => history.back());
  await expect.poll(kept).toEqual({ folder: "/projects", filter: "kind=pdf&size=1000000" });
  await expect(size).toHaveValue("1000000");
  await field.focus();
  await page.keyboard.press("Escape");
  await expect.poll(kept).toEqual({ folder: "/projects" });
  await expect(filters).toHaveCount(0);
  await expect.poll(names).toEqual(["alpha", "reports", "large.pdf"]);
});

test("a filter of an address that nobody can choose is no filter", async ({
  integrator,
  openEmbed,
  stack,
}) => {
  integrator.pages.set("/", pageWith(stack, KEEPING_PAGE));
  const bad = encodeURIComponent('kind=<img src=x onerror=alert(1)>&time=century&size=1e99&kind[]="');
  const frame = await openEmbed(`/?filter=${bad}`);
  await expect(frame.getByRole("row", { name: "projects", exact: true })).toBeVisible();
  await expect(partsOf(frame).filters).toHaveCount(0);
});

test("with a catalogue the same is found, and the search says how old it may be", async ({
  openExplorer,
  integrator,
  stack,
}) => {
  const { name } = integrator.bucket;
  await addCatalogueOf(name, stack);
  const hourAgo = "UPDATE catalogues SET scanned_at = scanned_at - interval '1 hour' WHERE bucket = $1";
  await query(stack.postgresUrl, hourAgo, [name]);
  await untilCatalogueIsFound(stack, integrator);
  const { frame, names } = await openExplorer();
  const { field, kind, progress } = partsOf(frame);
  await field.fill("REPORT");
  await expect.poll(names).toEqual(["reports", "annual report.pdf", "Report 2026.pdf"]);
  await expect(progress).toHaveText(
    /^Searched all folders below\. Changes that others have made since .+ may be missing\.$/,
  );
  await kind.selectOption({ label: "PDF" });
  await expect.poll(names).toEqual(["annual report.pdf", "Report 2026.pdf"]);
  await field.fill("");
  await expect.poll(names).toEqual(["annual report.pdf", "large.pdf", "Report 2026.pdf"]);
  // Of two letters it finds the beginnings of words; more letters are searched again.
  await kind.selectOption({ label: "All types" });
  await field.fill("nt");
  await expect(frame.getByRole("heading", { name: "Nothing matches “nt”" })).toBeVisible();
  await field.fill("nte");
  await expect.poll(names).toEqual(["winter.jpg"]);
});

test("the filters fit a phone, and axe finds nothing, in light and in dark", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer();
  const { frame } = explorer;
  const { field, filters, kind } = partsOf(frame);
  await resize(page, frame, 360);
  await field.focus();
  await kind.selectOption({ label: "PDF" });
  await expect(filters).toBeVisible();
  expect(await frame.locator("html").evaluate(({ scrollWidth }) => scrollWidth)).toBe(360);
  await inBothThemes(explorer, async () => expect(await findViolations(page)).toEqual([]));
});
