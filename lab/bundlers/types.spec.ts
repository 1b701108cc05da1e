import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { installApp } from "./install-app";

const run = promisify(execFile);

/** The tag in the templates of each framework, checked by the framework's own type checker. Expected errors are marked with `@ts-expect-error`. */
test.describe.configure({ mode: "default", timeout: 240_000 });

let folder = "";
test.beforeAll(async () => {
  folder = await installApp(fileURLToPath(new URL("types", import.meta.url)));
});

const check = (checker: string, ...args: string[]) =>
  run(join(folder, "node_modules/.bin", checker), args, { cwd: folder });

const checkers = {
  "without a framework": ["tsc", "plain"],
  "React 18": ["tsc", "react-18"],
  "React 19": ["tsc", "react-19"],
  "Preact 10": ["tsc", "preact"],
  "Preact 11": ["tsc", "preact-11"],
  Solid: ["tsc", "solid"],
  Vue: ["vue-tsc", "vue"],
} as const;

for (const [name, [checker, project]] of Object.entries(checkers)) {
  test(`types of the tag: ${name}`, async () => {
    await check(checker, "-p", project);
  });
}

const svelteCheck = (project: string) =>
  check("svelte-check", "--workspace", project, "--tsconfig", "./tsconfig.json", "--output", "machine");

test("types of the tag: Svelte", async () => {
  await svelteCheck("svelte");
  // Svelte templates have no `@ts-expect-error`.
  const { stdout } = await svelteCheck("svelte-wrong").catch((failure: { stdout: string }) => failure);
  expect([...stdout.matchAll(/ERROR "App.svelte" (\d+):/g)].map(([, line]) => line)).toEqual([
    ...["6", "7", "8", "9"],
  ]);
});
