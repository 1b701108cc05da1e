/** What happened to a file or folder, in its details in the explorer. */
import { everything } from "../change-support";
import { expect, test } from "../explorer-support";

test("details of a file and a folder show who did what with them, as it happens", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("docs/a.txt", "x");
  const visitor = { id: "u-1", name: "Ada Lovelace" };
  const { frame, row } = await openExplorer({ scope: everything, visitor });
  await row("docs").focus();
  await page.keyboard.press("F2");
  await row("docs").getByRole("textbox").fill("papers");
  await page.keyboard.press("Enter");
  await expect(row("papers")).toBeVisible();
  await row("papers").focus();
  await page.keyboard.press("Alt+Enter");
  const panel = frame.getByRole("complementary", { name: "Details" });
  await panel.getByText("Activity", { exact: true }).click();
  await expect(panel.getByText("Ada Lovelace").first()).toBeVisible();
  await expect(panel.getByText("Moved")).toBeVisible();

  // It stays open for other rows, and what comes meanwhile appears.
  await row("papers").dblclick();
  await row("a.txt").click();
  await expect(panel.locator(".activity__entry")).toHaveCount(1);
  await page.keyboard.press("F2");
  await row("a.txt").getByRole("textbox").fill("b.txt");
  await page.keyboard.press("Enter");
  await expect(panel.getByText("Renamed")).toBeVisible();
  await expect(panel.getByText("was a.txt")).toBeVisible();
});

test("a token without the action shows none of it, and asks for none", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "x");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const { frame, row } = await openExplorer();
  await row("a.txt").focus();
  await page.keyboard.press("Alt+Enter");
  const panel = frame.getByRole("complementary", { name: "Details" });
  await expect(panel).toContainText("a.txt");
  await expect(panel.getByText("Activity", { exact: true })).toHaveCount(0);
  expect(asked.filter((url) => url.endsWith("/storage/activity"))).toEqual([]);
});

test("nothing is asked for the files that a person passes by arrow keys", async ({
  integrator,
  openExplorer,
  page,
}) => {
  for (const name of ["a", "b", "c", "d", "e"]) await integrator.bucket.put(`${name}.txt`, "x");
  const { frame, row } = await openExplorer({ scope: everything });
  await row("a.txt").focus();
  await page.keyboard.press("Alt+Enter");
  const panel = frame.getByRole("complementary", { name: "Details" });
  await panel.getByText("Activity", { exact: true }).click();
  await expect(panel.getByText("Nothing has happened yet")).toBeVisible();
  const asked: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/storage/activity")) asked.push(request.postDataJSON().key);
  });
  await page.clock.install();
  await row("a.txt").focus();
  for (let count = 0; count < 4; count++) await page.keyboard.press("ArrowDown");
  await expect(panel).toContainText("e.txt");
  await page.clock.runFor(1_000);
  await expect(panel.getByText("Nothing has happened yet")).toBeVisible();
  expect(asked).toEqual(["e.txt"]);
});

test("an activity that cannot be loaded says so and can be retried", async ({
  integrator,
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  await integrator.bucket.put("a.txt", "x");
  const { frame, row } = await openExplorer({ scope: everything });
  let isBroken = true;
  await page.route("**/api/embed/storage/activity", (route) =>
    isBroken ? route.fulfill({ status: 503, json: { error: "No.", code: "unavailable" } }) : route.continue(),
  );
  await row("a.txt").focus();
  await page.keyboard.press("Alt+Enter");
  const panel = frame.getByRole("complementary", { name: "Details" });
  await panel.getByText("Activity", { exact: true }).click();
  const alert = panel.getByRole("alert");
  await expect(alert).toContainText("not available right now");
  isBroken = false;
  await alert.getByRole("button", { name: "Try again" }).click();
  await expect(panel.getByText("Nothing has happened yet")).toBeVisible();
});
