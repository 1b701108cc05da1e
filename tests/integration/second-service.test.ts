/**
 * What another service costs: a stub of `tasks` is put into a copy of the app, as one folder and a line in each of the two halves of the
 * registry. Types are checked and the copy is built, so that nothing else has to change for it.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/built-app";
import { makeEmbedClient, postEmbedUrl } from "../support/embed-client";
import { makeTestFolder } from "../support/postgres";

const stack = inject("stack");
const root = fileURLToPath(new URL("../..", import.meta.url));

const service = `
import { z } from "zod";
import { AppError } from "../../app-error";
import type { EmbedService } from "../../embed/service";

export const tasks: EmbedService<{ board: string }, { boards: string[] }, { board: string; count: number }> = {
  key: "tasks",
  scopeSchema: z.strictObject({ board: z.string() }),
  policySchema: z.object({ boards: z.array(z.string()) }),
  issuesOfPolicy: () => [],
  decideScope(requested, { boards }) {
    if (boards.includes(requested.board)) return requested;
    throw new AppError("scope_not_allowed", "This API key does not reach that board.");
  },
  load: async ({ scope }) => ({ board: scope.board, count: 3 }),
  connectSources: async () => ["https://tasks.example"],
};
`;
const view = `
export const tasksView = {
  title: "Tasks",
  styles: "/build/none.css",
  Component: ({ board, count }: { board: string; count: number }) => <main>{count} tasks on {board}</main>,
};
`;

let folder: string;
let app: BuiltApp;
let typesWithoutView: Promise<unknown>;
beforeAll(async () => {
  folder = await makeTestFolder();
  for (const name of [
    "app",
    "prisma",
    "embed-element/protocol.ts",
    "public",
    "remix.config.js",
    "package.json",
    "tsconfig.json",
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  cpSync(join(root, "build/commands"), join(folder, "build/commands"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

  const tasks = join(folder, "app/services/tasks");
  mkdirSync(tasks);
  writeFileSync(join(tasks, "service.server.ts"), service);
  writeFileSync(join(tasks, "view.tsx"), view);
  replace("app/services/registry.server.ts", "  tasks: null,", "  tasks,");
  replace("app/services/registry.server.ts", /^/, 'import { tasks } from "./tasks/service.server";\n');
  replace("app/services/views.ts", "{ files: filesView }", "{ files: filesView, tasks: tasksView }");
  replace("app/services/views.ts", /^/, 'import { tasksView } from "./tasks/view";\n');
  typesWithoutView = checkTypesWithoutView();
  // It is looked at by the last test.
  typesWithoutView.catch(() => {});
  await run("remix", "build");
  app = await startBuiltApp(stack, {}, folder);
}, 120_000);
afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

function replace(file: string, what: string | RegExp, by: string): void {
  const before = readFileSync(join(folder, file), "utf8");
  const after = before.replace(what, by);
  expect(after, `${what} in ${file}`).not.toBe(before);
  writeFileSync(join(folder, file), after);
}

/** Rejects with what it printed when it fails. */
const run = (...words: string[]) =>
  promisify(execFile)("npx", ["--no-install", ...words], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production" },
  });

/** The service in the server's half of the registry alone; beside the build, because each takes seconds. */
function checkTypesWithoutView(): Promise<unknown> {
  const views = readFileSync(join(folder, "app/services/views.ts"), "utf8");
  const without = views.replace(", tasks: tasksView", "");
  expect(without).not.toBe(views);
  writeFileSync(join(folder, "app/services/views-without-tasks.ts"), without);
  const project = {
    extends: "./tsconfig.json",
    include: ["app/assets.d.ts", "app/services/views-without-tasks.ts"],
    // The import that is left over is not what is asked about.
    compilerOptions: { noUnusedLocals: false },
  };
  writeFileSync(join(folder, "tsconfig.without.json"), JSON.stringify(project));
  return run("tsc", "--project", "tsconfig.without.json");
}

const makeClient = () =>
  makeEmbedClient(stack, {
    services: ["tasks"],
    policies: { tasks: { boards: ["spring"] } },
  });
const issueAt = async (board: string) => {
  const { apiKey } = await makeClient();
  const body = { service: "tasks", scope: { board } };
  return postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, apiKey, body);
};

describe("a second service", () => {
  it("is issued URLs within its own policy, and refused beyond it", async () => {
    expect((await issueAt("spring")).status).toBe(200);
    const refused = await issueAt("autumn");
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "scope_not_allowed" });
  });

  it("refuses a scope that is not its own, naming the member", async () => {
    const { apiKey } = await makeClient();
    const body = { service: "tasks", scope: { bucket: "b" } };
    const response = await postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, apiKey, body);
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain("scope.board");
  });

  it("renders its view with its own content, title and sources, only in a parent on the list", async () => {
    const { url } = await (await issueAt("spring")).json();
    const page = await fetch(url, { headers: { Referer: `${stack.demoClient.origin}/` } });
    expect(page.status, app.output()).toBe(200);
    const html = (await page.text()).replaceAll("<!-- -->", "");
    expect(html).toContain("<main>3 tasks on spring</main>");
    expect(html).toContain("<title>Tasks</title>");
    expect(page.headers.get("Content-Security-Policy")).toContain(
      "connect-src 'self' https://tasks.example;",
    );
    expect((await fetch(url, { headers: { Referer: "https://evil.example/" } })).status).toBe(403);
  });

  it("does not open the storage of files with its tokens", async () => {
    const { url } = await (await issueAt("spring")).json();
    const response = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: new URL(url).searchParams.get("t"), bucket: "b" }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "scope_not_allowed" });
  });

  it("has to have a view once it is enabled: types say so", async () => {
    await expect(typesWithoutView).rejects.toMatchObject({
      stdout: expect.stringContaining("Property 'tasks' is missing"),
    });
  }, 60_000);
});
