/**
 * `npm run screenshots`: takes pictures of every state of the explorer, in light and dark, at five sizes and in four languages, and
 * of every e-mail in several mail clients. A page shows them side by side for review. It takes about half an hour; options reduce
 * that.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { Command } from "commander";
import { runsScripts } from "../../tests/e2e/find-violations";
import type { TestStack } from "../../tests/support/app/stack";
import { chromiumArgs } from "../../tests/support/machine/chromium-args";
import { findChromium } from "../../tests/support/machine/find-chromium";
import { type Picture, writeContactSheet } from "./contact-sheet";
import type { Scene } from "./scene";
import { locales, type Size, scenes, sizes, themes, zoomedSizes } from "./scenes";
import type { Studio } from "./studio";

const options = new Command("npm run screenshots --")
  .description("Takes pictures of every state. Needs `npm run build`.")
  .option("--out <folder>", "where they go", "screenshots")
  .option(
    "--only <states>",
    "states or pictures by their names, separated by commas; the beginning of a name is enough",
  )
  .option("--locales <tags>", "languages, of all that the product has", locales.join(","))
  .option("--sizes <names>", `of ${[...sizes, ...zoomedSizes].map(({ name }) => name).join(", ")}`)
  .option("--themes <names>", `of ${themes.join(", ")}`)
  .option("--forced-colors", "in the system's colours, as with Windows' contrast themes")
  .option(
    "--faults",
    "also lists what is wrong with each state: axe's rules, sideways scrolling, small targets",
  )
  .option("--readme", "the pictures of README and guides instead, into docs/images")
  .parse()
  .opts<
    Partial<Record<"only" | "sizes" | "themes", string>> &
      Record<"out" | "locales", string> & { forcedColors?: boolean; faults?: boolean; readme?: boolean }
  >();

// After the options: these need the build, and `--help` does not.
const { startTestStack } = await import("../../tests/support/app/stack");
const { takePictures } = await import("./documentation-pictures");
const { takeEmails } = await import("./email-pictures");
const { findFaults } = await import("./find-faults");
const { openScene, startStudio } = await import("./studio");

const chosen = (all: readonly string[], wanted?: string) =>
  wanted === undefined
    ? all
    : all.filter((name) => wanted.split(",").some((start) => name.startsWith(start)));

const isWanted = (state: string) => chosen([state], options.only).length > 0;

/** What there is to take: each state once in each language, theme and size. */
function* shots(): Generator<{ scene: Scene; locale: string; theme: (typeof themes)[number]; size: Size }> {
  const names = chosen(
    scenes.map(({ name }) => name),
    options.only,
  );
  const wanted = options.sizes?.split(",");
  const widths = wanted ? [...sizes, ...zoomedSizes].filter(({ name }) => wanted.includes(name)) : sizes;
  for (const size of widths)
    for (const locale of options.locales.split(","))
      for (const theme of themes.filter((name) => chosen(themes, options.themes).includes(name)))
        for (const scene of scenes.filter(
          ({ name, minWidth = 0 }) => names.includes(name) && size.width >= minWidth,
        ))
          yield { scene, locale, theme, size };
}

const folder = options.out;
const pictures: Picture[] = [];
const stack = await startTestStack();
const browser = await chromium.launch({ executablePath: findChromium(console.log), args: chromiumArgs });
try {
  if (options.readme) await takePictures(stack.info, browser, isWanted);
  else await takeIntoFolder();
} finally {
  await browser.close();
  await stack.close();
}

async function takeIntoFolder(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await takeAll(stack, browser);
    pictures.push(...(await takeEmails(folder, browser, { locales: options.locales.split(","), isWanted })));
  } finally {
    writeContactSheet(folder, pictures);
  }
  const failed = pictures.filter(({ failure }) => failure !== undefined);
  for (const { file, failure } of failed) console.log(`${file}: ${failure}`);
  console.log(
    `${pictures.length - failed.length} pictures, ${failed.length} states that were not reached: ${join(folder, "index.html")}`,
  );
  process.exitCode = failed.length === 0 && pictures.length > 0 ? 0 : 1;
}

async function takeAll(stack: TestStack, browser: Browser): Promise<void> {
  const studio = await startStudio(stack.info);
  const all = [...shots()];
  let taken = 0;
  // Two at a time, because most of the time is spent waiting.
  const lane = async (rest: IterableIterator<(typeof all)[number]>) => {
    for (const shot of rest) {
      pictures.push(await take(studio, browser, shot));
      taken++;
      if (taken % 20 === 0) console.log(`${taken} of ${all.length}`);
    }
  };
  try {
    const rest = all.values();
    await Promise.all([lane(rest), lane(rest)]);
  } finally {
    await studio.close();
  }
}

async function take(
  studio: Studio,
  browser: Browser,
  { scene, locale, theme, size }: { scene: Scene; locale: string; theme: "light" | "dark"; size: Size },
): Promise<Picture> {
  const file = `${scene.name}.${locale}.${theme}.${size.name}.png`;
  const context = await browser.newContext({
    viewport: { width: size.width, height: size.height },
    colorScheme: theme,
    locale,
    timezoneId: "America/Toronto",
    reducedMotion: "reduce",
    forcedColors: options.forcedColors ? "active" : "none",
    hasTouch: size.touch,
    isMobile: size.touch,
  });
  let page: Page | undefined;
  let failure: string | undefined;
  try {
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await openScene(studio, page, scene, { locale, theme });
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => {});
  } catch (error) {
    failure = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
  // A dialog is in the document before it is on the screen.
  for (const frame of page?.frames() ?? [])
    if (await runsScripts(frame).catch(() => false)) await frame.evaluate(untilPainted).catch(() => {});
  // What was reached says most about why the rest was not.
  await page?.screenshot({ path: join(folder, file), animations: "disabled" }).catch(() => {});
  if (page && options.faults && failure === undefined) {
    const faults = await findFaults(page, size.touch === true).catch((error: unknown) => [String(error)]);
    for (const fault of faults) console.log(`${file}: ${fault}`);
  }
  await context.close();
  return { file, state: scene.name, locale, theme, size: size.name, failure };
}

/** A frame that is scrolled out of sight is not painted, so the wait ends. */
function untilPainted(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
    setTimeout(resolve, 300);
  });
}
