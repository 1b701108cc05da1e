import { choose, dialog, everything, notices, panel } from "../change-support";
import { expect, manyFiles, test } from "../explorer-support";

/** More than one response does. */
const COUNT = 1_020;

test.use({
  initialObjects: {
    ...manyFiles(COUNT, (index) => `many/${index}.txt`),
    "in/x.txt": "x",
    "b.txt": "x",
  },
});

test("a long change shows its progress, other changes wait, and cancelling stops after the current call", async ({
  openExplorer,
  page,
}) => {
  // The call that does the first part of it comes back when the test says so.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const bodies: { cursor?: string; stop?: boolean }[] = [];
  await page.route("**/api/embed/storage/copy", async (route) => {
    const body = route.request().postDataJSON();
    bodies.push(body);
    const response = await route.fetch();
    if (body.cursor && !body.stop) await released;
    await route.fulfill({ response });
  });
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await choose(explorer, "many", "Copy to");
  await frame.getByRole("treeitem", { name: "in" }).click();
  await dialog(frame).getByRole("button", { name: "Copy here" }).click();
  await expect(panel(frame)).toContainText("Copying many to in");
  await expect(panel(frame).getByRole("progressbar")).toBeVisible();

  await row("b.txt").click();
  await page.keyboard.press("Delete");
  await expect(panel(frame)).toContainText("Waiting for the previous change");
  await panel(frame).getByRole("button", { name: "Cancel: Deleting b.txt" }).click();
  await expect(panel(frame)).not.toContainText("b.txt");

  await panel(frame).getByRole("button", { name: "Cancel: Copying many to in" }).click();
  await expect(panel(frame)).toContainText("Stopping…");
  release();
  await expect(notices(frame)).toContainText(/Cancelled after [\d,]+ files\. What is done stays\./);
  await expect(panel(frame)).toHaveCount(0);
  expect(bodies.filter(({ cursor, stop }) => cursor && !stop)).toHaveLength(1);
  await expect(row("b.txt")).toBeVisible();
});

test("when the code for changes fails to load, Try again loads it and carries out the request", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  const [, embedded] = page.frames();
  // The network is back with the click. Otherwise the selection, which loads the same code, could be faster than the person.
  await embedded?.evaluate(() =>
    addEventListener("click", () => document.body.setAttribute("data-clicked", ""), { capture: true }),
  );
  await page.route("**/build/**/*.js", async (route) => {
    const isBack = await embedded?.evaluate(() => document.body.hasAttribute("data-clicked"));
    await (isBack ? route.continue() : route.abort());
  });
  await row("a.txt").focus();
  await page.keyboard.press("F2");
  await expect(frame.getByText("This could not be loaded: check your connection.")).toBeVisible();
  // Older browsers remember a failed import, so each attempt uses another address. Focusing the row was the first.
  const retried = page.waitForRequest(/\.js\?retry=\d+$/);
  await frame.getByRole("button", { name: "Try again" }).click();
  await retried;
  await expect(frame.getByRole("textbox", { name: "New name of a.txt" })).toBeVisible();
});
test.use({ allowedConsole: [/Failed to load resource/] });
