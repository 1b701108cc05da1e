import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { examine } from "../../embed-element/doctor/examine";
import { expect, type ScriptedPlatform, test } from "../../tests/e2e/element-support";
import { findFreePort } from "../../tests/support/machine/free-port";
import { installApp } from "./install-app";

const run = promisify(execFile);

/** An app from the framework's starter, with the tag in its pages and the token endpoint in a route of its server. */
interface Framework {
  /** the commands that make a production build; each build is tested */
  builds: string[];
  /** the command that serves a build at `HOST` and `PORT` */
  start: string;
  pages: string[];
}

const frameworks: Record<string, Framework> = {
  angular: { builds: ["node_modules/.bin/ng build"], start: "dist/app/server/server.mjs", pages: ["/"] },
  astro: { builds: ["node_modules/.bin/astro build"], start: "dist/server/entry.mjs", pages: ["/"] },
  next: {
    // With Turbopack, its pages are built in the starter: starters.spec.ts.
    builds: ["node_modules/.bin/next build --webpack"],
    start: "node_modules/.bin/next start --hostname 127.0.0.1",
    pages: ["/", "/tag", "/buttons"],
  },
  nuxt: { builds: ["node_modules/.bin/nuxt build"], start: ".output/server/index.mjs", pages: ["/"] },
  sveltekit: { builds: ["node_modules/.bin/vite build"], start: "build", pages: ["/"] },
};

for (const [name, { builds, start, pages }] of Object.entries(frameworks)) {
  test(`a production build of ${name}`, async ({ page, platform }) => {
    test.setTimeout(420_000);
    const api = await startApi(platform);
    const port = await findFreePort();
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ASTRO_TELEMETRY_DISABLED: "1",
      NG_CLI_ANALYTICS: "false",
      NEXT_TELEMETRY_DISABLED: "1",
      NUXT_TELEMETRY_DISABLED: "1",
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
    };
    const folder = await installApp(fileURLToPath(new URL(`frameworks/${name}`, import.meta.url)));
    try {
      for (const build of builds) {
        // Builds have no API key.
        await run(process.execPath, build.split(" "), { cwd: folder, env });
        const server = spawn(process.execPath, start.split(" "), {
          cwd: folder,
          env: { ...env, EMBED_API_BASE_URL: api.address, EMBED_API_KEY: "pek_x" },
          stdio: ["ignore", "ignore", "inherit"],
        });
        const ended = once(server, "exit");
        try {
          for (const path of pages) {
            await expectFiles(page, platform, `http://127.0.0.1:${port}${path}`);
            await expectDoctorFindsNothing(`http://127.0.0.1:${port}${path}`);
            if (path !== "/buttons") continue;
            await page.getByRole("button", { name: "Sign out" }).click();
            await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ended");
          }
        } finally {
          server.kill();
          await ended;
        }
      }
    } finally {
      await api.close();
    }
  });
}

/** A stand-in for the platform's API, whose tokens expire after 15 seconds. */
async function startApi(platform: ScriptedPlatform) {
  let issued = 0;
  const server = createServer((_, response) => {
    issued += 1;
    const expiresAt = Math.floor(Date.now() / 1000) + 15;
    const url = `${platform.origin}/embed/files?t=token-${issued}`;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ url, expiresAt, service: "files" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Checks that the server renders the tag, the page hydrates it without console messages, and the frame gets a token and a renewal. */
async function expectFiles(page: Page, platform: ScriptedPlatform, address: string): Promise<void> {
  const said: string[] = [];
  page.removeAllListeners("console");
  page.removeAllListeners("pageerror");
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(error.message));

  const served = () => fetch(address).then((response) => response.text(), String);
  await expect.poll(served, { timeout: 60_000 }).toContain("<platform-embed");
  await page.goto(address);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready", { timeout: 30_000 });
  const frame = page.frames().find((each) => each.url().startsWith(platform.origin));
  if (!frame) throw new Error("There is no frame.");
  await expect(frame.getByRole("heading", { name: "The service" })).toBeVisible();

  const first = new URL(frame.url()).searchParams.get("t");
  await frame.evaluate(() => window.say({ type: "platform.embed.token-expired", service: "files" }));
  const renewed = () =>
    frame.evaluate(() => window.received.filter(({ type }) => type === "platform.embed.token-refreshed"));
  await expect.poll(renewed).toEqual([expect.objectContaining({ token: expect.stringMatching(/^token-/) })]);
  expect((await renewed())[0]).not.toMatchObject({ token: first });
  expect(said).toEqual([]);
}

/**
 * Checks that the doctor finds nothing wrong with the served page, and accepts its endpoint where that is named. The tokens of the scripted
 * platform are none.
 */
async function expectDoctorFindsNothing(address: string): Promise<void> {
  const ask = { page: new URL(address), headers: {}, timeoutMs: 20_000 };
  const findingsOf = async (endpoint?: string) =>
    (await examine({ ...ask, endpoint })).filter(({ check }) => /^(page|endpoint)\./.test(check));
  const errors = (await findingsOf()).filter(({ status }) => status === "error");
  expect(errors.map(({ message }) => message)).toEqual([]);
  const others = (await findingsOf("/embed-url")).filter(({ status }) => status !== "ok");
  expect(others.map(({ message }) => message)).toEqual([]);
}
