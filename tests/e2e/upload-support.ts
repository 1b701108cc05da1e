import { randomBytes } from "node:crypto";
import type { FrameLocator, Page } from "@playwright/test";
import { findViolations } from "./find-violations";

export const PRESIGN = "**/api/embed/storage/presign-upload";

export const files = (size: number, ...names: string[]) =>
  names.map((name) => ({ name, mimeType: "video/mp4", buffer: randomBytes(size) }));

type Chosen = ReturnType<typeof files> | string;
export const choose = (frame: FrameLocator, chosen: Chosen) =>
  frame.locator("input[type=file]").first().setInputFiles(chosen);

export const uploads = (frame: FrameLocator) => frame.getByRole("region", { name: "Uploads" });
export const line = (frame: FrameLocator, name: string) =>
  uploads(frame).getByRole("listitem").filter({ hasText: name });
export const button = (frame: FrameLocator, name: string) => uploads(frame).getByRole("button", { name });
export const title = (frame: FrameLocator, name: string) => frame.getByRole("heading", { name, exact: true });

/** Makes the server refuse uploads. */
export const refuseUploads = (page: Page) =>
  page.route(PRESIGN, (route) =>
    route.fulfill({ status: 403, json: { error: "No.", code: "scope_not_allowed" } }),
  );

/** Returns axe's violations in the frame. */
export async function violations(page: Page): Promise<string[]> {
  const violations = await findViolations(page, { include: "iframe" });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
