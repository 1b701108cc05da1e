/** The files in a ZIP archive, and single ones taken out of it. */
import { readFile } from "node:fs/promises";
import { strToU8, zipSync } from "fflate";
import { violations } from "../change-support";
import { expect, inBothThemes, test } from "../explorer-support";

/** Incompressible, so that the archive is larger than what is read of it. */
const noise = (bytes: number) => {
  let state = 1;
  return Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
};

test("the files of an archive are listed, and one is taken out, without the rest", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const archive = zipSync({
    "noise.bin": noise(3_000_000),
    "reports/Größe 2026.csv": strToU8("a,b\n1,2\n"),
    "reports/empty.txt": new Uint8Array(),
  });
  await integrator.bucket.put("all.zip", Buffer.from(archive), "application/zip");
  let transferred = 0;
  page.on("response", async (response) => {
    if (response.url().includes("all.zip")) transferred += Number(response.headers()["content-length"]);
  });
  const explorer = await openExplorer();
  const { frame, row } = explorer;
  await row("all.zip").dblclick();
  const list = frame.getByRole("dialog").getByRole("table");
  await expect(list.getByRole("row")).toHaveCount(4);
  await expect(list.getByRole("row").nth(2)).toContainText(/reports\/Größe 2026\.csv\s*8 bytes/);
  await inBothThemes(explorer, async () => expect(await violations(page)).toEqual([]));
  for (const [name, content] of [
    ["Größe 2026.csv", "a,b\n1,2\n"],
    ["empty.txt", ""],
  ] as const) {
    const started = page.waitForEvent("download");
    await list.getByRole("button", { name: `Download reports/${name}` }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe(name);
    expect(await readFile(await download.path(), "utf8")).toBe(content);
  }
  expect(transferred).toBeLessThan(100_000);
});

test("a file that is damaged in an archive is told, and so is an archive that is none", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const archive = zipSync({ "a.txt": [strToU8("content"), { level: 0 }] });
  archive[36] = 0;
  await integrator.bucket.put("a.zip", Buffer.from(archive), "application/zip");
  await integrator.bucket.put("b.zip", Buffer.from("no archive"), "application/zip");
  const { frame, row } = await openExplorer();
  await row("a.zip").dblclick();
  await frame.getByRole("button", { name: "Download a.txt" }).click();
  await expect(frame.getByRole("alert")).toHaveText(/^“a\.txt” could not be taken out of the archive\./);
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("alert")).toHaveText(/^This file cannot be read\. It may be damaged\./);
});
