/** Deleted files: listed, found and restored, also those that somebody else has deleted in another session. */
import { choose, everything, menuItem, notices, violations } from "../change-support";
import { expect, type OpenExplorer, test } from "../explorer-support";
import type { Integrator } from "../integrator";

const ada = { id: "u-1", name: "Ada Lovelace" };
const grace = { id: "u-2", name: "Grace Hopper" };

/** The bar that says that the past is shown. */
const bar = ({ frame }: OpenExplorer) => frame.getByRole("region", { name: "The past" });

async function fill({ bucket }: Integrator): Promise<void> {
  await bucket.keepVersions();
  const files = ["Photos/2026/a.jpg", "Photos/b.jpg", "notes.txt", "plan.txt", "kept.txt"];
  for (const key of files) await bucket.put(key, `content of ${key}`);
}

/** Deletes by the explorer, as somebody else, and closes it. */
async function deleteAs(
  visitor: object,
  names: string[],
  openExplorer: (options: object) => Promise<OpenExplorer>,
): Promise<void> {
  const explorer = await openExplorer({ scope: everything, visitor });
  for (const name of names) {
    await choose(explorer, name, "Delete");
    await expect(notices(explorer.frame)).toContainText(`${name} deleted`);
  }
}

async function showDeleted({ frame }: OpenExplorer): Promise<void> {
  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await menuItem(frame, "Deleted files").click();
}

test("a folder that somebody else has deleted comes back by a few clicks", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const { bucket } = integrator;
  await fill(integrator);
  await deleteAs(ada, ["Photos", "notes.txt"], openExplorer);
  const explorer = await openExplorer({ scope: everything, visitor: grace });
  const { frame, row, names } = explorer;
  await showDeleted(explorer);
  await expect(bar(explorer)).toContainText("Deleted files");
  await expect(frame.getByRole("grid", { name: "Deleted files" })).toBeVisible();
  await expect.poll(names).toEqual(["Photos", "notes.txt"]);
  await expect(row("Photos")).toContainText("Ada Lovelace");
  expect(await violations(page)).toEqual([]);
  await row("Photos").getByRole("checkbox").click();
  await bar(explorer).getByRole("button", { name: "Restore 1 item" }).click();
  await expect(notices(frame)).toContainText("2 items restored");
  await expect(row("Photos")).toHaveCount(0);
  await expect(row("notes.txt")).toBeVisible();
  expect(String(await bucket.get("Photos/2026/a.jpg"))).toBe("content of Photos/2026/a.jpg");
  expect(await bucket.get("notes.txt")).toBeNull();
  await bar(explorer).getByRole("button", { name: "Back to current files" }).click();
  await expect(bar(explorer)).toHaveCount(0);
  await expect(row("Photos")).toBeVisible();
  // The way back is still on the screen.
  await expect(notices(frame).getByRole("button", { name: "Undo" })).toBeVisible();
});

test("a search that finds nothing leads to the deleted files", async ({ integrator, openExplorer }) => {
  await fill(integrator);
  await deleteAs(ada, ["notes.txt"], openExplorer);
  const explorer = await openExplorer({ scope: everything, visitor: grace });
  await explorer.frame.getByRole("searchbox", { name: "Search" }).fill("notes");
  await explorer.frame.getByRole("button", { name: "Show deleted files" }).click();
  await expect.poll(explorer.names).toEqual(["notes.txt"]);
  await expect(bar(explorer)).toContainText("Files whose names are in use again are not listed.");
});
