/** Files that can be read only after a malware scanner has tagged them. The tests are the scanner. */
import { changePolicy } from "../../../app/embed/manage-embed-clients.server";
import { services } from "../../../app/services/registry.server";
import { databaseOf } from "../../support/app/embed-client";
import { violations } from "../change-support";
import { expect, panel, saved, test } from "../download-support";
import type { OpenExplorer } from "../explorer-support";
import { PNG } from "../sample-files";

const requireTag = { key: "scan", value: "clean" };
const CLEAN = { scan: "clean" };
const INFECTED = { scan: "infected" };

test.use({ allowedConsole: [/Failed to load resource: .*status of (401|403|409)/] });
test.beforeEach(async ({ faulty, integrator }) => {
  faulty.intercept = null;
  await integrator.bucket.keepVersions();
});

const preview = ({ frame }: OpenExplorer) => frame.getByRole("dialog");

test("a preview waits until the file has been checked, and then opens by itself", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("letter.txt", "Dear all", "text/plain");
  const explorer = await openExplorer({ scope: { requireTag } });
  await explorer.row("letter.txt").dblclick();
  const status = preview(explorer).getByRole("status");
  await expect(status).toHaveText(/is being checked for malware\. It opens by itself/);
  expect(await violations(page)).toEqual([]);
  await integrator.bucket.tag("letter.txt", CLEAN);
  await expect(preview(explorer)).toContainText("Dear all");
});

test("a preview says so when the file turns out to be blocked", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("photo.png", PNG, "image/png");
  const explorer = await openExplorer({ scope: { requireTag } });
  await explorer.row("photo.png").dblclick();
  await expect(preview(explorer).getByRole("status")).toHaveText(/is being checked/);
  await integrator.bucket.tag("photo.png", INFECTED);
  await expect(preview(explorer).getByRole("alert")).toHaveText(/blocked by the malware scanner: ask/);
  await expect(preview(explorer).getByRole("button", { name: "Try again" })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});

test("a download starts by itself when the file has been checked, and can be cancelled before", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("letter.txt", "Dear all", "text/plain");
  await integrator.bucket.put("never.txt", "not wanted", "text/plain");
  await integrator.bucket.put("virus.txt", "bad", "text/plain");
  await integrator.bucket.tag("virus.txt", INFECTED);
  const { frame } = await openExplorer({ scope: { requireTag } });
  const button = (name: string) => frame.getByRole("button", { name: `Download ${name}` });

  await button("virus.txt").click();
  await expect(frame.getByRole("alert")).toHaveText(/virus\.txt\. It was blocked by the malware scanner/);

  await button("never.txt").click();
  const notice = frame.getByRole("status").filter({ hasText: "being checked for malware" });
  await expect(notice).toContainText("never.txt");
  expect(await violations(page)).toEqual([]);
  await notice.getByRole("button", { name: "Cancel" }).click();
  await expect(notice).toHaveCount(0);

  await button("letter.txt").click();
  await expect(notice).toContainText(
    "letter.txt is being checked for malware. The download starts by itself",
  );
  const started = page.waitForEvent("download");
  await integrator.bucket.tag("never.txt", CLEAN);
  await integrator.bucket.tag("letter.txt", CLEAN);
  expect((await started).suggestedFilename()).toBe("letter.txt");
  await expect(notice).toHaveCount(0);
});

test("thumbnails appear by themselves when their files have been checked", async ({
  integrator,
  openExplorer,
}) => {
  for (const name of ["a.png", "b.png", "c.png"]) await integrator.bucket.put(name, PNG, "image/png");
  await integrator.bucket.tag("a.png", CLEAN);
  await integrator.bucket.tag("c.png", INFECTED);
  const { row } = await openExplorer({ scope: { requireTag } });
  await expect(row("a.png").locator("img")).toBeVisible();
  await expect(row("b.png").locator("img")).toHaveCount(0);
  await integrator.bucket.tag("b.png", CLEAN);
  await expect(row("b.png").locator("img")).toBeVisible();
  await expect(row("c.png").locator("img")).toHaveCount(0);
});

test("rows and tiles say which files are being checked or were blocked, until that changes", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  for (const name of ["clean.txt", "new.png", "virus.txt"]) await bucket.put(name, PNG);
  await bucket.tag("clean.txt", CLEAN);
  await bucket.tag("virus.txt", INFECTED);
  await bucket.put("Folder/a.txt", "a");
  const { frame, row } = await openExplorer({ scope: { requireTag } });
  await expect(row("new.png")).toContainText("Being checked");
  await expect(row("new.png")).toHaveAccessibleDescription(/^Being checked, /);
  await expect(row("virus.txt")).toContainText("Blocked");
  await expect(frame.locator(".check-mark")).toHaveCount(2);
  expect(await violations(page)).toEqual([]);

  await frame.getByRole("button", { name: "Show as tiles" }).click();
  const tile = (name: string) => frame.getByRole("gridcell", { name });
  await expect(tile("new.png")).toContainText("Being checked");
  await expect(tile("virus.txt")).toHaveAccessibleDescription(/^Blocked/);
  await expect(frame.locator(".check-mark")).toHaveCount(2);
  expect(await violations(page)).toEqual([]);

  await bucket.tag("new.png", CLEAN);
  await expect(tile("new.png").locator("img")).toBeVisible();
  await expect(tile("new.png")).not.toContainText("Being checked");
});

test("files have no marks where the token requires no tag, and nobody asks for any", async ({
  faulty,
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("a.txt", "a", "text/plain");
  let asked = 0;
  faulty.intercept = ({ query }) => {
    if (query.has("tagging")) asked += 1;
    return undefined;
  };
  const { frame, row } = await openExplorer();
  await row("a.txt").dblclick();
  await expect(preview({ frame } as OpenExplorer)).toContainText("a");
  await expect(frame.locator(".check-mark")).toHaveCount(0);
  expect(asked).toBe(0);
});

test("an archive leaves out what is being checked or blocked, and names it", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  for (const name of ["clean", "checking", "virus"]) await bucket.put(`Box/${name}.txt`, name, "text/plain");
  await bucket.tag("Box/clean.txt", CLEAN);
  await bucket.tag("Box/virus.txt", INFECTED);
  const { frame } = await openExplorer({ scope: { requireTag } });
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Box" }).click();
  expect(Object.keys(await saved(await started)).sort()).toEqual(["Box/", "Box/clean.txt"]);
  const tray = panel(frame);
  await expect(tray).toContainText("2 files are not in the archive");
  await expect(tray).toContainText("Box/checking.txt It is still being checked for malware.");
  await expect(tray).toContainText("Box/virus.txt It was blocked by the malware scanner.");
  expect(await violations(page)).toEqual([]);
});

test("an archive of nothing but such files is refused, and says why", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("Box/virus.txt", "bad", "text/plain");
  await integrator.bucket.tag("Box/virus.txt", INFECTED);
  const { frame } = await openExplorer({ scope: { requireTag } });
  await frame.getByRole("button", { name: "Download Box" }).click();
  await expect(panel(frame).getByRole("alert")).toContainText(
    "Box/virus.txt was blocked by the malware scanner",
  );
});

test("a file that is being checked keeps its name and its folder, and the explorer says why", async ({
  integrator,
  openExplorer,
}) => {
  await integrator.bucket.put("letter.txt", "Dear all", "text/plain");
  const { frame, row } = await openExplorer({ scope: { actions: ["organize"], requireTag } });
  await row("letter.txt").press("F2");
  const field = frame.getByRole("textbox", { name: "New name of letter.txt" });
  await field.fill("other.txt");
  await field.press("Enter");
  await expect(frame.getByText("It is still being checked for malware.")).toBeVisible();
  await field.press("Escape");
  await expect(row("letter.txt")).toBeVisible();
});

test("an explorer that is opened just after the key has begun to require a tag needs no reload", async ({
  integrator,
  page,
  stack,
}) => {
  await integrator.bucket.put("letter.txt", "Dear all", "text/plain");
  // From now on, the platform remembers the key without the tag for some seconds.
  await integrator.issue();
  const { bucket, client } = integrator;
  const policy = { buckets: [bucket.name], requireTag };
  await changePolicy(databaseOf(stack), client.id, "files", () => policy, services);
  await page.goto(integrator.origin);
  // It asks for tokens until the platform has read the key again, with longer and longer pauses.
  const embed = page.locator("platform-embed");
  await expect(embed).toHaveJSProperty("state", "ready", { timeout: 30_000 });
  const frame = page.frameLocator("platform-embed iframe");
  await frame.getByRole("row", { name: "letter.txt" }).dblclick();
  await expect(frame.getByRole("dialog").getByRole("status")).toHaveText(/is being checked for malware/);
});
