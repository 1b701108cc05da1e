import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, type Page, type Request, test } from "@playwright/test";
import type { PlatformEmbedElement } from "../../embed-element/src";
import type { StackInfo } from "../../local/stack-info";
import { databaseOf, makeEmbedClient } from "../../tests/support/app/embed-client";
import { openBucket } from "../../tests/support/files/bucket";
import { findFreePort } from "../../tests/support/machine/free-port";
import { notInstalled, works } from "../../tests/support/machine/installed";
import { copyApp, installApp } from "./install-app";

const run = promisify(execFile);

/** An app of `examples/`, as its README installs and starts it. `$PORT` stands for a free port. */
interface Starter {
  /** whether its package.json and lockfile list what it needs */
  hasPackages: boolean;
  /** whether it reads `.env` without further packages */
  readsEnvFile: boolean;
  /** the commands that make its production build */
  builds: string[];
  start: string;
  /** the Debian packages that it needs, if they are not installed */
  missing?: string;
  /** pages of the guide's app in `frameworks/` that are built with it, so that they need no build of their own */
  guidePages?: string[];
}

// The first may be another version than Debian's own.
const python = ["python3", "/usr/bin/python3"].find((command) => works(command, "-c", "import flask"));

const npm = { hasPackages: true, readsEnvFile: true, builds: ["npm run build"], start: "npm start" };

const starters: Record<string, Starter> = {
  flask: {
    hasPackages: false,
    readsEnvFile: false,
    builds: [],
    start: `${python} -m flask run --port $PORT`,
    missing: python === undefined ? "python3-flask" : undefined,
  },
  next: { ...npm, start: "npm start -- --port $PORT", guidePages: ["app/tag", "app/buttons"] },
  php: {
    hasPackages: false,
    readsEnvFile: true,
    builds: [],
    start: "php -S 127.0.0.1:$PORT -t public public/index.php",
    missing: works("php", "-r", "exit(extension_loaded('curl') ? 0 : 1);")
      ? undefined
      : "php-cli and php-curl",
  },
  "react-router": { ...npm, builds: ["npm run typecheck", "npm run build"] },
  sveltekit: npm,
  "vite-express": npm,
};

const guideApps = fileURLToPath(new URL("frameworks", import.meta.url));

const stack: StackInfo = JSON.parse(process.env.TEST_STACK ?? "null");

test.afterAll(() => databaseOf(stack).$disconnect());

for (const [name, starter] of Object.entries(starters)) {
  test(`the starter ${name}`, async ({ page }) => {
    test.setTimeout(420_000);
    if (starter.missing) notInstalled(starter.missing)({ skip: (reason) => test.skip(true, reason) });
    const said = watchConsole(page);
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    const { apiKey } = await makeEmbedClient(stack, {
      origins: [origin],
      files: { actions: ["download", "upload", "organize", "delete"] },
    });
    const source = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
    const folder = await (starter.hasPackages ? installApp(source) : copyApp(source));
    for (const path of starter.guidePages ?? [])
      await cp(join(guideApps, name, path), join(folder, path), { recursive: true });
    const settings = await writeSettings(folder, origin, apiKey);
    // Builds have no API key.
    for (const build of starter.builds) await inFolder(folder, build, { NODE_ENV: "production" });
    const serve = async <T>(overrides: Record<string, string>, use: () => Promise<T>): Promise<T> => {
      const env = { ...(starter.readsEnvFile ? {} : settings), ...overrides };
      const server = await startServer(folder, starter.start, port, env);
      try {
        return await Promise.race([waitUntilStarted(origin).then(use), server.crashed]);
      } catch (error) {
        console.error(server.output());
        throw error;
      } finally {
        await server.close();
      }
    };
    const { signIn } = await serve({}, async () => {
      const forms = await useStarter(page, origin, `From ${name}.txt`);
      for (const path of starter.guidePages ?? []) await expectFiles(page, origin + path.replace("app", ""));
      return forms;
    });
    expect(said).toEqual([]);

    // The setting that a production server does not have.
    const { status, cookies } = await serve({ COOKIE_SECURE: "" }, () => send(signIn, ownPage(signIn)));
    expect(status).toBeLessThan(400);
    // `cookie-session` sends no such cookie at all, because this is http.
    expect(cookies.length > 0).toBe(name !== "vite-express");
    for (const cookie of cookies) expect(cookie).toMatch(/; secure/i);
  });
}

/** A page of the guide, for the user who is signed in. */
async function expectFiles(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.locator("platform-embed")).toHaveJSProperty("state", "ready", { timeout: 30_000 });
  await expect(page.frameLocator("iframe").getByRole("row", { name: "Supply contract.docx" })).toBeVisible();
}

/**
 * Signs in as each user, and tries what the user may and may not do. The starters differ only in how they are made.
 * @returns what the page has sent
 */
async function useStarter(page: Page, origin: string, fileName: string): Promise<Forms> {
  const frame = page.frameLocator("platform-embed iframe");
  const embed = page.locator("platform-embed");
  const row = (name: string) => frame.getByRole("row", { name });
  const signIn = async (user: string) => {
    const form = await submit(page, `Sign in as ${user}`);
    await expect(embed).toHaveJSProperty("state", "ready", { timeout: 30_000 });
    return form;
  };

  await page.goto(origin);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(embed).toHaveCount(0);
  expect((await requestToken(page)).status).toBe(401);

  const signInForm = await signIn("Ben");
  await expect(row("Harbour at dusk.png")).toBeVisible();
  await expect(frame.getByRole("button", { name: "Upload" })).toHaveCount(0);
  await expectSafeCookie(page);
  const { token: readOnly = "" } = await requestToken(page);
  expect(await call("list", readOnly, { folderPath: "/Photos" })).toMatchObject({ status: 200 });
  expect(await call("list", readOnly, { folderPath: "/Contracts" })).toMatchObject({ status: 403 });
  const write = { folderPath: "/Photos", fileName, contentType: "text/plain" };
  expect(await call("presign-upload", readOnly, write)).toMatchObject({
    status: 403,
    code: "scope_not_allowed",
  });
  const forms = { signIn: signInForm, signOut: await submit(page, "Sign out") };
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
  expect((await requestToken(page)).status).toBe(401);

  await signIn("Ada");
  await expect(row("Supply contract.docx")).toBeVisible();
  const buffer = Buffer.from("from a starter");
  await frame
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: fileName, mimeType: "text/plain", buffer });
  await expect(row(fileName)).toBeVisible();
  const bucket = openBucket(stack.objectStore, stack.objectStore.bucket);
  await expect.poll(async () => String(await bucket.get(`Contracts/${fileName}`))).toBe("from a starter");
  await page.reload();
  await expect(row(fileName)).toBeVisible();
  await expectFitsPhone(page);
  await expectRefusesOtherSites(forms, await cookieHeader(page, origin));
  await page.reload();
  await expect(row(fileName)).toBeVisible();

  // Her session ends elsewhere: the next token is refused, and the page shows the sign-in.
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await embed.evaluate((element: PlatformEmbedElement) => element.reload());
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await page.context().addCookies(cookies);
  await page.goto(origin);
  await expect(row(fileName)).toBeVisible();

  // Processes remember for up to 5 seconds which tokens are valid.
  const refused = () => call("list", readOnly, { folderPath: "/Photos" });
  await expect.poll(refused, { timeout: 15_000 }).toMatchObject({ status: 401, code: "token_revoked" });
  return forms;
}

async function waitUntilStarted(origin: string): Promise<void> {
  const responds = () =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(responds, { timeout: 60_000 }).toBe(true);
}

/** A request that the page sends when somebody signs in or out. */
interface Form {
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

interface Forms {
  signIn: Form;
  signOut: Form;
}

/** Clicks a button, and returns what the page then sends to its own server. */
async function submit(page: Page, button: string): Promise<Form> {
  const { origin } = new URL(page.url());
  const isForm = (request: Request) =>
    request.method() === "POST" && request.url().startsWith(origin) && !request.url().endsWith("/embed-url");
  const [request] = await Promise.all([
    page.waitForRequest(isForm),
    page.getByRole("button", { name: button }).click(),
  ]);
  const headers = Object.entries(request.headers()).filter(([name]) =>
    /^(accept$|content-type|next-|x-)/.test(name),
  );
  return { url: request.url(), headers: Object.fromEntries(headers), body: request.postData() };
}

const ownPage = ({ url }: Form) => ({ Origin: new URL(url).origin, "Sec-Fetch-Site": "same-origin" });

const otherSites: Record<string, string>[] = [
  { Origin: "https://other.example", "Sec-Fetch-Site": "cross-site" },
  // An older browser.
  { Origin: "https://other.example" },
];

/** Sends a form again. Returns the cookies that a browser would then set or delete. */
async function send({ url, headers, body }: Form, from: Record<string, string>, cookie = "") {
  const init = { method: "POST", headers: { ...headers, ...from, Cookie: cookie }, body };
  const response = await fetch(url, { ...init, redirect: "manual" });
  return { status: response.status, cookies: response.headers.getSetCookie() };
}

/** Only the site's own pages sign a visitor in or out. Browsers send other sites' forms without the cookie, but obey the response. */
async function expectRefusesOtherSites(forms: Forms, cookie: string): Promise<void> {
  for (const from of otherSites)
    for (const withCookie of ["", cookie])
      for (const form of [forms.signIn, forms.signOut].flatMap(alsoWithoutScript)) {
        const { status, cookies } = await send(form, from, withCookie);
        expect({ status, cookies }, form.url).toEqual({ status: expect.any(Number), cookies: [] });
        expect(status, form.url).toBeGreaterThanOrEqual(400);
      }
  for (const signIn of alsoWithoutScript(forms.signIn))
    for (const signOut of alsoWithoutScript(forms.signOut)) {
      const { cookies } = await send(signIn, ownPage(signIn));
      expect(cookies, signIn.url).not.toEqual([]);
      const session = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
      expect((await send(signOut, ownPage(signOut), session)).cookies, signOut.url).not.toEqual([]);
    }
}

/** React Router's script sends forms to an address of its own. Without the script, the browser sends them to the page. */
const alsoWithoutScript = (form: Form): Form[] =>
  form.url.includes(".data") ? [form, { ...form, url: form.url.replace(/(_root)?\.data/, "") }] : [form];

async function cookieHeader(page: Page, origin: string): Promise<string> {
  const cookies = await page.context().cookies(origin);
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/** The token endpoint, as the page calls it. */
async function requestToken(page: Page): Promise<{ status: number; token?: string }> {
  const { status, url } = await page.evaluate(async () => {
    const response = await fetch("/embed-url", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ service: "files", reason: "initial", scope: { path: "/" } }),
    });
    return { status: response.status, url: (await response.json()).url as string | undefined };
  });
  return { status, token: url && (new URL(url).searchParams.get("t") ?? undefined) };
}

/** Calls the platform with an embed token, as the frame does. */
async function call(operation: string, token: string, body: object) {
  const response = await fetch(`${stack.platformBaseUrl}/api/embed/storage/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: stack.platformBaseUrl },
    body: JSON.stringify({ token, bucket: stack.objectStore.bucket, ...body }),
  });
  return { ...((await response.json()) as object), status: response.status };
}

async function expectSafeCookie(page: Page): Promise<void> {
  const cookies = (await page.context().cookies()).filter(({ domain }) => domain === "127.0.0.1");
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });
}

/** At the width of a small phone nothing is cut off, in light and in dark. */
async function expectFitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const frame = await page.locator("iframe").boundingBox();
  expect(frame?.width).toBeGreaterThan(320);
  expect(frame?.height).toBeGreaterThan(480);
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await background()).not.toBe(light);
}

/** Makes `.env` of `.env.example`, as the README says. Returns it. */
async function writeSettings(
  folder: string,
  origin: string,
  apiKey: string,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {
    EMBED_API_BASE_URL: stack.apiBaseUrl,
    EMBED_API_KEY: apiKey,
    EMBED_PLATFORM_BASE_URL: stack.platformBaseUrl,
    SESSION_SECRET: "a-secret-of-this-test-of-more-than-32-bytes",
    ORIGIN: origin,
    PORT: new URL(origin).port,
  };
  const settings: Record<string, string> = {};
  const example = await readFile(join(folder, ".env.example"), "utf8");
  const lines = example.replace(/^(\w+)=(.*)$/gm, (_, name: string, value: string) => {
    settings[name] = values[name] ?? value;
    return `${name}=${settings[name]}`;
  });
  await writeFile(join(folder, ".env"), lines);
  return settings;
}

async function inFolder(folder: string, command: string, env: Record<string, string>): Promise<void> {
  const [program = "", ...args] = command.split(" ");
  await run(program, args, { cwd: folder, env: { ...process.env, ...quiet, ...env } });
}

const quiet = { NEXT_TELEMETRY_DISABLED: "1" };

async function startServer(folder: string, command: string, port: number, settings: Record<string, string>) {
  const [program = "", ...args] = command.replace("$PORT", String(port)).split(" ");
  const server = spawn(program, args, {
    cwd: folder,
    env: {
      ...process.env,
      ...quiet,
      ...settings,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
    },
    stdio: ["ignore", "pipe", "pipe"],
    // npm starts the server in a shell, which does not pass signals on. So all of them are one group.
    detached: true,
  });
  let output = "";
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (text: Buffer) => {
      output += text;
    });
  const ended = once(server, "exit");
  const crashed = ended.then(() => {
    throw new Error("The server has ended.");
  });
  crashed.catch(() => {});
  return {
    output: () => output,
    crashed,
    async close() {
      if (server.exitCode === null && server.pid) process.kill(-server.pid);
      await ended;
    },
  };
}

/** The browser reports the 401s that this test provokes. All else is unexpected. */
function watchConsole(page: Page): string[] {
  const said: string[] = [];
  page.on("console", (message) => {
    const isExpected = message.text().includes("401") && message.location().url.endsWith("/embed-url");
    if (["error", "warning"].includes(message.type()) && !isExpected) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  return said;
}
