import type { Locator, Page } from "@playwright/test";
import { languages } from "../../../app/locales/languages.server";
import { everything } from "../change-support";
import { expect, type Fixtures, test } from "../explorer-support";
import { findHardCoded, PSEUDO, say, servePseudo } from "../hard-coded-text";
import type { Integrator } from "../integrator";
import { choose, files } from "../upload-support";

const names = ["التقرير السنوي.pdf", "Budget 2026 (final).xlsx", "מסמך.txt"];

/** Whether one element is to the right of the other. */
async function isRightOf(page: Page, one: string, other: string): Promise<boolean> {
  const row = page.frameLocator("iframe").getByRole("row", { name: "Budget 2026 (final).xlsx", exact: true });
  const boxes = await Promise.all([one, other].map((part) => row.locator(part).boundingBox()));
  return (boxes[0]?.x ?? 0) > (boxes[1]?.x ?? 0);
}

test("in Arabic, Latin names are beside their icons in menus and in the comparison of conflicts", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("report.txt", "x");
  const { frame, row, say: tell } = await openExplorer({ scope: everything, query: "&locale=ar" });
  await tell({
    type: "platform.embed.configure",
    fileActions: [{ id: "sign", label: "Sign…", for: "file" }],
  });
  await row("report.txt").click({ button: "right" });
  const rightOf = async (entry: Locator) => {
    const box = await entry.locator("span").first().boundingBox();
    return (box?.x ?? 0) + (box?.width ?? 0);
  };
  const own = frame.getByRole("menuitem", { name: "Sign…" });
  await expect(own).toBeVisible();
  expect(await rightOf(own)).toBeCloseTo(await rightOf(frame.getByRole("menuitem").first()), 0);
  await own.press("Escape");

  await choose(frame, files(10, "report.txt"));
  await frame.locator(".upload--conflict [aria-haspopup=dialog]").click();
  const name = frame.locator(".conflicts__name");
  const [icon, text] = await Promise.all(
    [".file-icon", ".file-name span"].map((part) => name.locator(part).boundingBox()),
  );
  expect((icon?.x ?? 0) - (text?.x ?? 0) - (text?.width ?? 0)).toBeCloseTo(8, 0);
});

test("a page in Arabic runs from right to left, and file names keep their own direction", async ({
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
  await page.screenshot({ path: testInfo.outputPath("ar.png") });

  // A menu opens in reading direction and is no wider than its labels.
  await frame.getByRole("row", { name: names[1], exact: true }).click({ button: "right" });
  const menu = await frame.getByRole("menu").boundingBox();
  const pointed = await frame.getByRole("row", { name: names[1], exact: true }).boundingBox();
  expect(menu?.width).toBeLessThan(320);
  expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeCloseTo((pointed?.x ?? 0) + (pointed?.width ?? 0) / 2, -1);
  await page.keyboard.press("Escape");

  // In search results, too, a name is beside its icon.
  await frame.getByRole("searchbox").fill("a.txt");
  const found = frame.locator(".list--found [data-row]").first();
  const gap = await found.evaluate((row) => {
    const name = document.createRange();
    name.selectNodeContents(row.querySelector(".row__file") ?? row);
    const icon = row.querySelector(".file-icon")?.getBoundingClientRect();
    return (icon?.left ?? 0) - name.getBoundingClientRect().right;
  });
  expect(gap).toBeCloseTo(12, 0);
  await frame.getByRole("searchbox").fill("");

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

test("in a right-to-left page, the left arrow key opens a folder", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("one/two/deep.txt", "x");
  await integrator.bucket.put("z.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything, query: "&locale=ar" });
  await row("z.txt").focus();
  await page.keyboard.press("?");
  const sheet = frame.locator("dialog[open]");
  const line = sheet.locator("dl > div").filter({ hasText: "الدخول إلى المجلد" });
  await expect(line.locator("kbd")).toHaveText("←");
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);

  // A menu is as wide as its labels, not as the space to the right of the pointer.
  await row("z.txt").click({ button: "right", position: { x: 200, y: 10 } });
  const menu = await frame.getByRole("menu").boundingBox();
  expect(menu?.width).toBeLessThan(400);
  await page.keyboard.press("Escape");

  await frame.getByRole("button", { name: "نقل" }).click();
  await frame.getByRole("treeitem", { name: "one" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(frame.getByRole("treeitem", { name: "two" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("treeitem", { name: "two" })).toHaveCount(0);
});

test("every language fits on a phone", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.txt", "x".repeat(1500));
  await page.setViewportSize({ width: 360, height: 640 });
  const { frame, row, say } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Space");
  const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  for (const locale of Object.keys(languages)) {
    await say({ type: "platform.embed.configure", locale });
    await expect(frame.locator("html")).toHaveAttribute("lang", locale);
    expect(await frame.locator("html").evaluate(isWider), locale).toBe(false);
  }
});

for (const [locale, search, items] of [
  ["de-AT", "Suchen", "2 Elemente"],
  ["ja", "検索", "2 個の項目"],
]) {
  test(`a page in ${locale} is in one language, and fits on a phone`, async ({
    integrator,
    openExplorer,
    page,
  }, testInfo) => {
    await integrator.bucket.put("a.txt", "x".repeat(1500));
    await integrator.bucket.put("docs/b.txt", "x");
    await page.setViewportSize({ width: 360, height: 640 });
    const { frame } = await openExplorer({ query: `&locale=${locale}` });
    await expect(frame.locator("html")).toHaveAttribute("lang", String(locale));
    await expect(frame.getByRole("searchbox", { name: search })).toBeVisible();
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

test.describe("No text is hard-coded", () => {
  const keys = ["aa.txt", "bb.csv", "cc.bin", "dd/ee/ff/gg.txt"];
  const names = [...keys.flatMap((key) => key.split("/")), "hh.mp4", "ii", "zz"];

  type Opening = Fixtures & { integrator: Integrator; page: Page };

  /** Opens the explorer in the pseudo-language and returns a check that all text is in it. */
  async function openPseudo({ integrator, openExplorer, page }: Opening) {
    await Promise.all(keys.map((key) => integrator.bucket.put(key, "1")));
    await servePseudo(page);
    const { frame, row, say: tell } = await openExplorer({ scope: everything });
    await tell({ type: "platform.embed.configure", locale: PSEUDO });
    await expect(frame.getByRole("columnheader", { name: say("size") })).toBeVisible();
    const dialog = frame.locator("dialog[open]");
    return {
      ...{ frame, row, dialog, page },
      button: (name: string) => frame.getByRole("button", { name, exact: true }),
      look: async (where: string) => expect.soft(await findHardCoded(frame, names), where).toEqual([]),
      leave: async () => {
        await page.keyboard.press("Escape");
        await expect(dialog).toHaveCount(0);
      },
    };
  }
  type Screen = Awaited<ReturnType<typeof openPseudo>>;

  const walks: Record<string, (screen: Screen) => Promise<void>> = {
    "of the list, its menus and the fields for names": async ({ frame, row, dialog, page, button, look }) => {
      await look("list");
      for (const name of ["aa.txt", "dd"]) {
        await row(name).click({ button: "right" });
        await expect(frame.getByRole("menu")).toBeVisible();
        await look(`menu of ${name}`);
        await page.keyboard.press("Escape");
      }
      await button(say("changes.newFolder")).click();
      await dialog.getByRole("textbox").fill("/");
      await page.keyboard.press("Enter");
      await expect(dialog.getByRole("alert")).not.toBeEmpty();
      await look("new folder");
      await dialog.getByRole("textbox").fill("ii");
      await page.keyboard.press("Enter");
      await expect(row("ii")).toBeVisible();
      await look("notice");
      await row("aa.txt").click();
      await page.keyboard.press("F2");
      await frame.getByRole("textbox", { name: say("changes.renameOf", { name: "aa.txt" }) }).fill("bb.csv");
      await page.keyboard.press("Enter");
      await expect(frame.locator("#rename-problem")).not.toBeEmpty();
      await look("rename");
    },

    "of the dialogs": async ({ frame, row, dialog, page, button, look, leave }) => {
      await row("aa.txt").focus();
      await page.keyboard.press("Space");
      await expect(frame.getByText(say("selected", { count: 1 }))).toBeVisible();
      await look("selection");
      await button(say("changes.move")).click();
      await expect(frame.getByRole("treeitem", { name: "dd" })).toBeVisible();
      await look("destination");
      await leave();
      await button(say("changes.delete")).click();
      await expect(frame.getByRole("alertdialog")).toBeVisible();
      await look("question");
      await leave();
      await row("aa.txt").focus();
      await page.keyboard.press("Control+x");
      await expect(frame.getByRole("region", { name: say("changes.clipboard") })).toBeVisible();
      await look("clipboard");
      await page.keyboard.press("Alt+Enter");
      const details = frame.getByRole("complementary", { name: say("look.details") });
      await details.getByText(say("look.support")).click();
      await look("details");
      await page.keyboard.press("Escape");
      await expect(details).toHaveCount(0);
      await page.keyboard.press("?");
      await expect(dialog).toBeVisible();
      await look("shortcuts");
    },

    "of previews and uploads": async ({ frame, row, dialog, button, look, leave }) => {
      for (const name of ["aa.txt", "bb.csv", "cc.bin"]) {
        await row(name).dblclick();
        await expect(dialog.getByRole("heading", { name })).toBeVisible();
        await expect(dialog.locator(".preview__wait")).toHaveCount(0);
        await look(`preview of ${name}`);
        await leave();
      }
      await choose(frame, files(10, "hh.mp4", "aa.txt"));
      await expect(button(say("uploads.keepBoth"))).toBeVisible();
      await expect(row("hh.mp4")).toBeVisible();
      await look("uploads");
    },

    "of tiles and search": async ({ frame, row, button, look }) => {
      await button(say("look.tiles")).click();
      await expect(frame.getByRole("gridcell", { name: "aa.txt" })).toBeVisible();
      await look("tiles");
      await button(say("look.list")).click();
      const search = frame.getByRole("searchbox", { name: say("search.label") });
      await search.fill("gg");
      await search.press("Enter");
      await expect(row("gg.txt")).toBeVisible();
      await look("search");
      await search.fill("zz");
      const title = say("states.noMatch.title", { filter: "zz" });
      await expect(frame.getByRole("heading", { name: title })).toBeVisible();
      await look("nothing found");
    },
  };
  for (const [what, walk] of Object.entries(walks)) {
    test(what, async ({ integrator, openExplorer, page }) => {
      await walk(await openPseudo({ integrator, openExplorer, page }));
    });
  }
});
