import { expect, test } from "./explorer-support";

const names = ["التقرير السنوي.pdf", "Budget 2026 (final).xlsx", "מסמך.txt"];

test("a page in Arabic runs from right to left, and names keep their own direction", async ({
  integrator,
  openExplorer,
  page,
}, testInfo) => {
  for (const name of names) await integrator.bucket.put(name, "x".repeat(1500));
  await integrator.bucket.put("Projects/a.txt", "x");
  const { frame, row } = await openExplorer({ query: "&locale=ar" });
  await expect(frame.locator("html")).toHaveAttribute("dir", "rtl");
  await expect(frame.locator("html")).toHaveAttribute("lang", "ar");

  const [name, size] = await Promise.all(
    [".row__file", ".row__size"].map((part) => row("Budget 2026 (final).xlsx").locator(part).boundingBox()),
  );
  expect(name?.x, "the name is to the right of the size").toBeGreaterThan(size?.x ?? 0);
  const [stem, extension] = await Promise.all(
    [".row__stem", ".row__extension"].map((part) =>
      row("Budget 2026 (final).xlsx").locator(part).boundingBox(),
    ),
  );
  expect(extension?.x, "the extension is behind its name").toBeGreaterThan(stem?.x ?? 0);
  await page.screenshot({ path: testInfo.outputPath("ar.png") });
});
