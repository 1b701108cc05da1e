import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "@playwright/test";
import { unfold } from "./explorer-support";

export { violations } from "./find-violations";

export const PRESIGN = "**/api/embed/storage/presign-upload";

export const files = (size: number, ...names: string[]) =>
  names.map((name) => ({ name, mimeType: "video/mp4", buffer: randomBytes(size) }));

type Chosen = Parameters<Locator["setInputFiles"]>[0];
export const choose = (frame: FrameLocator, chosen: Chosen) =>
  frame.locator("input[type=file]").first().setInputFiles(chosen);
/** Chooses files, and shows the list of uploads. */
export async function chooseAndUnfold(frame: FrameLocator, chosen: Chosen): Promise<void> {
  await choose(frame, chosen);
  await unfold(frame, "Uploads");
}

export const uploads = (frame: FrameLocator) => frame.getByRole("region", { name: "Uploads" });
export const line = (frame: FrameLocator, name: string) =>
  uploads(frame).getByRole("listitem").filter({ hasText: name });
export const button = (frame: FrameLocator, name: string) => uploads(frame).getByRole("button", { name });
export const title = (frame: FrameLocator, name: string) => frame.getByRole("heading", { name, exact: true });

/** A folder on disk, as a person has it: what is in it by its path, and null for an empty folder. */
export function makeFolder(root: string, contents: Record<string, string | null>): string {
  for (const [path, content] of Object.entries(contents)) {
    const place = join(root, path);
    mkdirSync(content === null ? place : join(place, ".."), { recursive: true });
    if (content !== null) writeFileSync(place, content);
  }
  return root;
}

/** Makes uploads fail in a way that a retry may help against. */
export const failUploads = (page: Page) =>
  page.route(PRESIGN, (route) => route.fulfill({ status: 500, json: { error: "No.", code: "internal" } }));
