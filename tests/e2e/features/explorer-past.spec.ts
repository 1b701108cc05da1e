/** A folder as it was: the moment is chosen, and what was there is looked at, downloaded and restored. Nothing can be changed there. */
import { sha256 } from "../../support/files/unzip";
import { everything, menuItem, notices, violations } from "../change-support";
import { saved } from "../download-support";
import { droppedFile, expect, inBothThemes } from "../explorer-support";
import { bar, momentDialog, openCalendar, showSecondOfJanuary, test } from "../past-support";

const text = (text: string) => ({ text });

test.use({
  timezoneId: "Europe/Berlin",
  histories: {
    "plan.txt": [text("first plan"), text("the second plan")],
    "Docs/letter.txt": [text("old letter"), text("new letter!")],
    "Docs/2026/deep.txt": [text("deep"), "deleted"],
    "kept.txt": [text("kept")],
    "new.txt": ["deleted", text("new")],
  },
});

test("the calendar marks days with changes, and a day's times are the periods between them", async ({
  openExplorer,
}) => {
  const { frame, names } = await openExplorer({ scope: everything });
  await openCalendar(frame);
  const dialog = momentDialog(frame);
  const changed = dialog.getByRole("button", { name: /something changed/ });
  await expect(changed).toHaveText(["2", "3"]);
  await changed.last().click();
  await expect(dialog.getByRole("radio")).toHaveCount(3);
  await expect(dialog.getByRole("radio", { name: /Until 4:04/ })).toBeChecked();
  await dialog.getByRole("button", { name: "Show" }).click();
  await expect(bar(frame)).toContainText(/Files, as of January 3, 2026 at 4:03/);
  await expect.poll(names).toEqual(["Docs", "kept.txt", "plan.txt"]);

  // Another moment begins at the one that is shown.
  await bar(frame).getByRole("button", { name: "Another moment…" }).click();
  await dialog.locator("input[type=time]").fill("04:04");
  await dialog.getByRole("button", { name: "Show" }).click();
  await expect(bar(frame)).toContainText(/at 4:04/);
  await expect.poll(names).toEqual(["Docs", "kept.txt", "new.txt", "plan.txt"]);
});

test("the dialog and the past have no violations, light or dark", async ({ openExplorer, page }) => {
  const explorer = await openExplorer({ scope: everything });
  const { frame } = explorer;
  const look = async (theme: string) => expect([theme, await violations(page)]).toEqual([theme, []]);
  await openCalendar(frame);
  await momentDialog(frame)
    .getByRole("button", { name: /January 2, 2026/ })
    .click();
  await inBothThemes(explorer, look);
  await momentDialog(frame).getByRole("button", { name: "Show" }).click();
  await bar(frame).waitFor();
  await inBothThemes(explorer, look);
});

test("subfolders open as they were, and Back leads out of the past", async ({ openExplorer, page }) => {
  const { frame, row, names } = await openExplorer({ scope: everything });
  await showSecondOfJanuary(frame);
  await expect(row("plan.txt")).toContainText("10 bytes");
  await row("Docs").locator("[data-name]").click();
  await expect(bar(frame)).toContainText("Docs, as of January 2, 2026");
  await expect.poll(names).toEqual(["2026", "letter.txt"]);
  await row("2026").locator("[data-name]").click();
  await expect.poll(names).toEqual(["deep.txt"]);
  await page.evaluate("history.back()");
  await expect.poll(names).toEqual(["2026", "letter.txt"]);
  await page.evaluate("history.back()");
  await expect.poll(names).toEqual(["Docs", "kept.txt", "plan.txt"]);
  await expect(bar(frame)).toBeVisible();
  await page.evaluate("history.back()");
  await expect(bar(frame)).toHaveCount(0);
  await expect.poll(names).toEqual(["Docs", "kept.txt", "new.txt", "plan.txt"]);
  await page.evaluate("history.forward()");
  await expect(bar(frame)).toContainText("Files, as of January 2, 2026");
  await bar(frame).getByRole("button", { name: "Back to current files" }).click();
  await expect.poll(names).toEqual(["Docs", "kept.txt", "new.txt", "plan.txt"]);
});

test("a file and an archive are downloaded to the byte as they were", async ({ openExplorer, page }) => {
  const { frame, row } = await openExplorer({ scope: everything });
  await showSecondOfJanuary(frame);
  const archive = page.waitForEvent("download");
  await frame.getByRole("checkbox", { name: "Select all" }).check();
  await frame.getByRole("contentinfo").getByRole("button", { name: "Download" }).click();
  expect(await saved(await archive)).toEqual({
    "Docs/": sha256(""),
    "Docs/2026/": sha256(""),
    "Docs/2026/deep.txt": sha256("deep"),
    "Docs/letter.txt": sha256("old letter"),
    "kept.txt": sha256("kept"),
    "plan.txt": sha256("first plan"),
  });
  const file = page.waitForEvent("download");
  await row("plan.txt").getByRole("button", { name: "Download plan.txt" }).click();
  const stream = await (await file).createReadStream();
  expect(String(Buffer.concat(await stream.toArray()))).toBe("first plan");
});

test("a selection and everything are restored, and what came later stays", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  const { frame, row } = await openExplorer({ scope: everything });
  await showSecondOfJanuary(frame);
  await row("Docs").getByRole("checkbox").click();
  await bar(frame).getByRole("button", { name: "Restore 1 item" }).click();
  const question = frame.getByRole("alertdialog");
  await question.getByRole("button", { name: "Replace" }).click();
  await expect(notices(frame)).toContainText("restored");
  await expect.poll(async () => String(await bucket.get("Docs/letter.txt"))).toBe("old letter");
  expect(String(await bucket.get("Docs/2026/deep.txt"))).toBe("deep");
  expect(String(await bucket.get("plan.txt"))).toBe("the second plan");
  await frame.getByRole("button", { name: "Clear selection" }).click();
  await bar(frame).getByRole("button", { name: "Restore everything" }).click();
  await question.getByRole("button", { name: "Replace" }).click();
  await expect.poll(async () => String(await bucket.get("plan.txt"))).toBe("first plan");
  expect(String(await bucket.get("new.txt"))).toBe("new");
  // Undoing brings back what was replaced, and removes what was not there.
  await notices(frame).getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => String(await bucket.get("plan.txt"))).toBe("the second plan");
  await expect(notices(frame)).toContainText("Undone: 1 item restored");
  expect(String(await bucket.get("Docs/letter.txt")), "of the restoring before").toBe("old letter");
});

test("nothing can be written in the past, by no button, key, menu or drop", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  const { frame, row, names } = await openExplorer({ scope: everything });
  await showSecondOfJanuary(frame);
  const written: string[] = [];
  page.on("request", (request) => {
    const endpoint = request.url().split("/storage/")[1] ?? "";
    if (/^(copy|move|delete|restore|purge|create-folder|presign-upload|multipart)/.test(endpoint))
      written.push(endpoint);
  });
  const before = await bucket.list();
  await expect(frame.getByRole("button", { name: "Upload" })).toBeDisabled();
  await expect(frame.getByRole("button", { name: "New folder" })).toBeDisabled();
  await row("plan.txt").getByRole("checkbox").click();
  await row("plan.txt").focus();
  for (const key of ["Delete", "F2", "Control+x", "Control+c", "Control+v", "Control+z", "Meta+Backspace"])
    await row("plan.txt").press(key);
  await expect(frame.getByRole("textbox", { name: "New name of plan.txt" })).toHaveCount(0);
  await expect(frame.getByRole("region", { name: "Clipboard" })).toHaveCount(0);
  await row("plan.txt").click({ button: "right" });
  await expect(menuItem(frame, "Restore")).toBeVisible();
  for (const name of ["Delete$", "Rename", "Move to", "Copy to", "Cut", "Paste"])
    await expect(menuItem(frame, name)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await frame.getByRole("button", { name: "More actions in this folder" }).click();
  for (const name of ["New folder", "Upload", "Paste"]) await expect(menuItem(frame, name)).toHaveCount(0);
  await page.keyboard.press("Escape");

  const dataTransfer = await droppedFile(frame);
  await frame.locator(".explorer").dispatchEvent("dragenter", { dataTransfer });
  await expect(frame.getByText("Nothing can be uploaded to the past")).toBeVisible();
  await frame.locator(".explorer").dispatchEvent("drop", { dataTransfer });
  await row("plan.txt").locator("[data-name]").dragTo(row("Docs"));
  await expect.poll(names).toEqual(["Docs", "kept.txt", "plan.txt"]);
  expect(written).toEqual([]);
  expect(await bucket.list()).toEqual(before);
});

test("by keyboard alone in a narrow frame, a moment is chosen and left again", async ({
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 760 });
  const { frame, names } = await openExplorer({ scope: everything });
  await frame.getByRole("button", { name: "More actions in this folder" }).press("Enter");
  await menuItem(frame, "An earlier state").press("Enter");
  const dialog = momentDialog(frame);
  const month = dialog.getByRole("heading", { level: 3 });
  await dialog.locator(".calendar__day[tabindex='0']").focus();
  while ((await month.textContent()) !== "January 2026") {
    const shown = await month.textContent();
    await page.keyboard.press("PageUp");
    await expect(month).not.toHaveText(shown ?? "");
  }
  await expect(dialog.getByRole("button", { name: /something changed/ })).toHaveText(["2", "3"]);
  const focused = dialog.locator(".calendar__day:focus");
  await dialog.getByRole("button", { name: /January 1, 2026/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(focused).toHaveAccessibleName("Friday, January 2, 2026, something changed");
  await page.keyboard.press("Enter");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("radio").first().press("ArrowDown");
  await expect(dialog.getByRole("radio", { name: /^Since/ })).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(bar(frame)).toContainText("Files, as of January 2, 2026");
  await expect.poll(names).toEqual(["Docs", "kept.txt", "plan.txt"]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(bar(frame)).toContainText("Docs, as of");
  await bar(frame).getByRole("button", { name: "Back to current files" }).press("Enter");
  await expect(bar(frame)).toHaveCount(0);
});

test("changes that cannot be loaded say so, and an exact time can be chosen anyway", async ({
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  const changeTimes = "**/api/embed/storage/change-times";
  await page.route(changeTimes, (route) =>
    route.fulfill({ status: 502, json: { error: "no", code: "provider_failed" } }),
  );
  const { frame } = await openExplorer({ scope: everything });
  await openCalendar(frame);
  const dialog = momentDialog(frame);
  await expect(dialog.getByRole("alert")).toContainText("The changes could not be loaded.");
  await dialog.getByRole("button", { name: /January 2, 2026/ }).click();
  await expect(dialog.getByRole("button", { name: "Show" })).toHaveAttribute("aria-disabled", "true");
  await page.unroute(changeTimes);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog.getByRole("button", { name: /something changed/ })).toHaveText(["2", "3"]);
  await expect(dialog.getByRole("alert")).toHaveCount(0);
  await dialog.locator("input[type=time]").fill("20:00");
  await dialog.getByRole("button", { name: "Show" }).click();
  await expect(bar(frame)).toContainText(/January 2, 2026 at 8:00/);
});
