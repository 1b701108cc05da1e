/** The files in a ZIP archive, and single ones taken out of it. */
import { readFile } from "node:fs/promises";
import { strToU8, zipSync } from "fflate";
import type { Encoding } from "../../../app/services/files/browse/decode-text";
import { encodeText } from "../../support/files/encode-text";
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

test("a file that is damaged in an archive is told, and so is an archive that is cut", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const archive = zipSync({ "a.txt": [strToU8("content"), { level: 0 }] });
  archive[36] = 0;
  await integrator.bucket.put("a.zip", Buffer.from(archive), "application/zip");
  await integrator.bucket.put("b.zip", Buffer.from(archive.subarray(0, 40)), "application/zip");
  const { frame, row } = await openExplorer();
  await row("a.zip").dblclick();
  await frame.getByRole("button", { name: "Download a.txt" }).click();
  await expect(frame.getByRole("alert")).toHaveText(/^“a\.txt” could not be taken out of the archive\./);
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("alert")).toHaveText(/^This file cannot be read\. It may be damaged\./);
});

test("names are read in the encoding that is likely, or in a chosen one", async ({
  integrator,
  openExplorer,
  page,
}) => {
  // A name of as many bytes is replaced in the file and in the directory.
  const named = (name: string, encoding: Encoding) => {
    const bytes = encodeText(name, encoding);
    const archive = Buffer.from(zipSync({ ["x".repeat(bytes.length)]: [strToU8("content"), { level: 0 }] }));
    for (let at = archive.indexOf("xxx"); at !== -1; at = archive.indexOf("xxx")) archive.set(bytes, at);
    return archive;
  };
  await integrator.bucket.put("a.zip", named("Договор аренды/Счёт.txt", "ibm866"), "application/zip");
  await integrator.bucket.put("b.zip", named("請求書/写真の一覧.txt", "shift_jis"), "application/zip");
  await integrator.bucket.put("c.zip", named("Größe.txt", "ibm437"), "application/zip");
  const { frame, row } = await openExplorer();
  const name = frame.getByRole("dialog").getByRole("cell").first();
  const encoding = frame.getByRole("combobox", { name: "Text encoding" });
  await row("a.zip").dblclick();
  await expect(name).toHaveText("Договор аренды/Счёт.txt");
  await expect(encoding).toHaveValue("ibm866");
  await encoding.selectOption("IBM 437");
  await expect(name).toHaveText(/^ä«ú/);
  await encoding.selectOption("IBM 866");
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Договор аренды/Счёт.txt" }).click();
  expect((await started).suggestedFilename()).toBe("Счёт.txt");
  await frame.getByRole("dialog").press("ArrowRight");
  await expect(name).toHaveText("請求書/写真の一覧.txt");
  await page.keyboard.press("ArrowRight");
  await expect(name).toHaveText("Größe.txt");
});
