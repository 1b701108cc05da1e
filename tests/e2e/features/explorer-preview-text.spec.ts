import type { Route } from "@playwright/test";
import { encodeText } from "../../support/files/encode-text";
import { expect, test } from "../explorer-support";
import { findViolations } from "../find-violations";

test("text is shown in its own or a chosen encoding, with or without wrapping", async ({
  integrator,
  openExplorer,
}) => {
  const text = Buffer.from(`Größe und Übermaß: ${"lang ".repeat(300)}`, "latin1");
  await integrator.bucket.put("alt.txt", text, "text/plain");
  const { frame, row } = await openExplorer();
  await row("alt.txt").dblclick();
  const shown = frame.getByRole("region", { name: "alt.txt" });
  await expect(shown).toContainText("Größe und Übermaß");
  const encoding = frame.getByRole("combobox", { name: "Text encoding" });
  await expect(encoding).toHaveValue("windows-1252");
  await encoding.selectOption("Windows-1251");
  await expect(shown).toContainText("GrцЯe");
  const isWide = () => shown.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(await isWide()).toBe(false);
  await frame.getByRole("button", { name: "Wrap lines" }).click();
  expect(await isWide()).toBe(true);
});

test("a text that has nothing to show in the chosen encoding can be read in another one", async ({
  integrator,
  openExplorer,
}) => {
  // Of less than four bytes, UTF-32 makes no character.
  await integrator.bucket.put("a.txt", Buffer.from([0xfc, 0xe4]));
  const { frame, row } = await openExplorer();
  await row("a.txt").dblclick();
  const encoding = frame.getByRole("combobox", { name: "Text encoding" });
  await encoding.selectOption("UTF-32 LE");
  await expect(frame.getByText("This file is empty.")).toBeVisible();
  await encoding.selectOption("Windows-1252");
  await expect(frame.locator(".preview pre")).toHaveText("üä");
});

test("encodings can be chosen only where there is doubt, in the language of the page", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "Größe", "text/plain");
  await integrator.bucket.put("b.txt", Buffer.from(encodeText("Уважаемые коллеги, прайс-лист", "koi8-r")));
  await integrator.bucket.put("c.txt", Buffer.from(encodeText("Уважаемые коллеги", "utf-16le")));
  await integrator.bucket.put("d.csv", Buffer.from("a,b\n1,2\n\0\0\0\0"));
  await integrator.bucket.put("e.txt", Buffer.from([0xe9, 0, 1, 2, 0, 0, 7]));
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const { frame, row } = await openExplorer({ query: "&locale=de" });
  const encoding = frame.getByRole("combobox", { name: "Zeichenkodierung" });
  await row("a.txt").dblclick();
  await expect(frame.locator(".preview pre")).toHaveText("Größe");
  await expect(encoding).toHaveCount(0);
  expect(asked).not.toContain("/embed-workers/encoding.js");
  await page.keyboard.press("ArrowRight");
  await expect(frame.locator(".preview pre")).toHaveText("Уважаемые коллеги, прайс-лист");
  await expect(encoding).toHaveValue("koi8-r");
  expect(
    await encoding
      .locator("optgroup")
      .evaluateAll((groups) => groups.map((each) => each.getAttribute("label"))),
  ).toEqual([
    "Unicode",
    "Lateinisch",
    "Kyrillisch",
    "Griechisch",
    "Hebräisch",
    "Arabisch",
    "Thai",
    "Japanisch",
    "Chinesisch (vereinfacht)",
    "Chinesisch (traditionell)",
    "Koreanisch",
  ]);
  await expect(encoding.locator("option:checked")).toHaveText("KOI8-R (Russisch)");
  await page.keyboard.press("ArrowRight");
  await expect(frame.locator(".preview pre")).toHaveText("Уважаемые коллеги");
  await expect(encoding).toHaveValue("utf-16le");
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("cell")).toHaveText(["1", "2"]);
  await expect(encoding).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("Das sieht nicht nach Text aus.")).toBeVisible();
  await expect(encoding.locator("option:checked")).toHaveText("Kodierung wählen");
  await encoding.selectOption("Windows-1252");
  await expect(frame.locator(".preview pre")).toContainText("é");
});

test("CSV is shown as a table that renders only the visible rows", async ({ integrator, openExplorer }) => {
  const lines = Array.from({ length: 5000 }, (_, index) => `${index};"Item; ${index}"`);
  await integrator.bucket.put("list.csv", `id;name\n${lines.join("\n")}`, "text/csv");
  const { frame, row } = await openExplorer();
  await row("list.csv").dblclick();
  const table = frame.getByRole("table");
  await expect(table).toHaveAttribute("aria-rowcount", "5001");
  await expect(table.getByRole("columnheader")).toHaveText(["id", "name"]);
  await expect(table.getByRole("cell", { name: "Item; 1", exact: true })).toBeVisible();
  expect(await table.getByRole("row").count()).toBeLessThan(120);
  await frame.getByRole("region", { name: "list.csv" }).press("End");
  await expect(table.getByRole("cell", { name: "Item; 4999" })).toBeVisible();
  await frame.getByRole("button", { name: "Plain text" }).click();
  await expect(frame.locator("pre")).toContainText('1;"Item; 1"');
});

test("JSON is shown as a collapsible tree, and invalid JSON as text", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.json", `{"order": {"id": 12345678901234567890, "lines": [{"sku": "A-1"}]}}`);
  await integrator.bucket.put("b.json", "{'a': 1}");
  const { frame, row } = await openExplorer();
  await row("a.json").dblclick();
  const tree = frame.getByRole("region", { name: "a.json" });
  await expect(tree).toContainText('"id": 12345678901234567890');
  await expect(tree).not.toContainText("A-1");
  await tree.getByText("lines").click();
  await tree.getByText(/^{ … 1 }$/).click();
  await expect(tree).toContainText('"sku": "A-1"');
  await tree.getByText("order").click();
  await expect(tree).not.toContainText("A-1");
  await tree.focus();
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("This is not valid JSON. It is shown as it is written.")).toBeVisible();
  await expect(frame.getByText("{'a': 1}")).toBeVisible();
});

const code = `// <b title="x">bold</b> & more
const answer = "<script>document.title = 'run'</script>"; // 42
`;

test("code has colours, and the text stays text", async ({ integrator, openExplorer, page }) => {
  await integrator.bucket.put("a.ts", code);
  await integrator.bucket.put("b.ts", `const x = 1;\n${"// long\n".repeat(30_000)}`);
  await integrator.bucket.put("c.txt", "const x = 1;");
  const { frame, row } = await openExplorer();
  await row("a.ts").dblclick();
  const text = frame.locator(".preview pre");
  await expect(text.locator(".code__keyword")).toHaveText("const");
  await expect(text.locator(".code__comment").last()).toHaveText("// 42");
  expect(await text.textContent()).toBe(code);
  await expect(text.locator("b, script")).toHaveCount(0);
  expect(await frame.locator("html").evaluate(() => document.title)).toBe("Files");
  // Longer than what is coloured, and no code at all.
  for (const shown of ["// long", "const x = 1;"]) {
    await page.keyboard.press("ArrowRight");
    await expect(text).toContainText(shown);
    await expect(text.locator("[class^=code__]")).toHaveCount(0);
  }
});

test("code keeps its contrast on a background that the page has chosen", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const all = "# comment\n@decorator\ndef name(value: int = 1, text='x'):\n    return None\n";
  await integrator.bucket.put("a.py", all);
  await integrator.bucket.put("b.json", '{"name": ["text", 1, null]}');
  const { frame, row, say } = await openExplorer();
  await row("a.py").dblclick();
  await expect(frame.locator(".code__keyword").first()).toBeVisible();
  for (const background of ["#808890", "#1e1b4b", "#fdf6ec"])
    for (const theme of ["light", "dark"] as const) {
      await say({ type: "platform.embed.configure", appearance: { background }, theme });
      await expect(frame.locator("html")).toHaveAttribute("data-theme", theme);
      for (const key of ["ArrowRight", "ArrowLeft"]) {
        await page.keyboard.press(key);
        await expect(frame.locator(".code__keyword, .json__name").first()).toBeVisible();
        const found = await findViolations(page, { include: "iframe", rules: ["color-contrast"] });
        expect(found.map(({ nodes }) => nodes.map(({ html }) => html))).toEqual([]);
      }
    }
});

test.describe("when code cannot be coloured", () => {
  test.use({ allowedConsole: [/Failed to load resource/] });

  test("it is shown without colours", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("a.ts", code);
    await page.route("**/embed-workers/highlight.js", (route) => route.abort());
    const { frame, row } = await openExplorer();
    const asked = page.waitForEvent("requestfailed");
    await row("a.ts").dblclick();
    await asked;
    expect(await frame.locator(".preview pre").textContent()).toBe(code);
    await expect(frame.getByRole("alert")).toHaveCount(0);
  });
});

const hostile = `# Plan

**Bold** and [a link](javascript:document.title='run') and ![a picture](https://elsewhere.example/x.png)

<img src=x onerror="document.title='run'"><script>document.title = "run"</script>

| a | b |
|---|---|
| 1 | 2 |
`;

test("Markdown is rendered without working links, scripts or external resources", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("plan.md", hostile, "text/markdown");
  const elsewhere: string[] = [];
  page.on("request", (request) => request.url().includes("elsewhere") && elsewhere.push(request.url()));
  const { frame, row } = await openExplorer();
  await row("plan.md").dblclick();
  const text = frame.getByRole("region", { name: "plan.md" });
  await expect(text.getByRole("heading", { name: "Plan" })).toBeVisible();
  await expect(text.getByRole("cell", { name: "2" })).toBeVisible();
  await text.getByText("a link").click();
  await expect(text.locator("a, img, script, [onerror]")).toHaveCount(0);
  expect(await frame.locator("html").evaluate(() => document.title)).toBe("Files");
  expect(elsewhere).toEqual([]);
});

test("Markdown that takes too long to parse is given up, and the page stays responsive", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.md", "*a_".repeat(60_000), "text/markdown");
  await integrator.bucket.put("b.txt", "the next file", "text/plain");
  const { frame, row } = await openExplorer();
  await row("a.md").dblclick();
  await expect(frame.getByText(/too complex to be laid out/)).toBeVisible();
  await expect(frame.locator("pre")).toContainText("*a_*a_");
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByText("the next file")).toBeVisible();
});

test.describe("when the worker for Markdown", () => {
  test.use({ allowedConsole: [/Failed to load resource/, /window is not defined/] });

  const crash = { contentType: "text/javascript", body: "onmessage = () => window.name" };
  for (const [fault, respond] of [
    ["cannot be loaded", (route: Route) => route.abort()],
    ["throws an error", (route: Route) => route.fulfill(crash)],
  ] as const)
    test(`${fault}, the preview says so and loads it again, and does not blame the text`, async ({
      integrator,
      openExplorer,
      page,
    }) => {
      await integrator.bucket.put("a.md", "# A heading", "text/markdown");
      const { frame, row } = await openExplorer();
      const worker = "**/embed-workers/markdown.js";
      await page.route(worker, respond);
      await row("a.md").dblclick();
      await expect(frame.getByRole("alert")).toHaveText(
        "The preview could not be loaded. Download the file to see it.",
      );
      await page.unroute(worker);
      await frame.getByRole("button", { name: "Try again" }).click();
      await expect(frame.getByRole("heading", { name: "A heading" })).toBeVisible();
    });
});

test("a table begins where its text does, also on an Arabic page", async ({ integrator, openExplorer }) => {
  await integrator.bucket.put("list.csv", "number;name\n1;Tea", "text/csv");
  await integrator.bucket.put("قائمة.csv", "رقم;اسم\n1;شاي", "text/csv");
  const { frame, row } = await openExplorer({ query: "&locale=ar" });
  const table = frame.getByRole("dialog").getByRole("table");
  await row("list.csv").dblclick();
  await expect(table).toHaveAttribute("dir", "ltr");
  await frame.locator("dialog").press("Escape");
  await row("قائمة.csv").dblclick();
  await expect(table).toHaveAttribute("dir", "rtl");
});
