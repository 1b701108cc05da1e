/**
 * Shows what another service takes: it adds a stub of `tasks` to a copy of the app, as one folder and one entry in the registry. It checks types
 * and builds the copy to show that nothing else has to change.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { makeEmbedClient, postEmbedUrl } from "../support/app/embed-client";
import { makeTestFolder } from "../support/databases/postgres";
// Its responses are checked against the contract, as in integration tests.
import "../support/vitest/check-contract";

const stack = inject("stack");
const root = fileURLToPath(new URL("../..", import.meta.url));

const service = `
import { z } from "zod";
import { AppError } from "../../shared/app-error";
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
const page = `
import type { EmbedHandle } from "../../embed/hydration";
import type { tasks } from "./service.server";

export { action, headers, loader } from "../../http/embed-page-exports";
export { Board as default };

export const handle: EmbedHandle<typeof tasks> = { View: Board, stylesheet: "/build/none.css" };

function Board({ board, count }: { board: string; count: number }) {
  return <main>{count} tasks on {board}</main>;
}
`;
/** The result of adding only one half of a service. */
const halves = {
  "app/services/notes/service.server.ts": service.replaceAll("tasks", "notes"),
  "app/services/drafts/page.tsx": page.replace("./service.server", "../tasks/service.server"),
};

let folder: string;
let app: BuiltApp;
let changed: Change[];
let types: Promise<{ stdout: string }>;
beforeAll(async () => {
  folder = await makeTestFolder();
  for (const name of [
    "app",
    "prisma",
    "embed-element/protocol.ts",
    "embed-element/doctor",
    "embed-element/shared",
    "public",
    "remix.config.js",
    "package.json",
    "tsconfig.json",
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  cpSync(join(root, "build/commands"), join(folder, "build/commands"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

  write("app/services/tasks/service.server.ts", service);
  write("app/services/tasks/page.tsx", page);
  enable("tasks");
  changed = changesIn("app");

  for (const [path, text] of Object.entries(halves)) write(path, text);
  enable("notes");
  types = checkTypes();
  await run("remix", "build");
  app = await startBuiltApp(stack, {}, folder);
});
afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const REGISTRY = "app/services/registry.server.ts";

function enable(key: string): void {
  const registry = readFileSync(join(folder, REGISTRY), "utf8");
  const listed = registry.replace(" } satisfies", `, ${key} } satisfies`);
  write(REGISTRY, `import { ${key} } from "./${key}/service.server";\n${listed}`);
}

interface Change {
  path: string;
  added: string[];
  removed: string[];
}

/** Returns the differences between the copy and the original, file by file. */
function changesIn(name: string): Change[] {
  const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").split("\n") : []);
  const filesOf = (start: string) =>
    readdirSync(join(start, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(start, join(entry.parentPath, entry.name)));
  return [...new Set([...filesOf(root), ...filesOf(folder)])].flatMap((path) => {
    const [before, after] = [linesOf(join(root, path)), linesOf(join(folder, path))];
    const change = { path, added: without(after, before), removed: without(before, after) };
    return before.join("\n") === after.join("\n") ? [] : [change];
  });
}

/** Removes `others` from `lines`, each as often as it occurs. */
function without(lines: string[], others: string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

/** Rejects with the command's output if it fails. */
const run = (...words: string[]) =>
  promisify(execFile)("npx", ["--no-install", ...words], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production" },
  });

/** Checks the types of the service with its page, and with two pages of other content. It runs in parallel with the build, because each takes
 * seconds. */
function checkTypes(): Promise<{ stdout: string }> {
  const moved = page.replaceAll("../../", "../").replace("./service", "../services/tasks/service");
  write("app/wrong/content.tsx", moved.replace("count: number", "count: string"));
  write("app/wrong/untyped.tsx", moved.replace("EmbedHandle<typeof tasks>", "EmbedHandle"));
  const project = {
    extends: "./tsconfig.json",
    include: ["app/shared/styles.d.ts", "app/shared/remix-env.d.ts", "app/services/tasks", "app/wrong"],
    // The unused import does not matter here.
    compilerOptions: { noUnusedLocals: false },
  };
  write("tsconfig.tasks.json", JSON.stringify(project));
  return run("tsc", "--project", "tsconfig.tasks.json").catch((failure) => failure);
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
  it("is one folder and one entry in the registry", () => {
    const others = changed.filter(({ path }) => !path.startsWith("app/services/tasks/"));
    const entry = (names: string) =>
      `export const services = { ...planned, ${names} } satisfies ServiceRegistry;`;
    expect(others).toEqual([
      {
        path: REGISTRY,
        added: ['import { tasks } from "./tasks/service.server";', entry("files, activity, tasks")],
        removed: [entry("files, activity")],
      },
    ]);
    expect(changed.length - others.length).toBe(2);
  });

  it("has a page whose props are checked against the result of its load", async () => {
    const { stdout } = await types;
    const wrong = new Set(stdout.match(/^\S+(?=\(\d+,\d+\): error)/gm));
    expect([...wrong], stdout).toEqual(["app/wrong/content.tsx", "app/wrong/untyped.tsx"]);
    expect(stdout).toContain("Type 'number' is not assignable to type 'string'");
  });

  it("gets URLs within its own policy, and is refused beyond it", async () => {
    expect((await issueAt("spring")).status).toBe(200);
    const refused = await issueAt("autumn");
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "scope_not_allowed" });
  });

  it("refuses another service's scope and names the member", async () => {
    const { apiKey } = await makeClient();
    const body = { service: "tasks", scope: { bucket: "b" } };
    const response = await postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, apiKey, body);
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain("scope.board");
  });

  it("renders its page with its own content, title and sources, only in an allowed parent", async () => {
    const { url } = await (await issueAt("spring")).json();
    const page = await fetch(url, { headers: { Referer: `${stack.demoClient.origin}/` } });
    expect(page.status, app.output()).toBe(200);
    const html = (await page.text()).replaceAll("<!-- -->", "");
    expect(html).toContain("<main>3 tasks on spring</main>");
    expect(html).toContain("<title>tasks</title>");
    expect(page.headers.get("Content-Security-Policy")).toContain(
      "connect-src 'self' https://tasks.example;",
    );
    expect((await fetch(url, { headers: { Referer: "https://evil.example/" } })).status).toBe(403);
  });

  it("gives its tokens no access to the storage endpoints of files", async () => {
    const { url } = await (await issueAt("spring")).json();
    const response = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: new URL(url).searchParams.get("t"), bucket: "b" }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "scope_not_allowed" });
  });

  it("is reported as not enabled without a page, and as unknown without the line", async () => {
    const open = (key: string) =>
      fetch(`${app.env.PLATFORM_BASE_URL}/embed/${key}?t=x`, {
        headers: { Referer: `${stack.demoClient.origin}/` },
      });
    const withoutPage = await open("notes");
    expect(withoutPage.status).toBe(403);
    expect(await withoutPage.text()).toContain("service_not_enabled");
    expect(app.output()).toContain("app/services/notes/page.tsx is missing");
    const withoutLine = await open("drafts");
    expect(withoutLine.status).toBe(404);
    expect(await withoutLine.text()).toContain("not_found");
  });
});
