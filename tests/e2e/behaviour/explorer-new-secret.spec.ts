import { startBuiltApp } from "../../support/app/built-app";
import { expect, test } from "../fixtures";
import { EMBED_TAG, pageWith, startIntegrator } from "../integrator";

test.describe("When a leaked signing secret is replaced at once, an open explorer", () => {
  // The frame may be loading its other scripts when the server is killed.
  test.use({
    allowedConsole: [/the server responded with a status of 401|net::ERR_CONNECTION_(RESET|REFUSED)/],
  });

  test("gets another token and goes on in its folder", async ({ page, stack }) => {
    const app = await startBuiltApp(stack, {});
    const { apiBaseUrl } = app;
    const deployment = { ...stack, apiBaseUrl, platformBaseUrl: String(app.env.PLATFORM_BASE_URL) };
    const host = await startIntegrator(deployment);
    try {
      host.pages.set("/", pageWith(deployment, EMBED_TAG));
      await host.bucket.put("reports/a.txt", "a");
      await page.goto(host.origin);
      await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready");
      const frame = page.frameLocator("iframe");
      await frame.getByText("reports").dblclick();
      await expect(frame.getByText("a.txt")).toBeVisible();

      app.kill();
      app.env.EMBED_SIGNING_SECRET = "the secret that replaces the one that leaked";
      await app.start();
      await host.bucket.put("reports/b.txt", "b");
      await frame.getByRole("button", { name: "Refresh" }).click();
      await expect(frame.getByText("b.txt")).toBeVisible();
      expect(host.asked).toHaveLength(2);
    } finally {
      await host.close();
      await app.close();
    }
  });
});
