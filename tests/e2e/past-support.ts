/** Shared by the tests of deleted files and of folders as they were: buckets with a past. */
import type { FrameLocator } from "@playwright/test";
import { newBucketName, openBucket } from "../support/files/bucket";
import { type WrittenVersion, writeVersions } from "../support/files/many-objects";
import { menuItem } from "./change-support";
import { test as base } from "./explorer-support";
import { startIntegrator } from "./integrator";

interface PastFixtures {
  /** the versions of each key that the integrator's bucket contains from the start: oldest first, one for each day from 2 January 2026 */
  histories: Record<string, WrittenVersion[]>;
}

export const test = base.extend<PastFixtures>({
  histories: [{}, { option: true }],
  integrator: async ({ stack, histories }, use) => {
    const bucket = openBucket(stack.objectStore, newBucketName());
    const folder = process.env.TEST_OBJECTS_FOLDER;
    if (!folder) throw new Error("global-setup.ts has not started the stack.");
    writeVersions(folder, bucket.name, Object.entries(histories));
    await bucket.keepVersions();
    const integrator = await startIntegrator(stack, bucket);
    await use(integrator);
    await integrator.close();
  },
});

/** The bar that says that the past is shown. */
export const bar = (frame: FrameLocator) => frame.getByRole("region", { name: "The past" });

export async function showDeleted(frame: FrameLocator): Promise<void> {
  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await menuItem(frame, "Deleted files").click();
}

export const momentDialog = (frame: FrameLocator) =>
  frame.getByRole("dialog", { name: /^Show an earlier state/ });

/** Opens the dialog for a moment, and goes to January 2026. */
export async function openCalendar(frame: FrameLocator): Promise<void> {
  await frame.getByRole("button", { name: "Deleted files and earlier states" }).click();
  await menuItem(frame, "An earlier state").click();
  const dialog = momentDialog(frame);
  const months = dialog.getByRole("heading", { level: 3 });
  await months.waitFor();
  while ((await months.textContent()) !== "January 2026")
    await dialog.getByRole("button", { name: "Previous month" }).click();
}

/** Shows the open folder as it was at the end of 2 January 2026. */
export async function showSecondOfJanuary(frame: FrameLocator): Promise<void> {
  await openCalendar(frame);
  const dialog = momentDialog(frame);
  await dialog.getByRole("button", { name: /January 2, 2026, something changed/ }).click();
  await dialog.getByRole("radio", { name: /^Since/ }).check();
  await dialog.getByRole("button", { name: "Show" }).click();
  await bar(frame).waitFor();
}
