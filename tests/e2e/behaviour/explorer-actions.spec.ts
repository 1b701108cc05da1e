import { droppedFile, expect, test } from "../explorer-support";
import { findViolations } from "../find-violations";

test.describe("an explorer with a token that", () => {
  test("only allows browsing has no other buttons", async ({ integrator, openExplorer, page }) => {
    await integrator.bucket.put("docs/a.txt", "x");
    await integrator.bucket.put("b.txt", "x");
    const { frame, row } = await openExplorer({ scope: { actions: [] } });
    await expect(frame.getByRole("button", { name: "Upload" })).toHaveCount(0);
    await expect(row("b.txt").getByRole("button")).toHaveCount(0);
    await row("b.txt").dblclick();
    await row("b.txt").press("Enter");
    await expect(frame.getByRole("dialog")).toHaveCount(0);
    await expect(frame.getByText("1 selected")).toBeVisible();
    await expect(frame.getByRole("button", { name: "Download" })).toHaveCount(0);

    const data = await droppedFile(frame);
    const target = frame.locator(".explorer");
    await target.dispatchEvent("dragenter", { dataTransfer: data });
    await expect(frame.locator(".drop")).toHaveCount(0);
    await target.dispatchEvent("drop", { dataTransfer: data });
    await expect(frame.getByRole("region", { name: "Uploads" })).toHaveCount(0);
    const violations = await findViolations(page);
    expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);

    await row("docs").dblclick();
    await expect(row("a.txt")).toBeVisible();
  });

  test("only allows browsing says that an empty folder is empty", async ({ openExplorer }) => {
    const { frame } = await openExplorer({ scope: { actions: [] } });
    await expect(frame.getByRole("heading", { name: "This folder is empty" })).toBeVisible();
    await expect(frame.getByRole("button", { name: "Upload" })).toHaveCount(0);
  });

  test("only allows downloads previews files", async ({ integrator, openExplorer }) => {
    await integrator.bucket.put("b.txt", "the text");
    const { frame, row } = await openExplorer({ scope: { actions: ["download"] } });
    await expect(frame.getByRole("button", { name: "Upload" })).toHaveCount(0);
    await row("b.txt").dblclick();
    await expect(frame.getByRole("dialog").getByText("the text")).toBeVisible();
  });

  test("limits uploads says so before anything is sent, and uploads the files that fit", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    const { frame, row } = await openExplorer({
      scope: { limits: { maxFileBytes: 2000, fileTypes: [".txt", "image/*"] } },
    });
    const presigned: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/presign-upload")) presigned.push(request.postDataJSON().fileName);
    });
    const chosen = page.waitForEvent("filechooser");
    await frame.getByRole("button", { name: "Upload" }).first().click();
    await frame.getByRole("menuitem", { name: "Upload files" }).click();
    await (await chosen).setFiles([
      { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(2001) },
      { name: "a.exe", mimeType: "application/octet-stream", buffer: Buffer.from("x") },
      { name: "fits.txt", mimeType: "text/plain", buffer: Buffer.from("x") },
    ]);
    await expect(frame.getByText("Too large: files can have up to 2 kB.")).toBeVisible();
    await expect(frame.getByText("This type may not be uploaded here, only TXT or images.")).toBeVisible();
    await expect(row("fits.txt")).toBeVisible();
    await expect(frame.getByRole("button", { name: /^Retry/ })).toHaveCount(0);
    expect(presigned).toEqual(["fits.txt"]);
    expect(await integrator.bucket.list()).toEqual(["fits.txt"]);
  });
});
