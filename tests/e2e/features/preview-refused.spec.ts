/** What is said of a file that cannot be shown, and what helps. */
import { readFile } from "node:fs/promises";
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
  [
    "photo.pdf",
    async () => Buffer.from("\xff\xd8\xff\xe0 JFIF", "latin1"),
    /its content is JPEG\. .* program for JPEG\.$/,
  ],
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
  ["report.docx", async () => Buffer.from(pdf(1)), /its content is PDF\./],
  [
    "secret.docx",
    async () => Buffer.from(compoundFile(["EncryptedPackage"])),
    /^This file is protected by a password\./,
  ],
  ["secret.ods", () => sample("password.ods"), /^This file is protected by a password\./],
  ["film.mov", () => sample("hevc.mov"), /^This browser finds no picture in this video that it can show\./],
  ["sound.mp4", async () => Buffer.from("no film"), /^This browser cannot play it\./],
  ["photo.jpg", () => readFile("local/demo-files/Photos/2026/IMG_0412.heic"), /its content is HEIC\./],
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
