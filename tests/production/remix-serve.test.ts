import { spawnSync } from "node:child_process";
import { expect, inject, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";

const stack = inject("stack");

it("the build runs under plain remix-serve: it issues a URL, shows the explorer, and logs no token", async () => {
  const app = await startBuiltApp(stack, {}, undefined, "serve");
  try {
    const client = await makeEmbedClient(stack);
    const embed = await issueEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client);
    const page = await fetch(embed.url, { headers: { Referer: `${stack.demoClient.origin}/` } });
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('role="grid"');
    const [, script = ""] = /(\/build\/entry\.client-\w+\.js)/.exec(html) ?? [];
    for (const path of [script, "/platform-embed.js"]) {
      expect((await fetch(app.ownUrl + path)).status).toBe(200);
    }
    expect(app.output()).toContain('"route":"/embed/:service"');
    expect(app.output()).not.toContain(embed.token);
  } finally {
    await app.close();
  }
});

it.each([
  ["is production", "production"],
  ["is not set", undefined],
])("npm run serve refuses to start if NODE_ENV %s", (_, NODE_ENV) => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", "tsx", "app/commands/serve.ts"], {
    env: { ...process.env, NODE_ENV } as NodeJS.ProcessEnv,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/no production server.+Use npm start\..+--allow-unprotected/);
});
