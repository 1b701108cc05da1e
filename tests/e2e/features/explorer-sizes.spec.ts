/** Sizes of folders, and orders of all their files, in a bucket that has a catalogue. */

import { addCatalogue, test, untilCatalogueIsFound } from "../catalogue-support";
import { violations } from "../change-support";
import { expect, manyFiles, resize } from "../explorer-support";

const folders = {
  "small/a.txt": "x".repeat(10),
  "large/b.txt": "x".repeat(2_000),
  "large/below/c.txt": "x".repeat(3_000),
  "middle/d.txt": "x".repeat(500),
  "own.txt": "x",
};
/** More than a page. The largest come last by name. */
const many = manyFiles(1_200, (index) => [
  `many/${String(index).padStart(4, "0")}.txt`,
  "x".repeat(index === 1_150 ? 9_000 : index % 7),
]);

test.use({ initialObjects: { ...folders, ...many } });

const sizes = Object.fromEntries(
  Object.entries({ ...folders, ...many }).map(([key, text]) => [key, text.length]),
);

test.beforeEach(async ({ integrator, stack }) => {
  await addCatalogue(stack, integrator.bucket.name, sizes);
  await untilCatalogueIsFound(stack, integrator);
});

test("folders have sizes, in the list and in their details, and are sorted by them", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer();
  const { frame, row, names } = explorer;
  const size = (name: string) => row(name).locator(".row__size");
  await expect(size("large")).toHaveText("5 kB");
  await expect(size("small")).toHaveText("10 bytes");
  await expect(row("large")).toHaveAccessibleDescription("5 kB");
  expect(await names()).toEqual(["large", "many", "middle", "small", "own.txt"]);
  await frame.getByRole("button", { name: "Size" }).click();
  await expect.poll(names).toEqual(["many", "large", "middle", "small", "own.txt"]);

  await row("large").focus();
  await page.keyboard.press("Alt+Enter");
  const panel = frame.getByRole("complementary", { name: "Details" });
  await expect(panel).toContainText("5 kB (2 files)");
  await expect(panel).toContainText(/As of .+20\d\d/);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await resize(page, frame, 360);
  await row("middle").click({ button: "right" });
  await frame.getByRole("menuitem", { name: "Details" }).click();
  await expect(frame.getByRole("dialog", { name: "Details of middle" })).toContainText("500 bytes (1 file)");
  expect(await violations(page)).toEqual([]);
});

test("a folder that takes longer to count is counted on demand", async ({ openExplorer, page }) => {
  let isFound = false;
  await page.route("**/api/embed/storage/sizes", async (route) => {
    const { thorough } = route.request().postDataJSON();
    const response = await route.fetch();
    const told = await response.json();
    const isTold = thorough === true && isFound;
    await route.fulfill({
      json: { ...told, sizes: told.sizes.map((size: object) => (isTold ? size : null)) },
    });
  });
  const { frame, row } = await openExplorer();
  await row("large").focus();
  await page.keyboard.press("Alt+Enter");
  const panel = frame.getByRole("complementary", { name: "Details" });
  await panel.getByRole("button", { name: "Calculate" }).press("Enter");
  await expect(panel.getByRole("status").filter({ hasText: "Too many files to count" })).toBeVisible();
  isFound = true;
  await panel.getByRole("button", { name: "Calculate" }).press("Enter");
  await expect(panel.getByRole("status").filter({ hasText: "5 kB (2 files)" })).toBeVisible();
  await expect(panel.getByRole("button", { name: "Calculate" })).toHaveCount(0);
  await expect(row("large").locator(".row__size")).toHaveText("5 kB");
});

test("the largest of all files come first, without loading all of them", async ({ openExplorer, page }) => {
  const pages: object[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/storage/list")) pages.push(request.postDataJSON());
  });
  // The second page by key comes only when it is wanted.
  let isWanted = false;
  await page.route("**/api/embed/storage/list", async (route) => {
    const { cursor, order } = route.request().postDataJSON();
    if (cursor !== undefined && order === undefined && !isWanted) return;
    await route.continue();
  });
  const { frame, row, names } = await openExplorer({ query: "&path=/many" });
  await expect(frame.getByText("Still loading.")).toBeVisible();
  await frame.getByRole("button", { name: "Size" }).click();
  await expect(row("1150.txt")).toBeVisible();
  expect((await names())[0]).toBe("1150.txt");
  await expect(frame.getByText("These come first. There are more.")).toBeVisible();
  expect(pages.at(-1)).toMatchObject({ order: "largest" });

  isWanted = true;
  await frame.getByRole("button", { name: "Load all" }).click();
  await expect(frame.getByText("1,200 items")).toBeVisible();
  expect((await names())[0]).toBe("1150.txt");
});
