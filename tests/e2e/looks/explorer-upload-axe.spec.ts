import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, slowDown, test } from "../explorer-support";
import { test as ownProfileTest } from "../own-profile";
import {
  button,
  chooseAndUnfold,
  failUploads,
  files,
  line,
  PRESIGN,
  title,
  uploads,
  violations,
} from "../upload-support";

test.describe("axe passes", () => {
  test.use({
    allowedConsole: [/Failed to load resource: .*status of 500/],
    viewport: { width: 360, height: 640 },
  });

  for (const theme of ["light", "dark"]) {
    test(`while uploads run, are paused, ask a question, have failed, are cancelled or done, in ${theme}`, async ({
      integrator,
      openExplorer,
      page,
    }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      for (const name of ["a.mp4", "b.mp4"]) await integrator.bucket.put(name, "x");
      const { frame } = await openExplorer({ query: `&theme=${theme}` });
      await slowDown(page, 200_000);
      await chooseAndUnfold(frame, files(1_000_000, "c.mp4", "d.mp4", "e.mp4", "f.mp4"));
      await expect(line(frame, "c.mp4")).toContainText(" of 1 MB");
      expect(await violations(page), "running").toEqual([]);
      await button(frame, "Pause all").click();
      expect(await violations(page), "paused").toEqual([]);
      await button(frame, "Cancel all").click();
      await expect(title(frame, "4 uploads cancelled")).toBeVisible();
      expect(await violations(page), "cancelled").toEqual([]);
      await slowDown(page, -1);
      await failUploads(page);
      await chooseAndUnfold(frame, files(10, "a.mp4", "b.mp4", "g.mp4"));
      await expect(title(frame, "3 uploads need attention")).toBeVisible();
      expect(await violations(page), "conflicts and a failure").toEqual([]);
      await page.unroute(PRESIGN);
      await uploads(frame).getByRole("button", { name: "Keep both", exact: true }).first().click();
      await button(frame, "Retry upload of g.mp4").click();
      await expect(title(frame, "3 uploads finished")).toBeVisible();
      expect(await violations(page), "done").toEqual([]);
    });
  }
});

ownProfileTest("an interrupted upload neither", async ({ openExplorer, page }, testInfo) => {
  const path = testInfo.outputPath("film.mp4");
  writeFileSync(path, randomBytes(20_000_000));
  const first = await openExplorer();
  await slowDown(page, 2_000_000);
  await chooseAndUnfold(first.frame, path);
  await expect(line(first.frame, "film.mp4")).toContainText(/\d\.\d of 20 MB/);
  await button(first.frame, "Pause upload of film.mp4").click();
  await page.goto("about:blank");
  const { frame } = await openExplorer();
  await expect(line(frame, "film.mp4")).toContainText("Interrupted at");
  expect(await violations(page)).toEqual([]);
  await expect(frame.getByRole("status")).toHaveText("1 upload needs attention");
  await button(frame, "Discard the uploaded part of film.mp4").click();
  await expect(uploads(frame)).toHaveCount(0);
});

test("in forced colours, the line of the uploads has an outline", async ({ openExplorer, page }) => {
  const { frame } = await openExplorer();
  await slowDown(page, 200_000);
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  await chooseAndUnfold(frame, files(1_000_000, "a.mp4"));
  const bar = uploads(frame).getByRole("progressbar").first();
  await expect(bar).toHaveCSS("border-top-style", "solid");
});
