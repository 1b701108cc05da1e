/** Packs the element, installs it in a folder outside the repository, and bundles it, as an integrator does. */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** An integrator's code for each entry of the package. Each bundler builds it in production mode. */
export const entries = {
  tag: `import "platform-embed-element";`,
  react: `
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    import { PlatformEmbed } from "platform-embed-element/react";
    addEventListener("DOMContentLoaded", () => {
      const embed = createElement(PlatformEmbed, { service: "files", tokenEndpoint: "/embed-url" });
      createRoot(document.querySelector("#root")).render(embed);
    });`,
  standalone: `import "platform-embed-element/standalone";`,
  protocol: `
    import { parseFrameMessage } from "platform-embed-element/protocol";
    addEventListener("message", ({ data }) => console.log(parseFrameMessage(data)));`,
};

export type Entry = keyof typeof entries;

/**
 * Packs a copy of the package without `dist`, so that `prepack` must build it.
 * @returns the tarball's path, in `folder`
 */
export async function packElement(folder: string): Promise<string> {
  const source = join(folder, "source");
  await cp(join(root, "embed-element"), join(source, "embed-element"), {
    recursive: true,
    filter: (path) => basename(path) !== "dist",
  });
  await cp(join(root, "app/locales"), join(source, "app/locales"), { recursive: true });
  await cp(join(root, "tsconfig.json"), join(source, "tsconfig.json"));
  await symlink(join(root, "node_modules"), join(source, "node_modules"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: join(source, "embed-element") });
  await rm(source, { recursive: true });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (!tarball) throw new Error("npm pack created no tarball.");
  return join(folder, tarball);
}

/** Installs the tarball and `packages` into `folder`, as an integrator's app. */
export async function installElement(folder: string, tarball: string, packages: string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const quietly = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  await run("npm", ["install", tarball, ...packages, ...quietly], { cwd: folder });
}

/** A bundler's command. It runs in a folder with `index.html` and `main.js` and writes to the folder `out`. */
export interface Bundler {
  script: string;
  /** separated by spaces */
  args: string;
}

/** The output of a bundler. */
export interface Bundle {
  /** the script elements of the page, including import maps */
  elements: string;
  /** every script by its path on the app's site */
  scripts: Map<string, string>;
}

/** Builds `entry` in production mode inside `app`, a folder where the package is installed. */
export async function bundle(app: string, entry: Entry, bundler: Bundler): Promise<Bundle> {
  const folder = join(app, `bundle-${crypto.randomUUID()}`);
  await mkdir(folder);
  await writeFile(join(folder, "main.js"), entries[entry]);
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><title>App</title><script type="module" src="./main.js"></script></html>`,
  );
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: "production" };
  await run(bundler.script, bundler.args.split(" "), { cwd: folder, env });
  const out = join(folder, "out");
  const files = await readdir(out, { recursive: true });
  const scripts = new Map<string, string>();
  for (const name of files)
    if (name.endsWith(".js")) scripts.set(`/${name}`, await readFile(join(out, name), "utf8"));
  const page = files.includes("index.html") ? await readFile(join(out, "index.html"), "utf8") : "";
  const elements = page.match(/<script[^>]*>.*?<\/script>/gs) ?? [
    `<script type="module" src="/main.js"></script>`,
  ];
  return { elements: elements.join(""), scripts };
}
