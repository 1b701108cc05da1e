import type { FrameLocator } from "@playwright/test";
import type { EmbedAppearance, EmbedTheme } from "../../../embed-element/protocol";
import { everything } from "../change-support";
import { expect, test } from "../explorer-support";
import { findViolations } from "../find-violations";
import { choose, files } from "../upload-support";

const configure = (appearance: EmbedAppearance, theme?: EmbedTheme) =>
  ({ type: "platform.embed.configure", appearance, ...(theme && { theme }) }) as const;

/** The computed value of a property of the first element that fits. */
const styleOf = (frame: FrameLocator, selector: string, property: string) =>
  frame
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

const primary = ".button--primary";

test("a green portal gets a green button from the first paint", async ({ openExplorer }) => {
  const { frame, say } = await openExplorer({ query: "&accent=rgb(15, 118, 110)&radius=12" });
  await expect(frame.locator(primary).first()).toHaveCSS("background-color", "rgb(15, 118, 110)");
  await expect(frame.locator(primary).first()).toHaveCSS("color", "rgb(255, 255, 255)");
  await expect(frame.locator(primary).first()).toHaveCSS("border-radius", "12px");
  // What the page says again is in force already: nothing is computed in the browser.
  await say(configure({ accent: "rgb(15, 118, 110)", radius: 12 }));
  await say(configure({ accent: "rgb(15, 118, 110)", radius: 12 }, "dark"));
  await expect(frame.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(frame.locator("html")).not.toHaveAttribute("style");
});

test("a page can change the appearance at any time, and reset it", async ({ openExplorer }) => {
  const { frame, say } = await openExplorer({ query: "&accent=%230f766e&density=compact" });
  const button = frame.locator(primary).first();
  await say(configure({ accent: "#facc15", font: "Georgia, serif", density: "comfortable" }));
  await expect(button).toHaveCSS("background-color", "rgb(250, 204, 21)");
  expect(await styleOf(frame, primary, "color")).not.toBe("rgb(255, 255, 255)");
  await expect(frame.locator("body")).toHaveCSS("font-family", "Georgia, serif");
  await expect(frame.locator("html")).not.toHaveAttribute("data-density");
  await say(configure({}));
  await expect(button).toHaveCSS("background-color", "rgb(49, 87, 224)");
  await expect(frame.locator("html")).toHaveAttribute("style", "");
});

test("a dark background selects the dark theme when the theme is automatic", async ({ openExplorer }) => {
  const { frame, say } = await openExplorer({ query: "&background=%231e1b4b" });
  const body = frame.locator("body");
  await expect(body).toHaveCSS("background-color", "rgb(30, 27, 75)");
  await expect(body).toHaveCSS("color", "rgb(238, 240, 243)");
  await say(configure({ background: "#1e1b4b" }, "light"));
  await expect(body).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await say(configure({ background: "#ecfdf5" }, "auto"));
  await expect(body).toHaveCSS("background-color", "rgb(236, 253, 245)");
});

const hostile = [
  "red;}html{display:none",
  "url(https://evil.example/x)",
  "javascript:alert(1)",
  "</style><script>alert(1)</script>",
  "var(--background)",
];

test("no received text is copied into a style", async ({ openExplorer }) => {
  for (const value of hostile.slice(0, 2)) {
    const text = encodeURIComponent(value);
    const { frame } = await openExplorer({ query: `&accent=${text}&font=${text}&background=${text}` });
    await expect(frame.locator("style#embed-appearance")).toHaveCount(0);
  }
  const { frame, say } = await openExplorer();
  for (const value of hostile)
    await say(configure({ accent: value, background: value, text: value, font: value }));
  await say({ type: "platform.embed.configure", appearance: "#fff" as never });
  // In order: the last one is in force, so all before have been heard.
  await say(configure({ accent: hostile[0], font: "Georgia" }));
  await expect(frame.locator("body")).toHaveCSS("font-family", "Georgia, sans-serif");
  await expect(frame.locator("html")).toHaveAttribute("style", '--font: "Georgia", sans-serif;');
});

test("density changes the row height, and the same rows stay in view", async ({
  integrator,
  openExplorer,
}) => {
  await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      integrator.bucket.put(`file ${String(i).padStart(3, "0")}.txt`, "x"),
    ),
  );
  const { frame, row, say } = await openExplorer();
  await expect(row("file 000.txt")).toHaveCSS("height", "48px");
  await frame.locator(".list").evaluate((list) => {
    list.scrollTop = 100 * 48;
  });
  await expect(row("file 100.txt")).toBeInViewport();
  await say(configure({ density: "compact" }));
  await expect(row("file 100.txt")).toHaveCSS("height", "36px");
  await expect(row("file 100.txt")).toBeInViewport();
  await expect(row("file 102.txt")).toBeInViewport();
});

/** What integrators may well choose. */
const presets: Record<string, EmbedAppearance> = {
  "green portal": { accent: "#0f766e", radius: 10 },
  "warm paper": { accent: "#b45309", background: "#fdf6ec", text: "#3b2f25", radius: 4 },
  "dark violet": { accent: "#a78bfa", background: "#1e1b4b", text: "#ede9fe", radius: 14 },
  "yellow and black": { accent: "#facc15", background: "#ffffff", text: "#111111", radius: 0 },
  "middling grey": { accent: "#7dd3fc", background: "#808890", text: "#202020" },
  "rose, compact": { accent: "#e11d48", background: "#fff1f2", density: "compact" },
};

for (const [name, appearance] of Object.entries(presets))
  test.describe(name, () => {
    test.use({ allowedConsole: [/Failed to load resource: the server responded with a status of 412/] });

    test("rows, uploads, search results and dialogs have AA contrast, in light and in dark", async ({
      integrator,
      openExplorer,
      page,
    }) => {
      await integrator.bucket.put("docs/report.txt", "x");
      await integrator.bucket.put("report.pdf", "x");
      await page.emulateMedia({ reducedMotion: "reduce" });
      const { frame, row, say } = await openExplorer({ scope: everything });
      await choose(frame, files(1_000, "report.pdf"));
      await expect(frame.getByText("A file of this name is already here.")).toBeVisible();
      const look = async (what: string) => {
        const rules = ["color-contrast", "link-in-text-block"];
        const violations = await findViolations(page, { include: "iframe", rules });
        expect(
          violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          what,
        ).toEqual([]);
      };
      for (const theme of ["light", "dark"] as const) {
        await say(configure(appearance, theme));
        await expect(frame.locator("html")).toHaveAttribute("data-theme", theme);
        await expect(frame.locator("html")).toHaveAttribute("style", /--accent/);
        await row("report.pdf").getByRole("checkbox").check();
        await row("docs").hover();
        await look(`rows and uploads, ${theme}`);
        await row("report.pdf").click();
        await page.keyboard.press("Delete");
        await expect(frame.getByRole("alertdialog")).toBeVisible();
        await look(`a dialog, ${theme}`);
        await page.keyboard.press("Escape");
        await row("report.pdf").getByRole("checkbox").uncheck();
      }
      const field = frame.getByRole("searchbox", { name: "Search" });
      await field.fill("report");
      await expect(frame.getByText("2 found")).toBeVisible();
      await look("hits, dark");
    });
  });
