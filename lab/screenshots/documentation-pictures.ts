import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { escapeHtml } from "../../app/email/escape-html";
import { themeNames } from "../../app/email/themes";
import { addCatalogueOf } from "../../local/demo-bucket";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, pageWith, startIntegrator } from "../../tests/e2e/integrator";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { query } from "../../tests/support/databases/postgres";
import { simpleEmail } from "../../tests/support/email/sample-emails";
import { putDemoFiles } from "./demo-files";
import { takeHome } from "./home-pictures";
import { openRow } from "./scene";
import { themes } from "./scenes";

const folder = "docs/images";

/**
 * Takes the pictures of README and guides, in light and dark, with two device pixels per CSS pixel. They show the fonts of the machine,
 * which needs some with Japanese characters.
 */
export async function takePictures(
  stack: StackInfo,
  browser: Browser,
  isWanted: (name: string) => boolean,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (isWanted("explorer")) await takeExplorer(stack, browser);
  const pictures = guidePictures.filter(({ name }) => isWanted(name));
  if (pictures.length > 0) await takeGuides(pictures, stack, browser);
  if (isWanted("large-bucket")) await takeLargeBucket(stack, browser);
  if (isWanted("home")) await takeHome(stack, browser);
  if (isWanted("email")) await takeThemes(browser);
}

/** Photos in the demo's portal. */
async function takeExplorer({ demoClient }: StackInfo, browser: Browser): Promise<void> {
  for (const theme of themes) {
    const context = await browser.newContext({
      viewport: { width: 1120, height: 736 },
      deviceScaleFactor: 2,
      colorScheme: theme,
      locale: "en-CA",
      timezoneId: "America/Toronto",
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    const frame = page.frameLocator("platform-embed iframe");
    await page.goto(demoClient.origin);
    await page.locator("platform-embed:state(ready)").waitFor();
    await openRow("Photos")(frame);
    await frame.getByRole("button", { name: "Tiles" }).click();
    await frame.locator(".tile img").nth(5).waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({
      path: join(folder, `explorer-${theme}.jpg`),
      type: "jpeg",
      quality: 85,
      animations: "disabled",
    });
    await context.close();
  }
}

interface GuidePicture {
  name: string;
  width: number;
  height: number;
  /** for the tag, as in HTML */
  attributes?: string;
  style?: string;
  scope?: object;
  isPhone?: boolean;
  /** What to wait for in the frame. Without it, for some photos, and until no request is under way: not where the explorer follows what others change. */
  until?: string;
  /** What to do before the picture is taken. */
  prepare?(page: Page): Promise<unknown>;
}

const frameOf = (page: Page) => page.frameLocator("platform-embed iframe");

/** Photos of the demo as a customer's files, in the settings of a guide. */
const guidePictures: GuidePicture[] = [
  { name: "phone", width: 360, height: 640, isPhone: true },
  {
    name: "brand",
    width: 720,
    height: 380,
    style: "platform-embed { --platform-embed-accent: #0f766e; --platform-embed-radius: 12px }",
    prepare: (page) => frameOf(page).getByRole("checkbox", { name: "Harbour" }).check(),
  },
  { name: "arabic", width: 720, height: 380, attributes: `locale="ar"` },
  {
    name: "limits",
    width: 1000,
    height: 480,
    scope: { limits: { maxFileBytes: 20_000_000, fileTypes: ["image/*", ".pdf"] } },
    async prepare(page) {
      const files = [
        { name: "Site film.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(20_500_000) },
        { name: "setup.exe", mimeType: "application/x-msdownload", buffer: Buffer.alloc(10) },
        { name: "Contract.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(48_000) },
      ];
      await frameOf(page).locator("input[type=file]").first().setInputFiles(files);
      await frameOf(page).getByText("2 uploads need attention").waitFor();
      await frameOf(page).getByText("Uploading 1 file").waitFor({ state: "hidden" });
    },
  },
];

async function takeGuides(pictures: GuidePicture[], stack: StackInfo, browser: Browser): Promise<void> {
  const integrator = await startIntegrator(stack);
  try {
    for (const name of readdirSync(PHOTOS).filter((name) => /\.(png|jpg|svg)$/.test(name)))
      await integrator.bucket.put(`Photos/${name}`, readFileSync(join(PHOTOS, name)));
    await integrator.bucket.put(
      "Photos/2026/Quay.jpg",
      readFileSync(join(PHOTOS, "Morning at the quay.jpg")),
    );
    for (const picture of pictures) {
      for (const theme of themes) {
        await takeGuide(picture, theme, { stack, integrator, browser });
        await integrator.bucket.remove("Photos/Contract.pdf"); // which the picture of limits uploads
      }
    }
  } finally {
    await integrator.close();
  }
}

/** The sizes of folders, the filters of a search, and how full a quota is, by the catalogue of a bucket. */
async function takeLargeBucket(stack: StackInfo, browser: Browser): Promise<void> {
  const app = await startBuiltApp(stack, { CATALOGUE_MAX_LAG_SECONDS: "3600" });
  const { apiBaseUrl } = app;
  const withCatalogue = { ...stack, apiBaseUrl, platformBaseUrl: app.env.PLATFORM_BASE_URL ?? "" };
  const integrator = await startIntegrator(withCatalogue);
  const { bucket } = integrator;
  const picture: GuidePicture = {
    ...{ name: "large-bucket", width: 1000, height: 520, until: ".quota" },
    scope: { path: "/", limits: { maxTotalBytes: 5_000_000_000 } },
    async prepare(page) {
      await frameOf(page).getByText("1.9 GB").waitFor();
      await frameOf(page).getByRole("searchbox", { name: "Search" }).focus();
      await frameOf(page).getByRole("search", { name: "Filters" }).waitFor();
    },
  };
  try {
    await putDemoFiles(bucket);
    await addCatalogueOf(bucket.name, withCatalogue);
    // As if the demo's files were those of a company: nobody uploads gigabytes for a picture.
    await query(
      stack.postgresUrl,
      "UPDATE catalogue_objects SET size = size * 5000 FROM catalogues WHERE catalogue_id = catalogues.id AND bucket = $1",
      [bucket.name],
    );
    for (const theme of themes)
      await takeGuide(picture, theme, { stack: withCatalogue, integrator, browser });
  } finally {
    await integrator.close();
    await app.close();
  }
}

async function takeGuide(
  { name, width, height, attributes = "", style = "", scope, isPhone = false, until, prepare }: GuidePicture,
  theme: (typeof themes)[number],
  { stack, integrator, browser }: { stack: StackInfo; integrator: Integrator; browser: Browser },
): Promise<void> {
  integrator.asks = { scope: { bucket: integrator.bucket.name, path: "/Photos", ...scope } };
  const tag = `<platform-embed token-endpoint="/embed-url" ${attributes}></platform-embed>`;
  integrator.pages.set("/", pageWith(stack, tag, `${FULL_HEIGHT} ${style}`));
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 2,
    hasTouch: isPhone,
    isMobile: isPhone,
    colorScheme: theme,
    locale: "en-CA",
    timezoneId: "America/Toronto",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(integrator.origin);
  await page.locator("platform-embed:state(ready)").waitFor();
  await (until ? frameOf(page).locator(until) : frameOf(page).locator("img").nth(3)).waitFor();
  await prepare?.(page);
  if (until === undefined) await page.waitForLoadState("networkidle");
  await page.screenshot({
    path: join(folder, `${name}-${theme}.jpg`),
    type: "jpeg",
    quality: 68,
    animations: "disabled",
  });
  await context.close();
}

const PHOTOS = "local/demo-files/Photos";
const FULL_HEIGHT = "body { margin: 0 } platform-embed { height: 100vh }";

/** An e-mail in each of the themes, side by side. */
async function takeThemes(browser: Browser): Promise<void> {
  for (const colorScheme of themes) {
    const page = await browser.newPage({
      viewport: { width: 4 * 360 + 5 * 24, height: 760 },
      deviceScaleFactor: 2,
      colorScheme,
    });
    const frames: string[] = [];
    for (const theme of themeNames) {
      const { html } = await simpleEmail({
        title: "Your order has left",
        description: ORDER,
        theme,
        pdf: [INVOICE],
      });
      frames.push(
        `<iframe srcdoc="${escapeHtml(html)}" width="360" height="712" style="border: 0"></iframe>`,
      );
    }
    const ground = colorScheme === "dark" ? "#30363d" : "#d8dee6";
    await page.setContent(
      `<body style="margin: 0; padding: 24px; display: flex; gap: 24px; background: ${ground}">${frames.join("")}`,
    );
    await page.screenshot({
      path: join(folder, `email-${colorScheme}.jpg`),
      type: "jpeg",
      quality: 80,
    });
    await page.close();
  }
}

const INVOICE = "https://files.example/Invoice%201234.pdf";
const ORDER =
  "Hi Ada,\n\nyour **Trail Pack 40** left our warehouse this morning. It should be with you on *Thursday*.\n\n- Order 1234\n- [Follow your parcel](https://x.example)\n\n> Not at home? The driver leaves it with a neighbour.";
