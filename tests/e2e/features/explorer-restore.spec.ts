/** Restoring and deleting permanently what views of the past show, and the questions before it. */
import type { Page } from "@playwright/test";
import { everything, listen, menuItem, notices, panel, question, told, violations } from "../change-support";
import { expect, type OpenExplorer, test } from "../explorer-support";
import type { Integrator } from "../integrator";

const bar = ({ frame }: OpenExplorer) => frame.getByRole("region", { name: "The past" });

async function openHistory({ frame }: OpenExplorer, entry: string): Promise<void> {
  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await menuItem(frame, entry).click();
}

async function showDeleted(explorer: OpenExplorer): Promise<void> {
  await openHistory(explorer, "Deleted files");
  await expect(explorer.frame.getByRole("grid", { name: /^Deleted files/ })).toBeVisible();
}

/** Shows the folder as it was at `moment`. The dialog offers whole minutes, so the request is made exact. */
async function showMoment(explorer: OpenExplorer, page: Page, moment: string): Promise<void> {
  await page.route("**/api/embed/storage/list", async (route) => {
    const body = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify(body.at ? { ...body, at: moment } : body) });
  });
  await openHistory(explorer, "An earlier state…");
  await explorer.frame.getByRole("dialog").getByRole("button", { name: "Show" }).click();
  await expect(bar(explorer)).toContainText("as of");
}

/** The end of the present second, once it is over: versions have times in whole seconds. */
async function nextSecond(): Promise<string> {
  const second = Math.floor(Date.now() / 1000);
  await expect.poll(() => Math.floor(Date.now() / 1000), { intervals: [50] }).toBeGreaterThan(second);
  return new Date(second * 1000 + 999).toISOString();
}

const textOf = async ({ bucket }: Integrator, key: string) => String(await bucket.get(key));

test("names that are taken are asked about once, after all others have come back", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const key of ["a.txt", "b.txt", "c.txt"]) {
    await bucket.put(key, `deleted ${key}`);
    await bucket.remove(key);
  }
  await listen(page);
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await showDeleted(explorer);
  // Somebody stores other files under two of the names.
  for (const key of ["a.txt", "b.txt"]) await bucket.put(key, "newer");
  for (const key of ["a.txt", "b.txt", "c.txt"]) await row(key).getByRole("checkbox").click();
  await bar(explorer).getByRole("button", { name: "Restore 3 items" }).click();
  await expect(question(frame)).toContainText("2 of the files have other content now");
  await expect(question(frame).getByRole("rowheader")).toHaveText(["a.txt", "b.txt"]);
  expect(await textOf(integrator, "c.txt")).toBe("deleted c.txt");
  expect(await textOf(integrator, "a.txt")).toBe("newer");
  await question(frame).getByRole("button", { name: "Replace" }).click();
  await expect(notices(frame)).toContainText("3 items restored");
  expect(await textOf(integrator, "a.txt")).toBe("deleted a.txt");
  const items = ["a.txt", "b.txt", "c.txt"].map((key) => ({ key }));
  await expect
    .poll(() => told(page))
    .toEqual([expect.objectContaining({ action: "restore", items, done: 3, failed: [] })]);
});

for (const [answer, inPlace, beside] of [
  ["Replace", "first", null],
  ["Keep both", "second", "first"],
  ["Skip", "second", null],
] as const)
  test(`of a folder as it was, only what has changed since is asked about: ${answer}`, async ({
    integrator,
    openExplorer,
    page,
  }) => {
    const { bucket } = integrator;
    await bucket.keepVersions();
    for (const key of ["docs/changed.txt", "docs/same.txt", "docs/in/gone.txt"])
      await bucket.put(key, "first");
    const moment = await nextSecond();
    await bucket.put("docs/changed.txt", "second");
    await bucket.put("docs/later.txt", "later");
    await bucket.remove("docs/in/gone.txt");
    const explorer = await openExplorer({ scope: everything });
    const { frame, row } = explorer;
    await row("docs").dblclick();
    await expect(row("later.txt")).toBeVisible();
    await showMoment(explorer, page, moment);
    await expect(row("in")).toBeVisible();
    await bar(explorer).getByRole("button", { name: "Restore everything" }).click();
    await expect(question(frame)).toContainText("“changed.txt” has other content now");
    await expect(question(frame)).toContainText("keeps the present content as an older version");
    if (answer === "Replace") expect(await violations(page)).toEqual([]);
    await question(frame).getByRole("button", { name: answer }).click();
    await expect(notices(frame)).toContainText(answer === "Skip" ? "1 item restored" : "2 items restored");
    expect(await textOf(integrator, "docs/in/gone.txt")).toBe("first");
    expect(await textOf(integrator, "docs/changed.txt")).toBe(inPlace);
    expect(await bucket.get("docs/changed (1).txt")).toEqual(beside && Buffer.from(beside));
    // What came later stays.
    expect(await textOf(integrator, "docs/later.txt")).toBe("later");
    await bar(explorer).getByRole("button", { name: "Back to current files" }).click();
    await expect(row("in")).toBeVisible();
  });

test("restoring is undone by the notice, and later by the keyboard, also where something was replaced", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const key of ["docs/a.txt", "docs/kept.txt", "b.txt"]) await bucket.put(key, "first");
  for (const key of ["docs/a.txt", "b.txt"]) await bucket.remove(key);
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, names } = explorer;
  const undo = notices(frame).getByRole("button", { name: "Undo" });
  await showDeleted(explorer);
  await bar(explorer).getByRole("button", { name: "Restore everything" }).click();
  await expect(notices(frame)).toContainText("2 items restored");
  await expect.poll(names).toEqual([]);
  await undo.click();
  await expect(notices(frame)).toContainText("Undone: 2 items restored");
  await expect(undo).toHaveCount(0);
  await expect(row("a.txt")).toBeVisible();
  await expect(row("b.txt")).toBeVisible();
  expect(await bucket.list()).toEqual(["docs/kept.txt"]);

  await row("a.txt").getByRole("checkbox").click();
  await bar(explorer).getByRole("button", { name: "Restore 1 item" }).click();
  await expect(notices(frame)).toContainText("1 item restored");
  await bar(explorer).getByRole("button", { name: "Back to current files" }).click();
  await row("docs").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(notices(frame)).toContainText("Undone: 1 item restored");
  expect(await bucket.list()).toEqual(["docs/kept.txt"]);
  await expect(row("docs"), "a file is still in it").toBeVisible();

  await showDeleted(explorer);
  await bucket.put("b.txt", "newer");
  await row("b.txt").getByRole("checkbox").click();
  await bar(explorer).getByRole("button", { name: "Restore 1 item" }).click();
  await question(frame).getByRole("button", { name: "Replace" }).click();
  await expect.poll(() => textOf(integrator, "b.txt")).toBe("first");
  // The notice of the change before is gone.
  await expect(notices(frame)).toHaveText(/^1 item restored/);
  await undo.click();
  await expect(notices(frame)).toContainText("Undone: 1 item restored");
  expect(await textOf(integrator, "b.txt")).toBe("newer");
});

test("where nothing has changed since, nothing is restored, and that is said", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.keepVersions();
  await integrator.bucket.put("a.txt", "first");
  const moment = await nextSecond();
  const explorer = await openExplorer({ scope: everything });
  await showMoment(explorer, page, moment);
  await explorer.row("a.txt").click({ button: "right" });
  await menuItem(explorer.frame, "Restore").click();
  await expect(notices(explorer.frame)).toContainText("Nothing had to be changed.");
});

test("deleting permanently says how many files and has to be confirmed, by keyboard too", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const key of ["docs/a.txt", "docs/in/b.txt", "c.txt", "kept.txt"]) {
    await bucket.put(key, "first");
    await bucket.put(key, "second");
  }
  for (const key of ["docs/a.txt", "docs/in/b.txt", "c.txt"]) await bucket.remove(key);
  await listen(page);
  const explorer = await openExplorer({ scope: everything });
  const { frame, row, names } = explorer;
  await showDeleted(explorer);
  await row("docs").click({ button: "right" });
  await menuItem(frame, "Delete permanently").click();
  const ask = question(frame);
  await expect(ask).toContainText("Delete 2 files permanently?");
  await expect(ask.getByRole("listitem")).toHaveText(["a.txt", "b.txt"]);
  const confirm = ask.getByRole("button", { name: "Delete 2 files permanently" });
  await expect(confirm).toBeDisabled();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(ask).toHaveCount(0);
  await expect.poll(names).toEqual(["docs", "c.txt"]);

  await row("docs").click({ button: "right" });
  await menuItem(frame, "Delete permanently").click();
  await ask.getByRole("checkbox").focus();
  await page.keyboard.press("Space");
  await expect(confirm).toBeEnabled();
  await confirm.focus();
  await page.keyboard.press("Enter");
  await expect(notices(frame)).toContainText("2 files deleted permanently");
  await expect(row("docs")).toHaveCount(0);
  await expect.poll(names).toEqual(["c.txt"]);
  await expect
    .poll(() => told(page))
    .toEqual([expect.objectContaining({ action: "purge", items: [{ folderPath: "/docs" }], done: 2 })]);
  expect(await textOf(integrator, "kept.txt")).toBe("second");
});

test("a file that somebody has restored meanwhile is not deleted permanently", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const key of ["a.txt", "b.txt"]) {
    await bucket.put(key, "first");
    await bucket.remove(key);
  }
  const explorer = await openExplorer({ scope: everything });
  const { frame } = explorer;
  await showDeleted(explorer);
  await bar(explorer).getByRole("button", { name: "Delete everything permanently" }).click();
  await expect(question(frame)).toContainText("Delete 2 files permanently?");
  await bucket.put("b.txt", "again");
  await question(frame).getByRole("checkbox").check();
  await question(frame).getByRole("button", { name: "Delete 2 files permanently" }).click();
  await expect(panel(frame)).toContainText("1 file was left as it was.");
  await expect(panel(frame)).toContainText("b.txt It has been restored meanwhile.");
  expect(await textOf(integrator, "b.txt")).toBe("again");
});

test("menus offer what can be done in the past, and what the token allows", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const key of ["gone.txt", "here.txt"]) await bucket.put(key, "x");
  await bucket.remove("gone.txt");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  const entries = () => frame.getByRole("menuitem").allInnerTexts();
  const entriesOf = async (name: string) => {
    await row(name).click({ button: "right" });
    await expect(frame.getByRole("menu")).toBeVisible();
    const found = (await entries()).map((text) => text.split("\n")[0]);
    await page.keyboard.press("Escape");
    return found;
  };
  expect(await entriesOf("here.txt")).toContain("Versions");
  await showDeleted(explorer);
  expect(await entriesOf("gone.txt")).toEqual([
    "Preview",
    "Download",
    "Restore",
    "Delete permanently",
    "Details",
  ]);
  // Delete does nothing here.
  await row("gone.txt").click();
  await page.keyboard.press("Delete");
  await expect(question(frame)).toHaveCount(0);

  const reader = await openExplorer({
    scope: { actions: ["download", "history", "delete"], uploadFolder: "/elsewhere" },
  });
  await showDeleted(reader);
  expect(await entriesOf("gone.txt")).toEqual(["Preview", "Download", "Details"]);
  await expect(bar(reader).getByRole("button")).toHaveText(["Back to current files"]);
});
