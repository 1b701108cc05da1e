/** What is said of a file that cannot be shown, and what helps. */
import { readFile } from "node:fs/promises";
import { strToU8, zipSync } from "fflate";
import { compoundFile } from "../../support/files/compound-file";
import { violations } from "../change-support";
import { expect, inBothThemes, test } from "../explorer-support";
import { PNG, pdf, pdfOf } from "../sample-files";

const sample = (name: string) => readFile(`tests/support/files/unreadable/${name}`);

test("a PDF with a password is opened with it, and a wrong one is told", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("report.pdf", await sample("password.pdf"), "application/pdf");
  await integrator.bucket.put("second.pdf", pdf(1), "application/pdf");
  const explorer = await openExplorer();
  const { frame, row } = explorer;
  await row("report.pdf").dblclick();
  const dialog = frame.getByRole("dialog", { name: "report.pdf" });
  await expect(dialog.getByText(/^This document is protected by a password\./)).toBeVisible();
  await expect(dialog.locator(".preview__note").getByRole("button", { name: "Download" })).toBeVisible();
  const field = dialog.getByLabel("Password");
  await expect(field).toBeFocused();
  await inBothThemes(explorer, async () => expect(await violations(page)).toEqual([]));
  // Nobody has to leave the field to see the other files.
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("dialog", { name: "second.pdf" })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(field).toBeFocused();
  // Letters that are keys of the preview elsewhere.
  await field.pressSequentially("if not");
  await field.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("This password is wrong.");
  await field.fill("open sesame");
  await dialog.getByRole("button", { name: "Open" }).click();
  await expect(dialog.getByText("Quarterly figures")).toBeVisible();
  // It is forgotten with the preview.
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("dialog", { name: "second.pdf" })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(field).toHaveValue("");
  const kept = await frame
    .locator("html")
    .evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toContain("sesame");
});

for (const [name, bytes, text] of [
  ["damaged.pdf", () => sample("damaged.pdf"), /^This file cannot be read\. It may be damaged\./],
  ["cut.pdf", async () => Buffer.from("%PDF-1.4\n1 0 obj\n"), /^This file cannot be read\./],
  ["photo.pdf", async () => Buffer.from("II*\0 TIFF"), /its content is TIFF\. .* program for TIFF\.$/],
  [
    "form.pdf",
    async () => Buffer.from(xfaForm),
    /^This is an XFA form, which only Adobe Acrobat Reader shows\./,
  ],
  [
    "old.xlsx",
    () => sample("old-excel-renamed.xlsx"),
    /format that Excel used until 2003\. .* Excel or LibreOffice\.$/,
  ],
  ["old.docx", async () => Buffer.from(compoundFile(["WordDocument"])), /format that Word used until 2003\./],
  ["report.docx", async () => Buffer.from("{\\rtf1 Report}"), /its content is RTF\./],
  ["letter.doc", async () => Buffer.from(compoundFile([])), /format that Word used until 2003\./],
  ["mail.msg", async () => Buffer.from(compoundFile([])), /^There is no preview of Outlook files\./],
  ["all.rar", async () => Buffer.from("Rar!\x1a\x07\x01\0", "latin1"), /^There is no preview of RAR files\./],
  ["all.zip", async () => Buffer.from("Rar!\x1a\x07\x01\0", "latin1"), /its content is RAR\./],
  ["scan.tif", async () => Buffer.from("II*\0 TIFF"), /^There is no preview of TIFF files\./],
  ["photo.dng", async () => Buffer.from("II*\0 TIFF"), /^There is no preview of DNG files\./],
  ["a.bin", async () => Buffer.from([0, 1, 2, 3, 0, 0, 7]), "There is no preview for this kind of file."],
  [
    "secret.docx",
    async () => Buffer.from(compoundFile(["EncryptedPackage"])),
    /^This file is protected by a password\./,
  ],
  ["secret.ods", () => sample("password.ods"), /^This file is protected by a password\./],
  ["film.mov", () => sample("hevc.mov"), /^This browser finds no picture in this video that it can show\./],
  ["sound.mp4", async () => Buffer.from("no film"), /^This browser cannot play it\./],
  [
    "cut.jpg",
    async () => Buffer.from("\xff\xd8\xff\xe0 JFIF", "latin1"),
    /^This file cannot be read\. It may be damaged\./,
  ],
  ["binary.txt", async () => Buffer.from([0, 1, 2, 3, 0, 0, 7]), "This does not look like text."],
] as const)
  test(`of ${name} is said why it cannot be shown, with a button to download it`, async ({
    integrator,
    openExplorer,
    page,
  }) => {
    await integrator.bucket.put(name, await bytes(), "application/octet-stream");
    const { frame, row } = await openExplorer();
    await row(name).dblclick();
    const dialog = frame.getByRole("dialog");
    await expect(dialog.getByRole("alert")).toHaveText(text);
    await expect(dialog.getByRole("button", { name: "Try again" })).toHaveCount(0);
    const started = page.waitForEvent("download");
    await dialog.locator(".preview__note").getByRole("button", { name: "Download" }).click();
    expect((await started).suggestedFilename()).toBe(name);
  });

test("a file whose name says otherwise, or nothing, is shown as what it is", async ({
  integrator,
  openExplorer,
  page,
}) => {
  const photo = await readFile("local/demo-files/Photos/2026/IMG_0412.heic");
  const workbook = zipSync({ "xl/workbook.xml": strToU8("<workbook/>") });
  await integrator.bucket.put("a.jpg", photo, "image/jpeg");
  await integrator.bucket.put("b.docx", pdf(1), "application/octet-stream");
  await integrator.bucket.put("c", pdf(1), "application/octet-stream");
  await integrator.bucket.put("d.pdf", PNG, "application/pdf");
  await integrator.bucket.put("e.xls", "Name\tSum\nA\t1\nB\t2\n");
  await integrator.bucket.put("f.xlsx", "Name;Sum\nA;1\nB;2\n");
  await integrator.bucket.put("g.eml", "Subject: Invoice\n\nDear Anna,\n");
  await integrator.bucket.put("h.docx", zipSync({ "a/b.txt": strToU8("a") }));
  await integrator.bucket.put("i.docx", workbook);
  const { frame, row } = await openExplorer();
  await row("a.jpg").dblclick();
  const dialog = frame.getByRole("dialog");
  await expect(dialog.getByRole("img", { name: "a.jpg" })).not.toHaveJSProperty("naturalWidth", 0);
  for (const name of ["b.docx", "c"]) {
    await page.keyboard.press("ArrowRight");
    await expect(frame.getByRole("dialog", { name, exact: true }).locator("canvas")).toBeVisible();
  }
  await page.keyboard.press("ArrowRight");
  await expect(dialog.getByRole("img", { name: "d.pdf" })).toHaveJSProperty("naturalWidth", 1);
  for (const name of ["e.xls", "f.xlsx"]) {
    await page.keyboard.press("ArrowRight");
    const table = frame.getByRole("dialog", { name }).getByRole("table");
    await expect(table.getByRole("columnheader")).toHaveText(["Name", "Sum"]);
  }
  await page.keyboard.press("ArrowRight");
  await expect(dialog.locator("pre")).toContainText("Dear Anna");
  await page.keyboard.press("ArrowRight");
  await expect(dialog.getByRole("cell").first()).toHaveText("a/b.txt");
  await page.keyboard.press("ArrowRight");
  // It is read as a workbook, and found damaged as one.
  await expect(dialog.getByRole("alert")).toHaveText(/^This file cannot be read\. It may be damaged\./);
});

test("a photo that only its name calls HEIC is shown, and so is a drawing in Latin-1", async ({
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.heic", PNG, "image/heic");
  const drawing =
    '<?xml version="1.0" encoding="ISO-8859-1"?><svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">Größe</text></svg>';
  await integrator.bucket.put("b.svg", Buffer.from(drawing, "latin1"), "image/svg+xml");
  const { frame, row } = await openExplorer();
  await row("a.heic").dblclick();
  await expect(frame.getByRole("img", { name: "a.heic" })).toHaveJSProperty("naturalWidth", 1);
  await page.keyboard.press("ArrowRight");
  await expect(frame.getByRole("img", { name: "b.svg" })).toHaveJSProperty("naturalWidth", 90);
});

/** Its page is what programs show that do not know XFA. */
const xfaForm = pdfOf([
  "<< /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] /XFA 4 0 R >> >>",
  "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>",
  "<< /Length 17 >>\nstream\n<xdp:xdp></xdp:xd\nendstream",
]);
