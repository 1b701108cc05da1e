/** Counts the store's requests for what visitors do, and compares them with the table in the guide on costs. */
import { randomFillSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Intercept } from "../../../local/object-store";
import { openBucket } from "../../support/files/bucket";
import { startFaultyStore } from "../../support/files/faulty-store";
import { writeObjects } from "../../support/files/many-objects";
import { choose as chooseAction, everything, notices } from "../change-support";
import { saved, test as withDownloads } from "../download-support";
import { expect, manyFiles } from "../explorer-support";
import { startIntegrator } from "../integrator";
import { bmp } from "../sample-files";
import { choose } from "../upload-support";

const MB = 1_000_000;
const BUCKET = "counted";
/** US dollars for one request */
const PRICES = { writing: 0.005 / 1_000, reading: 0.0004 / 1_000 };

/** The guide's table: what each action costs in requests, and 1,000 of it in US dollars. */
const guide = new Map(
  [
    ...readFileSync(new URL("../../../docs/guide/costs.md", import.meta.url), "utf8").matchAll(
      /^\| (.+?) \| (\d+) \| (\d+) \| \$([\d.]+) \|$/gm,
    ),
  ].map(([, action = "", writing, reading, price]) => [
    action,
    { writing: Number(writing), reading: Number(reading), price: Number(price) },
  ]),
);
const counted: string[] = [];

/** How Amazon charges for a request; undefined: not at all. */
function chargeFor({ method, key, query }: Parameters<Intercept>[0]): keyof typeof PRICES | undefined {
  if (method === "DELETE" || query.has("delete")) return undefined;
  if (method === "PUT" || method === "POST") return "writing";
  const isList = key === "" && !query.has("versioning");
  return method === "GET" && (isList || query.has("uploadId")) ? "writing" : "reading";
}

const files = (folder: string, count: number) =>
  Object.keys(manyFiles(count, (index) => `${folder}/file-${String(index).padStart(5, "0")}.txt`));

const test = withDownloads.extend<{
  /** Expects that `act` costs what the guide says. What it sends too late is counted with the next action. */
  expectCosts: (action: string, act: () => Promise<unknown>) => Promise<void>;
}>({
  faulty: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
    async ({}, use) => {
      const faulty = await startFaultyStore(JSON.parse(process.env.TEST_STACK ?? "null"), (folder) =>
        writeObjects(
          folder,
          BUCKET,
          [
            ...files("list", 900),
            ...files("tree/below", 10_000),
            ...files("hundred/files", 100),
            ...files("changed/files", 20),
          ],
          () => "x",
        ),
      );
      await use(faulty);
      await faulty.close();
    },
    { scope: "worker" },
  ],
  integrator: async ({ stack }, use) => {
    const integrator = await startIntegrator(stack, openBucket(stack.objectStore, BUCKET));
    await integrator.bucket.keepVersions();
    await use(integrator);
    await integrator.close();
  },
  expectCosts: async ({ faulty }, use) => {
    await use(async (action, act) => {
      const counts = { writing: 0, reading: 0 };
      faulty.intercept = (request) => {
        const charge = chargeFor(request);
        if (charge) counts[charge] += 1;
        return undefined;
      };
      await act();
      const said = guide.get(action);
      await expect.poll(() => counts, action).toEqual({ writing: said?.writing, reading: said?.reading });
      const price = 1_000 * (counts.writing * PRICES.writing + counts.reading * PRICES.reading);
      expect(said?.price, `1,000 times: ${action}`).toBeCloseTo(price, 4);
      counted.push(action);
    });
  },
});

test.describe.configure({ mode: "serial" });

test("browsing, reading and searching cost what the guide says", async ({
  expectCosts,
  integrator,
  openExplorer,
  page,
}) => {
  for (let index = 0; index < 10; index++)
    await integrator.bucket.put(`pictures/${index}.bmp`, bmp(64, 48), "image/bmp");
  await integrator.bucket.put("pictures/a note.txt", "text", "text/plain");
  await expectCosts("Open a folder of 900 files", async () => {
    const { row } = await openExplorer({ scope: { path: "/list" } });
    await expect(row("file-00000.txt")).toBeVisible();
  });
  await expectCosts("Search below a folder with 10,000 files", async () => {
    const { frame } = await openExplorer({ scope: { path: "/tree" } });
    await expect(frame.getByRole("row", { name: "below" })).toBeVisible();
    await frame.getByRole("searchbox", { name: "Search" }).fill("file-07");
    await expect(frame.getByRole("search", { name: "Search progress" })).toContainText("10,000 files.");
  });
  await expectCosts("Open a folder with 10 photos, with their thumbnails", async () => {
    const { frame } = await openExplorer({ scope: { path: "/pictures" } });
    await expect(frame.locator("[data-row] img")).toHaveCount(10);
  });
  const { frame, row } = await openExplorer({ scope: { path: "/pictures" } });
  await expect(frame.locator("[data-row] img")).toHaveCount(10);
  await expectCosts("Preview a file", async () => {
    await row("a note.txt").getByText("a note").click();
    await expect(frame.getByRole("dialog").getByText("text", { exact: true })).toBeVisible();
  });
  await page.keyboard.press("Escape");
  await expectCosts("Download a file", async () => {
    const started = page.waitForEvent("download");
    await frame.getByRole("button", { name: "Download a note.txt" }).click();
    await (await started).path();
  });
});

test("archives and marks of scanned files cost what the guide says", async ({
  expectCosts,
  integrator,
  openExplorer,
  page,
}) => {
  for (let index = 0; index < 10; index++) {
    await integrator.bucket.put(`scanned/${index}.txt`, "text", "text/plain");
    await integrator.bucket.tag(`scanned/${index}.txt`, { scan: "bad" });
  }
  const { frame } = await openExplorer({ scope: { path: "/hundred" } });
  await expectCosts("Download a folder of 100 files as an archive", async () => {
    const started = page.waitForEvent("download");
    await frame.getByRole("button", { name: "Download files" }).click();
    expect(Object.keys(await saved(await started))).toHaveLength(101);
  });
  await expectCosts("Open a folder with 10 files, with the marks of scanned files", async () => {
    const scope = { path: "/scanned", requireTag: { key: "scan", value: "clean" } };
    const { frame } = await openExplorer({ scope });
    await expect(frame.getByText("Blocked", { exact: true })).toHaveCount(10);
  });
});

test("uploads cost what the guide says", async ({ expectCosts, openExplorer, page }, testInfo) => {
  const { frame, row } = await openExplorer({ scope: { path: "/uploads", uploadFolder: "/uploads" } });
  /** Small files are recorded after their upload, which asks the store once more. */
  const upload = async (file: { name: string; mimeType: string; buffer: Buffer }) => {
    const recorded = page.waitForResponse(/\/storage\/uploaded$/);
    await choose(frame, file);
    await recorded;
  };
  // The first upload after a start tries once what the store can do.
  await upload({ name: "first.txt", mimeType: "text/plain", buffer: Buffer.from("first") });
  await expectCosts("Upload a photo of 3 MB", () =>
    upload({ name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.alloc(3 * MB) }),
  );
  const large = testInfo.outputPath("film.mp4");
  writeFileSync(large, randomFillSync(Buffer.alloc(100 * MB)));
  await expectCosts("Upload a film of 100 MB, in parts", async () => {
    await choose(frame, large);
    await expect(row("film.mp4")).toBeVisible({ timeout: 40_000 });
  });
  for (let index = 4; index <= 10; index++)
    await upload({ name: `${index}.txt`, mimeType: "text/plain", buffer: Buffer.from("text") });
  await expectCosts("Open *Recently added* with 10 files, without new thumbnails", async () => {
    await frame.getByRole("button", { name: "More actions in this folder" }).click();
    await frame.getByRole("menuitem", { name: "Recently added" }).click();
    await expect(frame.getByRole("dialog").getByRole("listitem")).toHaveCount(10);
  });
});

test("changes and undo cost what the guide says", async ({ expectCosts, openExplorer, page }) => {
  const explorer = await openExplorer({ scope: { path: "/changed", ...everything } });
  const { frame, row } = explorer;
  await expectCosts("Move or rename a folder of 20 files", async () => {
    await row("files").focus();
    await page.keyboard.press("F2");
    const field = frame.getByRole("grid").getByRole("textbox");
    await field.fill("renamed");
    await field.press("Enter");
    await expect(row("renamed")).toBeVisible();
  });
  await expectCosts("Undo the move", async () => {
    await page.keyboard.press("Control+z");
    await expect(row("files")).toBeVisible();
  });
  await expectCosts("Delete a folder of 20 files, in a bucket with versions", async () => {
    await chooseAction(explorer, "files", "Delete");
    await expect(notices(frame)).toContainText("deleted");
  });
  await expectCosts("Undo the deletion", async () => {
    await page.keyboard.press("Control+z");
    await expect(row("files")).toBeVisible();
  });
});

test("the guide has no action that is not counted", () => {
  expect(counted.sort()).toEqual([...guide.keys()].sort());
});
