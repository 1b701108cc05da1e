import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describeElement, describeInMarkdown } from "../../../embed-element/manifest";
import {
  type Bundler,
  bundle,
  type Entry,
  entries,
  installElement,
  packElement,
} from "../../support/integrator/element-package";
import { expect, test } from "../element-support";
import { expectElement } from "../expect-element";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const element = join(root, "embed-element");
const bin = (name: string) => join(root, "node_modules/.bin", name);

/** Code of an integrator with React and TypeScript. */
const consumer = `
import { StrictMode, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import type { PlatformEmbed as Element } from "platform-embed-element";
import { PlatformEmbed, type TokenRequest, type TokenAnswer } from "platform-embed-element/react";
import { parseFrameMessage } from "platform-embed-element/protocol";
import { createFilesClient, type Change } from "platform-embed-element/client";

parseFrameMessage(null);
const files = createFilesClient({ bucket: "acme", fetchToken: ask });
files.on("changed", ({ change, next }) => console.log(change.items.length, next?.way));
const running = (): readonly Change[] => files.changes.getState().filter(({ status }) => status === "running");

async function ask({ signal, ...body }: TokenRequest): Promise<TokenAnswer> {
  const response = await fetch("/embed-url", { method: "POST", signal, body: JSON.stringify(body) });
  if (!response.ok) throw response;
  return response.json();
}

function App() {
  const [until, setUntil] = useState(0);
  const [shown, setShown] = useState(true);
  const embed = useRef<Element>(null);
  return (
    <>
      <output>until {until}</output>
      <button onClick={() => setShown(false)}>Close</button>
      <button onClick={() => embed.current?.navigate("/a").catch(() => {})}>Open a folder</button>
      <button onClick={() => embed.current?.end()}>Log out</button>
      {shown && (
        <PlatformEmbed
          ref={embed}
          service="files"
          scope={{ bucket: "acme" }}
          theme="dark"
          onEnded={({ detail }) => console.log(detail.service)}
          fetchToken={(request) => ask(request)}
          onReady={({ detail }) => setUntil(detail.expiresAt)}
          onBeforeUpload={({ detail }) => (detail.size > 9 ? detail.refuse("No.") : detail.rename("new"))}
          onUploadProgress={({ detail }) => console.log(detail.sent / detail.size)}
          onUploadComplete={({ detail }) => console.log(detail.checksum?.length)}
          onDownloadComplete={({ detail }) => console.log(detail.files)}
          onChange={({ detail }) => console.log(detail.action, detail.items.length, detail.done)}
        />
      )}
    </>
  );
}

addEventListener("DOMContentLoaded", () => {
  const root = document.querySelector("#root");
  if (root) createRoot(root).render(<StrictMode><App /></StrictMode>);
  document.querySelector("platform-embed")?.addEventListener("platform-embed-error", ({ detail }) => detail.code.length);
});
`;

test.describe("The package", () => {
  test.describe.configure({ mode: "serial", timeout: 120_000 });
  let folder = "";
  let app = "";
  let tarball = "";

  test.beforeAll(async () => {
    // attw uses the npm registry.
    test.setTimeout(120_000);
    folder = await mkdtemp(join(tmpdir(), "platform-embed-element-"));
    app = join(folder, "app");
    tarball = await packElement(folder);
    const types = ["@types/react@18", "@types/react-dom@18"];
    await installElement(app, tarball, ["react@18", "react-dom@18", "@lit/react@1", ...types]);
  });

  test.afterAll(() => rm(folder, { recursive: true, force: true }));

  test("satisfies publint and attw", async () => {
    await run(bin("publint"), [tarball, "--strict"]);
    await run(bin("attw"), [
      tarball,
      "--profile",
      "esm-only",
      "--exclude-entrypoints",
      "standalone",
      "style.css",
    ]);
  });

  test("has a script-tag file of at most 15 kB gzip, with source map and licences", async () => {
    const file = await readFile(join(element, "dist/standalone/platform-embed.js"));
    expect(gzipSync(file, { level: 9 }).length).toBeLessThanOrEqual(15_000);
    const text = file.toString();
    expect(text).toMatch(/^\/\*! platform-embed-element \d[\w.-]+, MIT License/);
    expect(text).toContain("SPDX-License-Identifier: BSD-3-Clause");
    const [, map = ""] = /\/\/# sourceMappingURL=(.+)\n$/.exec(text) ?? [];
    const { sources } = JSON.parse(await readFile(join(element, "dist/standalone", map), "utf8"));
    expect(sources.join()).toContain("embed-frame.ts");
  });

  test("depends on Lit alone, and its modules have source maps", async () => {
    const installed = join(app, "node_modules/platform-embed-element");
    const { dependencies } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect(Object.keys(dependencies)).toEqual(["lit"]);
    const text = await readFile(join(installed, "dist/src/platform-embed.js"), "utf8");
    expect(text).toContain('from "lit"');
    expect(text).toContain("//# sourceMappingURL=platform-embed.js.map");
    const { sourcesContent } = JSON.parse(
      await readFile(join(installed, "dist/src/platform-embed.js.map"), "utf8"),
    );
    expect(sourcesContent).toHaveLength(1);
  });

  test("names its repository, page, place for bugs and versions of Node", async () => {
    const installed = join(app, "node_modules/platform-embed-element/package.json");
    const { repository, homepage, bugs, engines } = JSON.parse(await readFile(installed, "utf8"));
    const address = "https://github.com/platform-embed/platform-embed";
    expect(repository).toEqual({ type: "git", url: `git+${address}.git`, directory: "embed-element" });
    expect([homepage, bugs]).toEqual([`${address}/tree/main/embed-element#readme`, `${address}/issues`]);
    expect(engines).toEqual({ node: expect.stringMatching(/^>=\d+/) });
  });

  test("brings its licence, with that of Lit, and its changelog", async () => {
    const text = (name: string) => readFile(join(app, "node_modules/platform-embed-element", name), "utf8");
    expect(await text("LICENSE")).toMatch(/^MIT License.*Lit.*BSD 3-Clause License.*Google LLC/s);
    const { version } = JSON.parse(await text("package.json"));
    expect(await text("CHANGELOG.md")).toContain(`## ${version}`);
  });

  test("has a README whose tables are those of the doc comments", async () => {
    const readme = await readFile(join(element, "README.md"), "utf8");
    expect(readme, "npm run build:element -- --readme").toContain(
      describeInMarkdown(describeElement().element),
    );
  });

  test("has a manifest with every attribute, event, slot, part and custom property", async () => {
    const { element: described, manifest } = describeElement();
    expect(described.attributes?.map(({ name }) => name)).toEqual([
      ...["service", "scope", "token-endpoint", "src", "path", "filter", "theme", "locale"],
      ...["height", "frame-title", "loading", "picker", "accept"],
    ]);
    expect(described.events).toHaveLength(18);
    expect(described.slots).toHaveLength(3);
    expect(described.members?.filter(({ kind }) => kind === "method").map(({ name }) => name)).toEqual([
      "reload",
      "navigate",
      "end",
      "refreshToken",
    ]);
    const everything = [described.members, described.events, described.slots, described.cssParts];
    for (const { name, description } of [...everything, described.cssProperties].flatMap(
      (list) => list ?? [],
    ))
      expect(description, name).toBeTruthy();
    expect(JSON.parse(await readFile(join(element, "dist/custom-elements.json"), "utf8"))).toEqual(manifest);
  });

  test("imports on a server, type-checks, and mounts once in React's StrictMode", async ({
    site,
    page,
    platform,
  }) => {
    await writeFile(join(app, "app.tsx"), consumer);
    const onServer = `const element = await import("platform-embed-element");
      await import("platform-embed-element/react");
      await import("platform-embed-element/standalone");
      const { createFilesClient } = await import("platform-embed-element/client");
      console.log(typeof element.PlatformEmbed, typeof createFilesClient, typeof HTMLElement);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", onServer], { cwd: app });
    expect(stdout.trim()).toBe("function function undefined");

    const strictly = [
      "--noEmit",
      "--strict",
      "--jsx",
      "react-jsx",
      "--module",
      "nodenext",
      "--target",
      "es2022",
    ];
    await run(bin("tsc"), [...strictly, "app.tsx"], { cwd: app });

    const bundle = await build({
      entryPoints: [join(app, "app.tsx")],
      bundle: true,
      write: false,
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"development"' },
    });
    const body = bundle.outputFiles.map(({ text }) => text).join("");
    await page.route("**/platform-embed.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body }),
    );
    await site.open(`<div id="root"></div>`);
    await expect(page.getByText("until 2000000000")).toBeVisible();
    await site.frameSays({ type: "platform.embed.token-expired", service: "files" });
    await site.waitForEvent("token-refreshed");

    expect(site.asked).toEqual([
      { service: "files", scope: { bucket: "acme" }, reason: "initial" },
      { service: "files", scope: { bucket: "acme" }, reason: "expired" },
    ]);
    expect(platform.requests.map(({ url }) => url.search)).toEqual(["?t=token-1&theme=dark&locale=en"]);
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page.locator("iframe")).toHaveCount(0);
  });

  // `npm run test:bundlers` does the same with more bundlers.
  const viteOfVitest = createRequire(createRequire(import.meta.url).resolve("vitest/package.json")).resolve(
    "vite/package.json",
  );
  const bundlers: Record<string, Bundler> = {
    esbuild: { script: bin("esbuild"), args: "main.js --bundle --minify --outdir=out" },
    Vite: { script: join(viteOfVitest, "../bin/vite.js"), args: "build --outDir out" },
  };
  for (const [name, bundler] of Object.entries(bundlers)) {
    for (const entry of Object.keys(entries) as Entry[]) {
      test(`works in a production build of ${name}: ${entry}`, async ({ site }) => {
        await expectElement(site, entry, await bundle(app, entry, bundler));
      });
    }
  }
});
