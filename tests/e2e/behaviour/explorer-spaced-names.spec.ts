/** HTML joins spaces. A name with several spaces in a row is shown with all of them, wherever it is. */
import type { FrameLocator } from "@playwright/test";
import { choose, dialog, everything, notices, question } from "../change-support";
import { expect, test } from "../explorer-support";
import { pageWith } from "../integrator";
import { choose as upload, uploads } from "../upload-support";

const FOLDER = "two  spaces";
/** Key by key, how the name is shown. */
const names = {
  "a  b   c.txt": "a  b   c.txt",
  "  before  and after  ": "[U+0020][U+0020]before  and after[U+0020][U+0020]",
  "tab\tand  line\nbreak.txt": "tab[U+0009]and  line[U+000A]break.txt",
};
const NAME = "a  b   c.txt";
const text = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("other") });

/** The texts with several spaces in a row of which a browser shows one. Nobody reads options of a list and tables of data as a name. */
const joined = (frame: FrameLocator) =>
  frame.locator("body").evaluate((body) => {
    const found: string[] = [];
    const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || !/ {2}/.test(node.nodeValue ?? "") || parent.closest("script, style")) continue;
      const { whiteSpace } = getComputedStyle(parent);
      if (!/^(pre|pre-wrap|break-spaces)$/.test(whiteSpace))
        found.push(`${parent.outerHTML.slice(0, 200)}: ${whiteSpace}`);
    }
    return found;
  });

test("a name with several spaces in a row is shown with all of them in the explorer", async ({
  integrator,
  openExplorer,
  page,
}) => {
  test.slow();
  const { bucket } = integrator;
  for (const key of Object.keys(names)) await bucket.put(key, "text");
  await bucket.put(`${FOLDER}/${NAME}`, "of the folder");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  /** @param where holds the name */
  const expectShown = async (where: ReturnType<FrameLocator["locator"]>, name = NAME) => {
    // What is seen, and not what the document contains, in which spaces are never joined. A name and its extension are two boxes.
    const seen = () => where.evaluate((element: HTMLElement) => element.innerText.replaceAll("\n", ""));
    await expect.poll(seen).toContain(name);
    expect(await joined(frame)).toEqual([]);
  };
  for (const name of [...Object.values(names), FOLDER])
    await expectShown(row(name).locator("[data-name]"), name);

  for (const name of Object.values(names)) {
    await choose(explorer, name, "Delete");
    await expectShown(question(frame), name);
    await page.keyboard.press("Escape");
    await row(name).press("Alt+Enter");
    await expectShown(frame.getByRole("complementary", { name: "Details" }), name);
    await row(name).press("Alt+Enter");
    await row(name).press("Enter");
    await expectShown(dialog(frame).getByRole("heading", { level: 2 }), name);
    await page.keyboard.press("Escape");
  }

  await choose(explorer, NAME, "Move to");
  await expectShown(dialog(frame), FOLDER);
  await page.keyboard.press("Escape");
  await row(NAME).focus();
  await page.keyboard.press("Control+c");
  await expectShown(frame.getByRole("region", { name: "Clipboard" }));
  await row(FOLDER).dblclick();
  await expectShown(frame.getByRole("heading", { level: 1 }), FOLDER);
  await page.keyboard.press("Control+v");
  await expectShown(question(frame));
  await question(frame).getByRole("button", { name: "Keep both" }).click();
  await expectShown(notices(frame), `${NAME} copied to ${FOLDER}`);
  await choose(explorer, "a  b   c (1).txt", "Rename");
  await expect(frame.getByRole("textbox", { name: "New name" })).toHaveValue("a  b   c (1).txt");
  await frame.getByRole("textbox", { name: "New name" }).fill("d  e.txt");
  await page.keyboard.press("Enter");
  await expectShown(notices(frame), "d  e.txt");
  await upload(frame, [text(NAME)]);
  await expectShown(uploads(frame));
  await uploads(frame).getByRole("button", { name: "Skip", exact: true }).click();
  await frame.getByRole("navigation").getByRole("button").first().click();
  await expect(row(FOLDER)).toBeVisible();

  await choose(explorer, NAME, "Move to");
  await dialog(frame).getByRole("treeitem", { name: FOLDER }).click();
  await dialog(frame).getByRole("button", { name: "Move here" }).click();
  await expectShown(question(frame));
  await page.keyboard.press("Escape");

  await frame.getByRole("searchbox", { name: "Search" }).fill("  b");
  await expect(row(FOLDER)).toHaveCount(0);
  await expectShown(row(NAME).first().locator("[data-name]"));
  await frame.getByRole("searchbox", { name: "Search" }).fill("");
  await frame.getByRole("button", { name: "Show as tiles" }).click();
  await expectShown(frame.getByRole("gridcell", { name: NAME, exact: true }));
});

test("a name with several spaces in a row is shown with all of them on a hand-in page and in the activity", async ({
  integrator,
  openExplorer,
  page,
  stack,
}) => {
  const handIn = await openExplorer({ scope: { view: "hand-in", uploadFolder: "/in  box" } });
  await upload(handIn.frame, [text(NAME)]);
  const sent = handIn.frame.getByRole("listitem");
  await expect(sent).toContainText(NAME);
  await expect(sent).toContainText("Sent");
  expect(await joined(handIn.frame)).toEqual([]);
  await handIn.frame.getByRole("button", { name: "Done", exact: true }).click();
  await expect(handIn.frame.locator("main").getByText(NAME, { exact: true }).first()).toBeVisible();
  expect(await joined(handIn.frame)).toEqual([]);

  integrator.asks = {};
  const tag = `<platform-embed service="activity" token-endpoint="/embed-url"></platform-embed>`;
  integrator.pages.set("/activity", pageWith(stack, tag));
  await page.goto(`${integrator.origin}/activity`);
  const activity = page.frameLocator("iframe");
  await expect(activity.getByText("a  b   c")).toBeVisible();
  expect(await joined(activity)).toEqual([]);
});
