/** How `activity` looks: rules of accessibility, languages, widths. */
import { type Deed, expect, test } from "../activity-support";
import { findViolations } from "../find-violations";
import { findHardCoded, PSEUDO, servePseudo } from "../hard-coded-text";

const deeds: Deed[] = [
  { ago: 1, who: "Ada", type: "file.moved", key: "in/b.txt", data: { from: "in/a.txt" } },
  { ago: 2, who: "Ada", type: "file.moved", key: "out/d.txt", data: { from: "in/d.txt" } },
  { ago: 3, who: "Ada", type: "file.uploaded", key: "in/1.txt", data: { size: 48_000 } },
  { ago: 20, who: "Ada", type: "file.deleted", key: "in/2.txt" },
  { ago: 21, who: "Ada", type: "file.deleted", key: "in/3.txt" },
  { ago: 40, who: null, type: "folder.created", key: "in/" },
];

for (const theme of ["light", "dark"] as const) {
  for (const width of [360, 1280]) {
    test(`the list, its filters and its states pass axe, ${theme}, ${width} px wide`, async ({
      record,
      openActivity,
      page,
    }) => {
      await page.setViewportSize({ width, height: 720 });
      await record(...deeds);
      const frame = await openActivity(`theme="${theme}"`);
      await frame.getByText("2.txt and 1 more").click();
      await frame.getByRole("combobox", { name: "When" }).selectOption({ label: "Between two dates" });
      await expect(frame.locator(".activity__entry")).toHaveCount(5);
      expect(await findViolations(page, { include: "platform-embed" })).toEqual([]);
      expect(await frame.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth)).toBe(0);
      await frame.getByRole("combobox", { name: "What" }).selectOption({ label: "Opened and downloaded" });
      await expect(frame.getByText("Nothing matches these filters")).toBeVisible();
      expect(await findViolations(page, { include: "platform-embed" })).toEqual([]);
    });
  }
}

test("every word is translated", async ({ record, openActivity, page }) => {
  await servePseudo(page, "activity");
  await record(...deeds);
  const frame = await openActivity();
  await page
    .locator("platform-embed")
    .evaluate((element, tag) => element.setAttribute("locale", tag), PSEUDO);
  await expect(frame.locator("html")).toHaveAttribute("lang", PSEUDO);
  await frame.locator("select").nth(2).selectOption("dates");
  await expect(frame.locator(".activity__entry")).toHaveCount(5);
  const names = ["Ada", "in", "out", ...deeds.map(({ key }) => key.split("/").at(-1) ?? "")];
  const dates = ["today", "yesterday", "PM", "AM"];
  expect(await findHardCoded(frame, [...dates, ...names])).toEqual([]);
});

test("in Arabic it runs from right to left", async ({ record, openActivity }) => {
  await record(...deeds);
  const frame = await openActivity('locale="ar"');
  await expect(frame.locator("html")).toHaveAttribute("dir", "rtl");
  const entry = frame.locator(".activity__entry").first();
  const [icon, time] = await Promise.all([
    entry.locator(".activity__icon").boundingBox(),
    entry.locator(".activity__time").boundingBox(),
  ]);
  expect(icon?.x).toBeGreaterThan(time?.x ?? 0);
});
