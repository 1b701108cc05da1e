/** Older versions of a file, in its details. */
import { everything, violations } from "./change-support";
import { expect, type OpenExplorer, test } from "./explorer-support";

const visitor = { id: "u-1", name: "Ada Lovelace" };

async function openVersions({ frame, row }: OpenExplorer, name: string) {
  await row(name).click();
  await row(name).press("Alt+Enter");
  const details = frame.getByRole("complementary", { name: "Details" });
  await details.getByText("Versions", { exact: true }).click();
  return details;
}

test("a version is made current again, and the one before is kept", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything, visitor });
  const details = await openVersions(explorer, "plan.txt");
  const entries = details.getByRole("listitem");
  await expect(entries).toHaveText([/Current.*10 bytes/, /5 bytes.*Make current/]);
  expect(await violations(page)).toEqual([]);
  await entries.nth(1).getByText("Make current").click();
  await expect(details.getByRole("status").last()).toHaveText(/current one again/);
  await expect(entries).toHaveText([/Current.*5 bytes.*Ada Lovelace/, /10 bytes/, /5 bytes/]);
  expect(String(await bucket.get("plan.txt"))).toBe("first");
  // The row shows it, too.
  await expect(explorer.row("plan.txt")).toContainText("5 bytes");

  const download = page.waitForEvent("download");
  await entries.nth(1).getByText("Download").click();
  expect((await download).suggestedFilename()).toBe("plan.txt");
});

test("in the dialog of a narrow frame, the size is that of the version that is current again", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 760 });
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const { frame, row } = await openExplorer({ scope: everything });
  await row("plan.txt").press("Alt+Enter");
  const details = frame.getByRole("dialog");
  await expect(details.getByRole("definition").filter({ hasText: "10 bytes" })).toBeVisible();
  await details.getByText("Versions", { exact: true }).click();
  await details.getByRole("listitem").nth(1).getByText("Make current").click();
  await expect(details.getByRole("definition").filter({ hasText: "5 bytes" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test("a version is deleted permanently once the person has said so", async ({ integrator, openExplorer }) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  const old = details.getByRole("listitem").nth(1);
  await expect(details.getByRole("listitem").first()).not.toContainText("Delete permanently");
  await old.getByText("Delete permanently").click();
  await expect(old.getByRole("alert")).toContainText("cannot be brought back");
  await expect(old.getByRole("button", { name: "Cancel" })).toBeFocused();
  await old.getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(old).toContainText("Make current");
  await old.getByText("Delete permanently").click();
  await old.getByRole("button", { name: /^Delete permanently/ }).click();
  await expect(details.getByRole("listitem")).toHaveCount(1);
  await expect(details).toContainText("There are no older versions.");
});

test("a token without the action shows no versions, and one that may not change only downloads", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const explorer = await openExplorer({
    scope: { actions: ["download", "history"], uploadFolder: "/elsewhere" },
  });
  const details = await openVersions(explorer, "plan.txt");
  await expect(details.getByRole("listitem")).toHaveText([/Download$/, /Download$/]);
  await openExplorer();
  await explorer.row("plan.txt").click();
  await explorer.row("plan.txt").press("Alt+Enter");
  await expect(details).toContainText("plan.txt");
  await expect(details.getByText("Versions", { exact: true })).toHaveCount(0);
});

test("versions that cannot be loaded say so and can be retried, and a failed request says so", async ({
  integrator,
  openExplorer,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  const { bucket } = integrator;
  await bucket.keepVersions();
  for (const text of ["first", "second one"]) await bucket.put("plan.txt", text);
  const refuse = (endpoint: string) =>
    page.route(`**/api/embed/storage/${endpoint}`, (route) =>
      route.fulfill({ status: 502, json: { error: "no", code: "provider_failed" } }),
    );
  await refuse("versions");
  const explorer = await openExplorer({ scope: everything });
  const details = await openVersions(explorer, "plan.txt");
  await expect(details.getByRole("alert")).toBeVisible();
  await page.unroute("**/api/embed/storage/versions");
  await details.getByRole("button", { name: "Try again" }).click();
  await expect(details.getByRole("listitem")).toHaveCount(2);
  await refuse("restore");
  await details.getByRole("listitem").nth(1).getByText("Make current").click();
  await expect(details.getByRole("alert")).not.toBeEmpty();
  expect(String(await bucket.get("plan.txt"))).toBe("second one");
});
