import type { Page } from "@playwright/test";
import { expect, test } from "./explorer-support";

const names = ["التقرير السنوي.pdf", "Budget 2026 (final).xlsx", "מסמך.txt"];

/** Whether one is to the right of the other on the screen. */
async function isRightOf(page: Page, one: string, other: string): Promise<boolean> {
  const row = page.frameLocator("iframe").getByRole("row", { name: "Budget 2026 (final).xlsx", exact: true });
  const boxes = await Promise.all([one, other].map((part) => row.locator(part).boundingBox()));
  return (boxes[0]?.x ?? 0) > (boxes[1]?.x ?? 0);
}

test("a page in Arabic runs from right to left, and names keep their own direction", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  for (const name of names) await integrator.bucket.put(name, "x".repeat(1500));
  await integrator.bucket.put("Projects/a.txt", "x");
  const { frame } = await openExplorer({ query: "&locale=ar" });
  await expect(frame.locator("html")).toHaveAttribute("dir", "rtl");
  await expect(frame.locator("html")).toHaveAttribute("lang", "ar");
  await expect(frame.getByRole("columnheader", { name: "الاسم" })).toBeVisible();
  expect(await isRightOf(page, ".row__file", ".row__size")).toBe(true);
  expect(await isRightOf(page, ".row__extension", ".row__stem")).toBe(true);
  await page.screenshot({ path: testInfo.outputPath("ar.png") });

  // On a phone the names of all directions begin beside their icons, in the middle of a folder's row.
  await page.setViewportSize({ width: 360, height: 640 });
  await expect(frame.locator(".row__type").first()).toBeHidden();
  for (const name of [...names, "Projects"]) {
    const row = frame.getByRole("row", { name, exact: true });
    const [icon, text] = await Promise.all(
      [".file-icon", ".row__file"].map((part) => row.locator(part).boundingBox()),
    );
    expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(icon?.x ?? 0);
  }
});

for (const [locale, column, items] of [
  ["de-AT", "Größe", "2 Elemente"],
  ["ja", "サイズ", "2 個の項目"],
]) {
  test(`a page in ${locale} is in one language, and fits a phone`, async ({
    integrator,
    openExplorer,
    page,
  }, testInfo) => {
    await integrator.bucket.put("a.txt", "x".repeat(1500));
    await integrator.bucket.put("docs/b.txt", "x");
    await page.setViewportSize({ width: 360, height: 640 });
    const { frame } = await openExplorer({ query: `&locale=${locale}` });
    await expect(frame.locator("html")).toHaveAttribute("lang", String(locale));
    await expect(frame.getByRole("columnheader", { name: column })).toBeVisible();
    await expect(frame.getByText(String(items), { exact: true })).toBeVisible();
    const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect(await frame.locator("html").evaluate(isWider)).toBe(false);
    await page.screenshot({ path: testInfo.outputPath(`${locale}.png`) });
  });
}

test.describe("a refused page", () => {
  test.use({ allowedConsole: [/the server responded with a status of 401/] });

  test("is in the reader's language", async ({ page, stack }) => {
    await page.goto(`${stack.platformBaseUrl}/embed/files?locale=pl`);
    await expect(page.locator("html")).toHaveAttribute("lang", "pl");
    await expect(page.getByRole("heading", { name: "Nie można otworzyć tego widoku" })).toBeVisible();
  });
});
