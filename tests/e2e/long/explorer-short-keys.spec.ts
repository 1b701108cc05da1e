/** The built app with the keys of a role that end after seconds: what an open explorer does goes on across all renewals. */
import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { startObjectStore } from "../../../local/object-store";
import type { StackInfo } from "../../../local/stack-info";
import { startBuiltApp } from "../../support/app/built-app";
import { type CredentialEndpoints, startCredentialEndpoints } from "../../support/cloud/credential-endpoints";
import { makeTestFolder } from "../../support/databases/postgres";
import { test as base, expect, slowDown } from "../explorer-support";
import { bmp } from "../sample-files";

/** milliseconds */
const LIFE = 6_000;

const test = base.extend<object, { keys: CredentialEndpoints; stack: StackInfo }>({
  keys: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures off this pattern
    async ({}, use) => {
      const endpoints = await startCredentialEndpoints();
      endpoints.lifeMs = LIFE;
      await use(endpoints);
      await endpoints.close();
    },
    { scope: "worker" },
  ],
  stack: [
    async ({ keys }, use) => {
      const stack: StackInfo = JSON.parse(process.env.TEST_STACK ?? "null");
      const { region, accessKeyId, secretAccessKey } = stack.objectStore;
      const dataDir = await makeTestFolder();
      const temporaryKeys = keys.keys;
      const store = await startObjectStore({
        port: 0,
        dataDir,
        region,
        accessKeyId,
        secretAccessKey,
        temporaryKeys,
      });
      const withStore = { ...stack, objectStore: { ...stack.objectStore, endpoint: store.endpoint } };
      const role = {
        CLOUD_CREDENTIALS: "default",
        CLOUD_ACCESS_KEY_ID: "",
        CLOUD_SECRET_ACCESS_KEY: "",
        ...keys.environment.container,
      };
      const app = await startBuiltApp(withStore, role);
      const platformBaseUrl = app.env.PLATFORM_BASE_URL ?? "";
      await use({ ...withStore, apiBaseUrl: app.apiBaseUrl, platformBaseUrl });
      await app.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

test.use({
  // A URL whose key has just ended, after which the explorer signs again.
  allowedConsole: [/Failed to load resource: the server responded with a status of (400|403)/],
});

/** Resolves when the keys that sign now have ended, and others have followed. */
async function nextKeys(keys: CredentialEndpoints): Promise<void> {
  const last = Math.max(...[...keys.keys.values()].map(({ expiresAt }) => expiresAt));
  await expect.poll(() => Date.now() > last, { timeout: 3 * LIFE }).toBe(true);
}

test("uploads go on in parts, and files, previews and thumbnails are there", async ({
  integrator,
  keys,
  openExplorer,
  page,
}) => {
  test.setTimeout(120_000);
  await integrator.bucket.put("Map.bmp", bmp(640, 480), "image/bmp");
  await integrator.bucket.put("Notes.txt", "first line", "text/plain");
  const { frame, row } = await openExplorer();
  const thumbnail = (name: string) => row(name).locator("img");
  await expect(thumbnail("Map.bmp")).toBeVisible();
  const before = keys.keys.size;

  // Some three lives of a key: each part is signed by other keys.
  const film = {
    name: "film.bin",
    mimeType: "application/octet-stream",
    buffer: randomBytes(20 * 1024 ** 2),
  };
  await slowDown(page, 1_200_000);
  await frame.locator("input[type=file]").first().setInputFiles(film);
  await expect(frame.getByText("1 upload finished")).toBeVisible({ timeout: 60_000 });
  await slowDown(page, -1);
  expect((await integrator.bucket.get("film.bin"))?.equals(film.buffer)).toBe(true);
  expect(keys.keys.size - before).toBeGreaterThanOrEqual(2);

  await nextKeys(keys);
  const small = { name: "Plan.bmp", mimeType: "image/bmp", buffer: bmp(320, 240) };
  await frame.locator("input[type=file]").first().setInputFiles(small);
  await expect(thumbnail("Plan.bmp")).toBeVisible();

  await nextKeys(keys);
  await row("Notes.txt").locator("[data-name]").click();
  await expect(frame.getByRole("dialog").getByText("first line")).toBeVisible();
  await page.keyboard.press("Escape");

  await nextKeys(keys);
  const started = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download Notes.txt" }).click();
  expect(await readFile(await (await started).path(), "utf8")).toBe("first line");
});

test("a URL whose key ends before the URL is signed again, of an upload and of a preview", async ({
  integrator,
  keys,
  openExplorer,
  page,
  stack,
}) => {
  await integrator.bucket.put("Notes.txt", "first line", "text/plain");
  const { frame, row } = await openExplorer();
  const { token } = await integrator.issue();
  /** Ends the key of a URL, as when somebody revokes a role's sessions. The service has others by then. */
  const endKeyOf = async (url: string) => {
    const [accessKeyId = ""] = (new URL(url).searchParams.get("X-Amz-Credential") ?? "").split("/");
    const before = keys.keys.size;
    await expect
      .poll(async () => {
        await page.request.post(`${stack.platformBaseUrl}/api/embed/storage/list`, {
          data: { token, bucket: integrator.bucket.name },
        });
        return keys.keys.size;
      })
      .toBeGreaterThan(before);
    Object.assign(keys.keys.get(accessKeyId) ?? {}, { expiresAt: 0 });
  };
  const statuses: number[] = [];
  await page.route(`${stack.objectStore.endpoint}/**`, async (route) => {
    const request = route.request();
    if (request.method() === "OPTIONS") return route.continue();
    if (statuses.length === 0) await endKeyOf(request.url());
    const response = await route.fetch();
    statuses.push(response.status());
    await route.fulfill({ response });
  });
  await frame
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "Plan.txt", mimeType: "text/plain", buffer: Buffer.from("a plan") });
  await expect(frame.getByText("1 upload finished")).toBeVisible({ timeout: 30_000 });
  expect(statuses).toEqual([400, 200]);

  statuses.length = 0;
  await row("Notes.txt").locator("[data-name]").click();
  await expect(frame.getByRole("dialog").getByText("first line")).toBeVisible({ timeout: 30_000 });
  expect(statuses.slice(0, 2)).toEqual([400, 200]);
});
