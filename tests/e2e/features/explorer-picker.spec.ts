/** The embedding page asks for files or a folder, and adds actions of its own. */
import type { FrameLocator, Page } from "@playwright/test";
import type { ChooseMessage, FileActionMessage, SelectionMessage } from "../../../embed-element/protocol";
import { guideForm } from "../../support/integrator/guide-form";
import { everything, menuItem, violations } from "../change-support";
import { expect, type OpenExplorer, test } from "../explorer-support";

const download = { actions: ["download"] };

/** Records the messages of the frame. Call it before the explorer is opened. */
const record = (page: Page) =>
  page.addInitScript(() => {
    if (window.parent !== window) return;
    const messages: unknown[] = [];
    Object.assign(window, { messages });
    addEventListener("message", ({ data }) => messages.push(data));
  });

const said = <Message extends { type: string }>(page: Page, type: Message["type"]): Promise<Message[]> =>
  page.evaluate(
    (type) =>
      (window as unknown as { messages: { type: string }[] }).messages.filter((one) => one.type === type),
    type,
  ) as unknown as Promise<Message[]>;

const chosen = async (page: Page) =>
  (await said<ChooseMessage>(page, "platform.embed.choose")).map(({ items }) => items);
const bar = (frame: FrameLocator) => frame.getByRole("region", { name: /^Choose/ });
const button = (frame: FrameLocator) => bar(frame).getByRole("button", { name: "Choose" });

async function askFor({ frame, say }: OpenExplorer, mode: "file" | "files" | "folder", accept?: string) {
  await say({ type: "platform.embed.configure", picker: { mode, ...(accept && { accept }) } });
  await expect(bar(frame)).toBeVisible();
}

test.beforeEach(async ({ integrator, page }) => {
  await record(page);
  for (const name of ["a.pdf", "b.pdf", "photo.png"]) await integrator.bucket.put(name, `text of ${name}`);
  await integrator.bucket.put("docs/inside.pdf", "x");
});

test("one file is chosen, with a URL that serves it", async ({ integrator, openExplorer, page }) => {
  const explorer = await openExplorer({ scope: download });
  const { frame, row } = explorer;
  await askFor(explorer, "file");
  await expect(bar(frame)).toContainText("Choose a file");
  await expect(button(frame)).toHaveAttribute("aria-disabled", "true");
  await row("a.pdf").getByText("a.pdf").click();
  await expect(bar(frame)).toContainText("a.pdf");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await button(frame).click();
  await expect.poll(() => chosen(page)).toHaveLength(1);
  const [[item] = []] = await chosen(page);
  expect(item).toEqual({
    bucket: integrator.bucket.name,
    key: "a.pdf",
    name: "a.pdf",
    size: 13,
    contentType: "application/pdf",
    url: expect.any(String),
  });
  const { url = "" } = item as { url?: string };
  expect(await (await fetch(url)).text()).toBe("text of a.pdf");
});

test("several files are chosen by the keyboard, and only those that are accepted", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: download });
  const { frame, row } = explorer;
  await askFor(explorer, "files", ".pdf");
  await expect(row("photo.png")).toHaveClass(/row--dimmed/);
  await expect(row("docs")).not.toHaveClass(/row--dimmed/);
  await row("photo.png").press("Enter");
  await row("photo.png").press("Space");
  await expect(bar(frame)).toContainText("This kind of file cannot be chosen here.");
  await row("photo.png").press("Space");
  await row("a.pdf").press("Space");
  await row("b.pdf").press("Space");
  await expect(bar(frame)).toContainText("2 files");
  await row("b.pdf").press("Enter");
  await expect
    .poll(async () => (await chosen(page)).map((items) => items.map(({ name }) => name)))
    .toEqual([["a.pdf", "b.pdf"]]);
});

test("in a search of one file, two cannot be chosen", async ({ openExplorer }) => {
  const explorer = await openExplorer({ scope: download });
  const { frame, row } = explorer;
  await askFor(explorer, "file");
  await row("a.pdf").press("Space");
  await row("b.pdf").press("Space");
  await expect(bar(frame)).toContainText("Choose only one.");
  await expect(button(frame)).toHaveAttribute("aria-disabled", "true");
});

test("a folder is chosen: the open one, or the one that is selected", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: download });
  const { frame, row } = explorer;
  await askFor(explorer, "folder");
  await row("docs").press("Space");
  await button(frame).click();
  await row("docs").press("Enter");
  await expect(row("inside.pdf")).toBeVisible();
  await button(frame).click();
  const docs = { bucket: integrator.bucket.name, folderPath: "/docs", name: "docs" };
  await expect.poll(() => chosen(page)).toEqual([[docs], [docs]]);
});

test("cancelling is told to the page, which may take the picker away", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, say } = explorer;
  await askFor(explorer, "file", "image/*");
  await bar(frame).getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => said(page, "platform.embed.choose-cancel")).toHaveLength(1);
  await say({ type: "platform.embed.configure", picker: null });
  await expect(bar(frame)).toHaveCount(0);
  await expect(row("a.pdf")).not.toHaveClass(/row--dimmed/);
  await row("a.pdf").press("Enter");
  await expect(frame.getByRole("dialog")).toBeVisible();
});

test("offers what leads to a file or folder, and nothing that changes or takes one", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, say } = explorer;
  await askFor(explorer, "files");
  const entries = frame.getByRole("menuitem");
  await row("a.pdf").click({ button: "right" });
  await expect(entries).toHaveText(["Preview", /^Details/, "Versions"]);
  await page.keyboard.press("Escape");
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  await expect(menuItem(frame, "New folder")).toBeVisible();
  expect((await entries.allTextContents()).join()).not.toMatch(/Paste|Deleted files|earlier state/);
  await page.keyboard.press("Escape");
  await row("b.pdf").press("Space");
  await expect(frame.getByRole("contentinfo")).toContainText("selected");
  for (const name of ["Download", "Move", "Delete", "Deleted files and earlier states"])
    await expect(frame.getByRole("button", { name })).toHaveCount(0);
  for (const keys of ["Delete", "F2", "Control+x", "Control+v"]) await page.keyboard.press(keys);
  await expect(frame.getByRole("textbox", { name: /^New name/ })).toHaveCount(0);
  expect(await integrator.bucket.list()).toContain("a.pdf");

  await say({ type: "platform.embed.configure", picker: null });
  await expect(frame.getByRole("contentinfo").getByRole("button", { name: "Delete" })).toBeVisible();
});

test("a token without download chooses without URLs", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: { actions: [] } });
  await askFor(explorer, "file");
  await explorer.row("photo.png").dblclick();
  await expect.poll(() => chosen(page)).toHaveLength(1);
  const [[item] = []] = await chosen(page);
  expect(item).not.toHaveProperty("url");
  expect(item).toMatchObject({ key: "photo.png", contentType: "image/png" });
});

test("a token that requires a tag gives away no file without it, with or without download", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const requireTag = { key: "scan", value: "clean" };
  await integrator.bucket.keepVersions();
  for (const name of ["clean.pdf", "unchecked.pdf"]) await integrator.bucket.put(name, name);
  await integrator.bucket.tag("clean.pdf", { scan: "clean" });
  for (const actions of [["download"], []]) {
    const explorer = await openExplorer({ scope: { actions, requireTag } });
    await askFor(explorer, "file");
    await explorer.row("unchecked.pdf").dblclick();
    await expect(bar(explorer.frame)).toContainText("It is still being checked for malware");
    expect(await chosen(page)).toEqual([]);
    await explorer.row("clean.pdf").dblclick();
    await expect.poll(() => chosen(page)).toHaveLength(1);
  }
});

test("a choice that fails says why, and can be made again", async ({
  allowedConsole,
  openExplorer,
  page,
}) => {
  allowedConsole.push(/Failed to load resource/);
  const explorer = await openExplorer({ scope: download });
  await askFor(explorer, "file");
  await explorer.row("a.pdf").click();
  await page.route("**/api/embed/storage/presign-downloads", (route) => route.abort());
  await button(explorer.frame).click();
  await expect(bar(explorer.frame)).toContainText(/connection|reached/i);
  expect(await chosen(page)).toEqual([]);
  await page.unroute("**/api/embed/storage/presign-downloads");
  await button(explorer.frame).click();
  await expect.poll(() => chosen(page)).toHaveLength(1);
});

test("the page is told what is selected", async ({ integrator, openExplorer, page }) => {
  const { row } = await openExplorer({ scope: download });
  await row("a.pdf").press("Space");
  await row("docs").press("Space");
  const { name: bucket } = integrator.bucket;
  await expect
    .poll(async () => (await said<SelectionMessage>(page, "platform.embed.selection")).at(-1))
    .toEqual({
      type: "platform.embed.selection",
      service: "files",
      count: 2,
      items: [
        { bucket, folderPath: "/docs", name: "docs" },
        { bucket, key: "a.pdf", name: "a.pdf", size: 13, contentType: "application/pdf" },
      ],
    });
});

test("an action of the page is in the menu and in the bar, and shows what becomes of it", async ({
  openExplorer,
  page,
}) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, say } = explorer;
  await say({
    type: "platform.embed.configure",
    fileActions: [{ id: "sign", label: "Sign…", for: "file", accept: ".pdf", icon: "M5 12h14" }],
  });
  await row("photo.png").click({ button: "right" });
  await expect(menuItem(frame, "Details")).toBeVisible();
  await expect(menuItem(frame, "Sign…")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await row("a.pdf").click({ button: "right" });
  await menuItem(frame, "Sign…").click();
  const asked = () => said<FileActionMessage>(page, "platform.embed.file-action");
  await expect.poll(asked).toHaveLength(1);
  const [{ id, action, items } = { id: 0, action: "", items: [] }] = await asked();
  expect({ action, items }).toMatchObject({ action: "sign", items: [{ key: "a.pdf" }] });

  const progress = { type: "platform.embed.file-action-progress", id } as const;
  const actions = frame.getByRole("region", { name: "Actions in progress" });
  await say({ ...progress, state: "running", progress: 0.5, text: "One of two" });
  await expect(actions).toContainText("One of two");
  await expect(actions.getByRole("progressbar")).toHaveAttribute("value", "0.5");
  expect(await violations(page)).toEqual([]);
  await say({ ...progress, state: "failed", text: "It is signed already." });
  await expect(actions.getByRole("alert")).toHaveText("It is signed already.");
  await actions.getByRole("button", { name: "Dismiss" }).click();
  await expect(actions).toHaveCount(0);

  await row("b.pdf").click({ position: { x: 420, y: 12 } });
  await frame.getByRole("region", { name: "More actions" }).getByRole("button", { name: "Sign…" }).click();
  await expect.poll(asked).toHaveLength(2);
});

test("the guide's form gets the key of the file that is chosen in the dialog, and the focus back", async ({
  integrator,
  page,
  stack,
}) => {
  integrator.pages.set("/", guideForm(stack));
  integrator.pages.set("/favicon.ico", "");
  await page.goto(integrator.origin);
  const open = page.getByRole("button", { name: "Choose the contract" });
  await open.click();
  const dialog = page.getByRole("dialog", { name: "Choose a file" });
  const frame = dialog.frameLocator("iframe");
  await expect(frame.getByRole("row", { name: "photo.png" })).toHaveClass(/row--dimmed/);
  await frame.getByRole("row", { name: "b.pdf" }).dblclick();
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("#chosen")).toHaveText("b.pdf");
  await expect(page.locator("[name=contract]")).toHaveValue("b.pdf");
  await expect(open).toBeFocused();

  await open.press("Enter");
  await expect(dialog.frameLocator("iframe").getByRole("row", { name: "a.pdf" })).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("#chosen")).toHaveText("b.pdf");
  await expect(open).toBeFocused();
});
