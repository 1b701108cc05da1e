/** Everything that a bucket holds is shown and can be acted on, whatever its key. */
import { oddKeys, putOddKeys } from "../../support/files/odd-keys";
import { choose, everything, question } from "../change-support";
import { expect, test } from "../explorer-support";

const codePoint = (character: string) => character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");

/** What the folder shows: names from the first segments of the keys. */
const shownNames = [
  ...new Set(
    oddKeys.map((key) => {
      const [name = ""] = key.split("/");
      return name.replace(/[\n\t\u202e]|^ | $/g, (character) => `[U+${codePoint(character)}]`);
    }),
  ),
  // A file and a folder of one name.
  "foo",
];

test("a folder shows exactly what the bucket has below it, and deleting it deletes exactly that", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await putOddKeys(bucket, "Odd");
  for (const key of ["/leading slash.txt", "/Odd/leading folder.txt", "Odder/stays.txt"])
    await bucket.put(key, "x");
  const { frame, row, names } = await openExplorer({ scope: everything });
  expect(await names()).toEqual(["(no name)", "Odd", "Odder"]);
  await row("(no name)").getByText("(no name)").click();
  await expect(row("leading slash.txt")).toBeVisible();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("(no name)");
  await expect(frame.getByRole("button", { name: "Upload", exact: true })).toBeDisabled();
  await expect(frame.getByText("Nothing new can be put into a folder")).toBeVisible();
  expect(await names()).toEqual(["Odd", "leading slash.txt"]);
  await frame.getByRole("button", { name: "Files", exact: true }).click();

  await row("Odd").getByText("Odd").click();
  await expect(row("plain.txt")).toBeVisible();
  expect((await names()).sort()).toEqual(shownNames.sort());
  await row("a").getByText("a", { exact: true }).click();
  await row("(no name)").getByText("(no name)").click();
  await expect(row("b.txt")).toBeVisible();
  await frame.getByRole("button", { name: "Odd", exact: true }).click();
  await row("marker with content").getByText("marker").click();
  await expect(row("marker with content/")).toBeVisible();

  await frame.getByRole("button", { name: "Files", exact: true }).click();
  await choose({ frame, row } as Parameters<typeof choose>[0], "Odd", "Delete");
  await expect(question(frame)).toContainText("Odd");
  await question(frame).getByRole("button", { name: "Delete" }).click();
  await expect(row("Odd")).toHaveCount(0);
  // The row goes before the last object does.
  await expect
    .poll(async () => (await bucket.list()).sort())
    .toEqual(["/Odd/leading folder.txt", "/leading slash.txt", "Odder/stays.txt"]);
});

test("a file can be renamed whatever its name; one that no browser can fetch says so", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.put("docs/../up.txt", "up");
  await bucket.put("docs/new\nline.txt", "line");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("docs").getByText("docs").click();
  await choose(explorer, "new[U+000A]line.txt", "Rename");
  await frame.getByRole("textbox", { name: "New name" }).fill("one line.txt");
  await frame.getByRole("textbox", { name: "New name" }).press("Enter");
  await expect(row("one line.txt")).toBeVisible();
  await row("..").getByText("..").click();
  await frame.getByRole("button", { name: "Download up.txt" }).click();
  await expect(frame.getByRole("alert")).toContainText("Browsers cannot open it");
  await frame.getByRole("button", { name: "docs", exact: true }).click();
  await choose(explorer, "..", "Rename");
  await frame.getByRole("textbox", { name: "New name" }).fill("above");
  await frame.getByRole("textbox", { name: "New name" }).press("Enter");
  await expect(row("above")).toBeVisible();
  expect((await bucket.list()).sort()).toEqual(["docs/above/up.txt", "docs/one line.txt"]);
});

test("the content of a folder's own object is moved with its folder only, and says so before anything is done", async ({
  integrator,
  openExplorer,
}) => {
  const { bucket } = integrator;
  await bucket.put("own/", "content");
  await bucket.put("own/a.txt", "a");
  const explorer = await openExplorer({ scope: everything });
  const { frame, row } = explorer;
  await row("own").getByText("own").click();
  await choose(explorer, "own/", "Move to");
  await expect(frame.getByRole("alert")).toContainText("own/ is the content of the folder itself");
  await expect(frame.getByRole("dialog")).toHaveCount(0);
  await choose(explorer, "own/", "Delete");
  await question(frame).getByRole("button", { name: "Delete" }).click();
  await expect(row("own/")).toHaveCount(0);
  expect(await bucket.list()).toEqual(["own/a.txt"]);
});
