import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, pageWith, startIntegrator } from "../e2e/integrator";
import { makeEmbedClient } from "../support/app/embed-client";
import type { Scene } from "./scene";

const everything = ["download", "upload", "organize", "delete"] as const;
const demoFiles = "local/demo-files";

/** An integrator whose bucket holds what the demo's does, with names that are long, and a customer who may do everything. */
export interface Studio {
  stack: StackInfo;
  integrator: Integrator;
  close(): Promise<void>;
}

export async function startStudio(stack: StackInfo): Promise<Studio> {
  const integrator = await startIntegrator(stack);
  const { bucket, origin } = integrator;
  for (const path of readdirSync(demoFiles, { recursive: true, withFileTypes: true })) {
    if (!path.isFile() || path.name === "LICENSE") continue;
    const file = join(path.parentPath, path.name);
    await bucket.put(relative(demoFiles, file), readFileSync(file));
  }
  await bucket.put("Empty folder/", Buffer.alloc(0));
  await bucket.put("Empty.txt", Buffer.alloc(0));
  const deep = "Plans/North America/Regional offices/Canada/Montréal, Québec/Second quarter";
  await bucket.put(
    `${deep}/A name that is longer than most screens are wide, with 東京 and a number 20270401.txt`,
    "x",
  );
  integrator.client = await makeEmbedClient(stack, {
    bucket: bucket.name,
    origins: [origin],
    files: { actions: [...everything] },
  });
  return { stack, integrator, close: () => integrator.close() };
}

interface Look {
  locale: string;
  theme: "light" | "dark";
}

/** Brings the page to the scene's state. */
export async function openScene(
  { stack, integrator }: Studio,
  page: Page,
  scene: Scene,
  { locale, theme }: Look,
): Promise<void> {
  const path = `/${scene.name}.${locale}.${theme}`;
  const attributes = `service="files" token-endpoint="/embed-url" locale="${locale}" theme="${theme}" style="--platform-embed-min-height: 0" ${scene.attributes ?? ""}`;
  integrator.pages.set(
    path,
    pageWith(
      stack,
      scene.body?.(stack, { locale, theme }) ?? `<platform-embed ${attributes}></platform-embed>`,
    ),
  );
  await page.route(`${integrator.origin}/embed-url`, async (route) => {
    if (scene.tokenStatus) return route.fulfill({ status: scene.tokenStatus, json: {} });
    const { actions = everything, folder } = scene;
    const scope = { actions, ...(folder ? { path: folder } : {}) };
    integrator.asks = { scope };
    const { url, expiresAt } = await integrator.issue();
    return route.fulfill({ json: { url, expiresAt, service: "files" } });
  });
  const frame: FrameLocator = page.frameLocator("iframe");
  await scene.before?.(page);
  await page.goto(integrator.origin + path);
  if (scene.until) await frame.locator(scene.until).first().waitFor();
  // The list is on the screen before its scripts are: keys of the browser's (F2, Ctrl, Alt) and chosen files would be lost until then.
  if (scene.act && !scene.body) await page.locator("platform-embed:state(ready)").waitFor();
  await scene.act?.(frame, page);
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => {});
}
