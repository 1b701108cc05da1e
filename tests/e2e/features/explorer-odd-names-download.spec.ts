/** An archive of names that not every system can create, as other programs read it. */
import { isAddressable } from "platform-embed-element/client";
import { oddKeys, putOddKeys } from "../../support/files/odd-keys";
import { textsIn, unzip } from "../../support/files/unzip";
import { expect, panel, test } from "../download-support";
import { unfold } from "../explorer-support";

test("a folder of odd keys is one archive without one object more or less, and says what it left out or renamed", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await putOddKeys(integrator.bucket, "Odd");
  const { frame, row } = await openExplorer();
  await expect(row("Odd")).toBeVisible();
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Odd" }).click();
  const path = await (await started).path();
  const entries = (await unzip(path)).filter(({ name }) => !name.endsWith("/"));
  const addressable = oddKeys.filter(isAddressable);
  expect(entries).toHaveLength(addressable.length + 1);
  const contents = await textsIn(path);
  const changed = contents["Changed names.txt"] ?? "";
  for (const key of ["CON.txt", "aux", "trailing dot.", "a:b?.txt", "back\\slash.txt", "new[U+000A]line.txt"])
    expect(changed).toContain(`Odd/${key}  →  Odd/`);
  expect(contents["Odd/_CON.txt"]).toBe("content of CON.txt");
  expect(contents["Odd/marker with content/marker with content"]).toBe("content of marker with content/");
  const names = entries.map(({ name }) => name.toLowerCase().normalize("NFC"));
  expect(new Set(names).size).toBe(names.length);

  await expect(panel(frame).getByRole("heading")).toHaveText("Odd.zip downloaded");
  await unfold(frame, "Downloads");
  const note = panel(frame).getByRole("listitem").first();
  await expect(note).toContainText("2 files are not in the archive");
  await expect(note).toContainText("Odd/../up.txt");
  await expect(note).toContainText(
    /\d+ names are different in the archive: Changed names\.txt in it says which/,
  );
});
