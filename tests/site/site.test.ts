/** The documentation's site as `npm run docs` builds it, in a real browser. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "@playwright/test";
import express from "express";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findViolations } from "../e2e/find-violations";
import { chromiumArgs } from "../support/machine/chromium-args";
import { findChromium } from "../support/machine/find-chromium";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "docs/.vitepress/dist");
const server = createServer(express().use(express.static(dist)));
let browser: Browser;
let origin: string;

beforeAll(async () => {
  const { status, stderr } = spawnSync("npm", ["run", "docs"], { cwd: root, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({ executablePath: findChromium(console.log), args: chromiumArgs });
});
afterAll(async () => {
  await browser?.close();
  server.close();
});

it("shows the API console without a request to another host", async () => {
  const page = await browser.newPage();
  const others: string[] = [];
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(origin) || /^(data|blob):/.test(url)) return route.continue();
    others.push(url);
    return route.abort();
  });
  await page.goto(`${origin}/reference/api.html`);
  await page.getByRole("link", { name: "API console" }).click();
  await page.goto(`${origin}/reference/api-console.html#tag/integrators-backends/POST/api/embed/url`);
  await page.getByRole("heading", { name: "Issue a signed embed URL" }).waitFor();
  // Request and response of the recorded example.
  await expect.poll(() => page.getByText('"/customers/17"').count()).toBeGreaterThan(0);
  await expect
    .poll(() => page.getByText("curl https://api.embed.example.com/api/embed/url").count())
    .toBeGreaterThan(0);
  // Nothing but a server of this site passes requests to an API.
  expect(await page.getByRole("button", { name: /Test Request/ }).count()).toBe(0);
  await page.waitForLoadState("networkidle");
  expect(others).toEqual([]);
});

it("shows the product on its home page: a recording, and other colours by keyboard", async () => {
  const page = await browser.newPage({ colorScheme: "light", reducedMotion: "reduce" });
  const others: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) others.push(request.url());
  });
  await page.goto(origin);
  const demo = page.getByRole("region", { name: "The explorer in your colours" });
  const recording = demo.locator("video");
  expect(await recording.evaluate((video: HTMLVideoElement) => [video.paused, video.controls])).toEqual([
    true,
    true,
  ]);
  await recording.evaluate(async (video: HTMLVideoElement) => {
    await video.play();
    video.pause();
  });
  expect(await findViolations(page)).toEqual([]);

  await demo.getByRole("radio", { name: "blue" }).focus();
  const picture = demo.getByRole("img", { name: "as its colour" });
  for (const name of ["green", "rose", "amber"]) {
    await page.keyboard.press("ArrowRight");
    await picture.and(page.locator(`[src$="/${name}-light.webp"]`)).waitFor();
    expect(await demo.locator("code").innerText()).toMatch(/--platform-embed-accent: #\w{6};/);
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(2240);
  }
  await demo.getByRole("radio", { name: "dark" }).check();
  await demo.locator(`img[src$="/amber-dark.webp"]`).waitFor();
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(await findViolations(page)).toEqual([]);
  await page.waitForLoadState("networkidle");
  expect(others).toEqual([]);
  await page.close();
});

it.each(["light", "dark"] as const)(
  "shows a picture of a phone that can be read on one, in %s",
  async (colorScheme) => {
    const page = await browser.newPage({ colorScheme, viewport: { width: 360, height: 740 } });
    await page.goto(origin);
    const demo = page.getByRole("region", { name: "The explorer in your colours" });
    const picture = demo.getByRole("img", { name: "The explorer on a phone" });
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(720);
    expect(await picture.getAttribute("src")).toContain(`phone-${colorScheme}`);
    // Of the 360 pixels that it was taken at.
    expect((await picture.boundingBox())?.width).toBeGreaterThan(300);
    expect(await demo.locator("video").isVisible()).toBe(false);
    expect(await demo.locator("video").evaluate((video: HTMLVideoElement) => video.paused)).toBe(true);
    expect(await demo.getByRole("radio", { name: "green" }).isVisible()).toBe(false);
    const scrollsSideways = () =>
      [...document.querySelectorAll("main, [role=main], [role=main] *")]
        .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 1)
        .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
        .map((element) => element.outerHTML.slice(0, 200));
    expect(await page.evaluate(scrollsSideways)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  },
);

it.each(["light", "dark"] as const)(
  "plays the recording by itself where motion is welcome, in %s",
  async (colorScheme) => {
    const page = await browser.newPage({ colorScheme, reducedMotion: "no-preference" });
    await page.goto(origin);
    const isPlaying = () =>
      page.locator(".home-demo video").evaluate((video: HTMLVideoElement) => !video.paused);
    await expect.poll(isPlaying).toBe(true);
    await page.close();
  },
);

it("finds guides by everyday words", async () => {
  const page = await browser.newPage();
  await page.goto(origin);
  await page.getByRole("button", { name: "Search" }).first().click();
  const guides = {
    tenant: "customer-folders",
    permissions: "read-only",
    resumable: "large-uploads",
    "React Native": "phone-or-webview",
    "only PDF": "limits",
    "message in our backend when a file was uploaded": "react-to-uploads",
    "webhook endpoint down for two days": "webhooks",
    "user tampers with the path": "customer-folders",
  };
  for (const [question, guide] of Object.entries(guides)) {
    await page.locator("input.search-input").fill(question);
    const first = () =>
      page
        .locator(".results a")
        .evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute("href")));
    await expect
      .poll(first, { message: question })
      .toContainEqual(expect.stringContaining(`/guide/${guide}.html`));
  }
  await page.close();
});

it("has every page as Markdown, and lists them in llms.txt", () => {
  const list = readFileSync(join(dist, "llms.txt"), "utf8");
  expect(list).toMatch(
    /^# Platform Embed\n\n> .+\n\n## Tutorials\n\n- \[Getting started\]\(\/guide\/getting-started\.md\): .+/,
  );
  const [listed = "", optional = ""] = list.split("\n## Optional\n");
  expect(listed).toContain("(/reference/api.md)");
  expect(listed).not.toContain("/decisions/");
  expect(optional).toContain("(/decisions/0001-one-deployment-two-base-urls.md)");
  expect(optional).toContain("(/changelog.md)");
  const pages = [...list.matchAll(/^- \[.+?\]\(\/(.+?)\): (.+)$/gm)].map(([, path = ""]) => path);
  expect(pages.length).toBe(list.match(/^- /gm)?.length);
  for (const path of pages) {
    const markdown = readFileSync(join(dist, path), "utf8");
    expect(existsSync(join(dist, path.replace(/md$/, "html"))), path).toBe(true);
    expect(markdown, path).toMatch(/^# /m);
    expect(markdown, path).not.toMatch(/^<!--@include|^---\n/);
    const inText = markdown.replace(/^```[\s\S]*?^```$|`[^`\n]+`/gm, "");
    for (const [, picture = ""] of inText.matchAll(/ (?:src|srcset)="(?![a-z]+:)([^"]+)"/g))
      expect(existsSync(join(dist, dirname(path), picture)), `${path} shows ${picture}`).toBe(true);
    for (const [, href = ""] of inText.matchAll(/\]\((?!https?:|mailto:|\/|#)([^)#\s]+\.md)/g))
      expect(existsSync(join(dist, dirname(path), href)), `${path} links to ${href}`).toBe(true);
  }
});
