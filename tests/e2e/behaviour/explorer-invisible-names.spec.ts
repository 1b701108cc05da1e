import { expect, test } from "../explorer-support";

/** Read backwards after U+202E, it would look like a picture: `photoexe.jpg`. */
const REVERSED = "photo\u202egpj.exe";
const SEEN = "photo[U+202E]gpj.exe";

test("invisible characters of a name are shown wherever the name is, and the file can be changed all the same", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put(REVERSED, "x");
  await integrator.bucket.put("in\u200bvoice.txt", "x");
  for (const blank of "\u00a0\u2800\u3164") await integrator.bucket.put(`a${blank}blank.txt`, "x");
  await integrator.bucket.put("می\u200cخواهم 👩\u200d👧.txt", "x");
  await integrator.bucket.put("a\u2028b/inside.txt", "x");
  const { frame, row } = await openExplorer({
    scope: { actions: ["download", "upload", "organize", "delete"] },
  });
  const list = frame.getByRole("grid");
  await expect(list).toContainText(SEEN);
  await expect(list).toContainText("in[U+200B]voice.txt");
  for (const code of ["00A0", "2800", "3164"]) await expect(list).toContainText(`a[U+${code}]blank.txt`);
  await expect(list, "scripts and emoji keep their joiners").toContainText("می\u200cخواهم 👩\u200d👧.txt");
  await expect(row(SEEN)).toBeVisible();
  /** Everything that can be seen or is read aloud. */
  const shown = () =>
    frame.locator("body").evaluate((body: HTMLElement) => {
      const attributes = ["title", "aria-label", "alt", "placeholder"];
      const said = [...body.querySelectorAll("*")].flatMap((element) =>
        attributes.map((name) => element.getAttribute(name) ?? ""),
      );
      return [body.innerText, ...said].filter((text) => /[\u202e\u200b\u2028\u00a0\u2800\u3164]/.test(text));
    });
  expect(await shown()).toEqual([]);

  await row(SEEN).focus();
  await page.keyboard.press("Alt+Enter");
  await expect(frame.getByRole("complementary", { name: "Details" })).toContainText(SEEN);
  await page.keyboard.press("Escape");
  await row(SEEN).click({ button: "right" });
  expect(await shown()).toEqual([]);
  await frame.getByRole("menuitem", { name: "Delete" }).click();
  await expect(frame.getByRole("alertdialog")).toContainText(SEEN);
  expect(await shown()).toEqual([]);
  await frame.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(frame.getByRole("status").filter({ hasText: SEEN })).toBeVisible();
  expect(await shown()).toEqual([]);
  expect(await integrator.bucket.get(REVERSED)).toBeNull();

  await row("a[U+2028]b").dblclick();
  await expect(frame.getByRole("heading", { name: "a[U+2028]b" })).toBeVisible();
  expect(await shown()).toEqual([]);
});

test("names that differ by a blank character only are told apart, also on a phone", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const shown = {
    "report.txt": "report.txt",
    "report.txt ": "report.txt[U+0020]",
    " report.txt": "[U+0020]report.txt",
    "report\u200b.txt": "report[U+200B].txt",
    "report\u2066.txt": "report[U+2066].txt",
    "re port.txt": "re port.txt",
    "re\u00a0port.txt": "re[U+00A0]port.txt",
    "re\u3000port.txt": "re[U+3000]port.txt",
  };
  for (const name of Object.keys(shown)) await integrator.bucket.put(name, "x");
  await integrator.bucket.put("folder /inside.txt", "x");
  const { frame, row, names } = await openExplorer();
  await expect(row("folder[U+0020]")).toBeVisible();
  expect((await names()).sort()).toEqual([...Object.values(shown), "folder[U+0020]"].sort());
  for (const name of Object.values(shown)) {
    const label = row(name).locator(".file-name");
    await expect(label).toHaveText(name);
    const isCut = await label.evaluate((element) =>
      [element, ...element.children].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1),
    );
    expect([name, isCut]).toEqual([name, false]);
  }
  await row("folder[U+0020]").getByText("folder[U+0020]").click();
  await expect(row("inside.txt")).toBeVisible();
  await expect(frame.getByRole("heading", { level: 1 })).toHaveText("folder[U+0020]");
});
