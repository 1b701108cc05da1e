import type { FrameLocator, Page } from "@playwright/test";
import type { EventData, FileEventType } from "../../app/events/event";
import { Events } from "../../app/events/events.server";
import type { StackInfo } from "../../local/stack-info";
import { databaseOf } from "../support/app/embed-client";
import { test as base, expect } from "./fixtures";
import { type Integrator, pageWith } from "./integrator";

/** What somebody did. */
export interface Deed {
  /** minutes before now */
  ago: number;
  who: string | null;
  type: FileEventType;
  key: string;
  data?: EventData;
}

interface Fixtures {
  /** Writes events of the integrator's company, oldest last. */
  record: (...deeds: Deed[]) => Promise<void>;
  /** Opens a page with the service `activity`, and returns its frame once it is ready. @param attributes of the tag */
  openActivity: (attributes?: string) => Promise<FrameLocator>;
}

export { expect };

export const test = base.extend<Fixtures>({
  record: async ({ stack, integrator }, use) => {
    await use((...deeds) => recordDeeds(stack, integrator, deeds));
  },

  openActivity: async ({ page, integrator, stack }, use) => {
    await use(async (attributes = "") => {
      const tag = `<platform-embed service="activity" token-endpoint="/embed-url" ${attributes}></platform-embed>`;
      integrator.pages.set("/activity", pageWith(stack, tag));
      await page.goto(`${integrator.origin}/activity`);
      await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
      return page.frameLocator("iframe");
    });
  },
});

/** Writes events of the integrator's company. */
export async function recordDeeds(
  stack: StackInfo,
  { client, bucket }: Integrator,
  deeds: readonly Deed[],
): Promise<void> {
  const events = new Events(databaseOf(stack));
  const { companyId } = await databaseOf(stack).embedClient.findUniqueOrThrow({
    where: { id: client.id },
    select: { companyId: true },
  });
  for (const { ago, who, type, key, data = {} } of deeds) {
    await events.record({
      companyId,
      clientId: client.id,
      visitorId: who === null ? undefined : `id-of-${who}`,
      visitorName: who ?? undefined,
      requestId: "r",
      type,
      bucket: bucket.name,
      key,
      data,
      occurredAt: new Date(Date.now() - ago * 60_000),
    });
  }
}

/** What each line of the list says, without its time. */
export const lines = (frame: FrameLocator): Promise<string[]> =>
  frame.locator(".activity__entry").evaluateAll((entries) =>
    entries.map((entry) => {
      const parts = [".activity__kind", ".activity__name", ".activity__place", ".activity__person"];
      return parts.map((part) => entry.querySelector(part)?.textContent?.trim()).join(" | ");
    }),
  );

/** The CSV that a click downloads. */
export async function downloadCsv(page: Page, frame: FrameLocator): Promise<string> {
  const downloading = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download as CSV" }).click();
  const stream = await (await downloading).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
