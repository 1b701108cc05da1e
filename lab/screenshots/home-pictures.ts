/**
 * The pictures and recordings of the documentation's home page. They are made of single screenshots, so they are the same on a slow
 * machine. Needs FFmpeg.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import {
  accents,
  type HomeTheme,
  type PictureName,
  recordingOf,
  stillOf,
} from "../../docs/.vitepress/home-looks";
import type { StackInfo } from "../../local/stack-info";
import { type Integrator, pageWith, startIntegrator } from "../../tests/e2e/integrator";
import { DEMO_FILES, putDemoFiles } from "./demo-files";
import { openRow } from "./scene";
import { themes } from "./scenes";

const SIZE = { width: 1120, height: 700 };
/** seconds that a picture of a movement lasts */
const STEP = 0.05;

export async function takeHome(stack: StackInfo, browser: Browser): Promise<void> {
  mkdirSync("docs/public/home", { recursive: true });
  const integrator = await startIntegrator(stack);
  try {
    await putDemoFiles(integrator.bucket);
    for (const theme of themes) {
      for (const name of Object.keys(accents) as PictureName[])
        await takeStill(integrator, browser, name, theme);
      await record(integrator, browser, theme);
      await integrator.bucket.remove("Photos/From the phone, 2.jpg");
    }
  } finally {
    await integrator.close();
  }

  async function takeStill(site: Integrator, browser: Browser, name: PictureName, theme: HomeTheme) {
    const page = await open(site, browser, theme, name, 2);
    await openPhotos(page);
    const picture = join(tmpdir(), "home.png");
    await page.screenshot({ path: picture, animations: "disabled" });
    await page.context().close();
    ffmpeg("-i", picture, "-quality", "70", `docs/public${stillOf(name, theme)}`);
    rmSync(picture);
  }

  async function open(
    site: Integrator,
    browser: Browser,
    theme: HomeTheme,
    name: PictureName,
    deviceScaleFactor: number,
  ) {
    const style = `body { margin: 0 } platform-embed { height: 100vh; --platform-embed-accent: ${accents[name]} }`;
    const tag = `<platform-embed token-endpoint="/embed-url"></platform-embed>`;
    site.pages.set("/", pageWith(stack, tag, style));
    const context = await browser.newContext({
      viewport: SIZE,
      deviceScaleFactor,
      colorScheme: theme,
      locale: "en-CA",
      timezoneId: "America/Toronto",
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(site.origin);
    await page.locator("platform-embed:state(ready)").waitFor();
    await page.waitForLoadState("networkidle");
    return page;
  }

  /** A customer opens a folder of photos, looks at one, searches for another, and uploads a file. */
  async function record(site: Integrator, browser: Browser, theme: HomeTheme) {
    const page = await open(site, browser, theme, "blue", 1);
    const frame = frameOf(page);
    const film = new Film(page);
    await film.showPointer();
    await film.hold(1);
    const folder = frame.getByRole("row", { name: "Photos", exact: true }).getByText("Photos");
    await film.pointAt(folder);
    await openPhotos(page, () => folder.click());
    await film.hold(1.2);
    const photo = frame.getByRole("gridcell", { name: "Harbour at dusk.png" }).locator("img");
    await film.pointAt(photo);
    await photo.dblclick();
    await frame.getByRole("dialog").locator("img").first().waitFor();
    await page.waitForLoadState("networkidle");
    await film.hold(2);
    await page.keyboard.press("Escape");
    await film.hold(0.6);
    const search = frame.getByRole("searchbox", { name: "Search" });
    await film.pointAt(search);
    await search.click();
    for (const letter of "quay") {
      await page.keyboard.type(letter);
      await film.hold(0.18);
    }
    await frame.getByRole("gridcell", { name: "Morning at the quay.jpg" }).locator("img").waitFor();
    await film.hold(1.2);
    await page.keyboard.press("Escape");
    await film.hold(0.5);
    await film.pointAt(frame.getByRole("button", { name: "Upload", exact: true }));
    await frame
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        name: "From the phone, 2.jpg",
        mimeType: "image/jpeg",
        buffer: readFileSync(join(DEMO_FILES, "Photos/From the phone.jpg")),
      });
    await film.hold(0.3);
    await frame.getByRole("gridcell", { name: "From the phone, 2.jpg" }).locator("img").waitFor();
    await film.hold(2.5);
    await page.context().close();
    film.save(`docs/public${recordingOf(theme)}`);
  }
}

const frameOf = (page: Page) => page.frameLocator("platform-embed iframe");

async function openPhotos(page: Page, click?: () => Promise<void>): Promise<void> {
  const frame = frameOf(page);
  if (click) await click();
  else await openRow("Photos")(frame);
  await frame.getByRole("button", { name: "Tiles" }).click();
  await frame.locator(".tile img").nth(5).waitFor();
  await page.waitForLoadState("networkidle");
}

/** Screenshots of a page, each with the time that it is shown, and a pointer that is drawn over the page. */
class Film {
  readonly #folder = mkdtempSync(join(tmpdir(), "home-recording-"));
  readonly #list: string[] = [];
  #pointer = { x: SIZE.width * 0.6, y: SIZE.height * 0.8 };

  constructor(private readonly page: Page) {}

  async showPointer(): Promise<void> {
    await this.page.evaluate(() => {
      const pointer = document.createElement("div");
      pointer.id = "pointer";
      pointer.innerHTML = `<svg width="22" height="22" viewBox="0 0 22 22"><path d="M3 2v16l4-4 3 6 3-1.5-3-6h6z" fill="#111" stroke="#fff" stroke-width="1.5"/></svg>`;
      pointer.style.cssText = "position: fixed; left: 0; top: 0; pointer-events: none";
      document.body.append(pointer);
    });
    await this.#move(this.#pointer);
  }

  /** @param seconds how long what is visible now is shown */
  async hold(seconds: number): Promise<void> {
    const path = join(this.#folder, `${this.#list.length}.png`);
    await this.page.screenshot({ path, animations: "disabled" });
    this.#list.push(`file '${path}'\nduration ${seconds}`);
  }

  /** Moves the pointer to the middle of an element, slower at both ends. */
  async pointAt(target: ReturnType<ReturnType<typeof frameOf>["locator"]>): Promise<void> {
    const box = await target.boundingBox();
    if (!box) throw new Error("There is nothing to point at.");
    const from = this.#pointer;
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (let step = 1; step <= 12; step++) {
      const way = (1 - Math.cos((Math.PI * step) / 12)) / 2;
      await this.#move({ x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way });
      await this.hold(STEP);
    }
    await this.hold(0.2);
  }

  async #move(to: { x: number; y: number }): Promise<void> {
    this.#pointer = to;
    await this.page.mouse.move(to.x, to.y);
    await this.page.evaluate(({ x, y }) => {
      const pointer = document.querySelector<HTMLElement>("#pointer");
      if (pointer) pointer.style.translate = `${x - 3}px ${y - 2}px`;
    }, to);
  }

  save(path: string): void {
    const list = join(this.#folder, "list.txt");
    // FFmpeg ignores the last picture's time unless the picture is named again.
    const [last = ""] = this.#list.at(-1)?.split("\n") ?? [];
    writeFileSync(list, [...this.#list, last].join("\n"));
    const picture = ["-vf", "fps=20", "-pix_fmt", "yuv420p"];
    const codec = ["-c:v", "libvpx-vp9", "-crf", "40", "-b:v", "0", "-row-mt", "1"];
    ffmpeg("-f", "concat", "-safe", "0", "-i", list, ...picture, ...codec, "-an", path);
    rmSync(this.#folder, { recursive: true });
  }
}

function ffmpeg(...words: string[]): void {
  execFileSync("ffmpeg", ["-loglevel", "error", "-y", ...words], { stdio: "inherit" });
}
