import { expect, test } from "../element-support";

test("<platform-embed> takes the available width in a parent that shrinks to its content", async ({
  site,
  page,
}) => {
  // The styles of Vite's starter templates.
  await site.open(`<style>
      body { margin: 0; display: flex; place-items: center; }
      #app { max-width: 1280px; margin: 0 auto; padding: 1rem; }
    </style>
    <div id="app"><p>Files</p><platform-embed token-endpoint="/embed-url"></platform-embed></div>`);
  await site.waitForEvent("ready");

  for (const width of [1000, 360]) {
    await page.setViewportSize({ width, height: 700 });
    const box = () => page.locator("platform-embed iframe").boundingBox();
    await expect.poll(async () => (await box())?.width).toBe(width - 32);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
