import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { deploymentEnv } from "../support/app/deployment";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { documentsInMessages } from "../support/app/messages";

const stack = inject("stack");
const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string;

beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), "assembled-")), "production");
  const { status, stderr } = spawnSync("npm", ["run", "assemble", "--", "--out", folder], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
});
afterAll(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

describe("the output of `npm run assemble`", () => {
  it("has at most 150 MB of packages", () => {
    const megabytes = sizeOf(join(folder, "node_modules")) / 1e6;
    console.log(`node_modules of the assembled server: ${Math.round(megabytes)} MB`);
    expect(megabytes).toBeLessThan(150);
  });

  it("has the examples that the guides tell an operator to copy", () => {
    const examples = [
      ".env.example",
      "docs/examples/nginx.conf",
      "docs/examples/nginx-store.conf",
      "docs/examples/platform-embed@.service",
      "docs/examples/monitoring/alerts.yml",
      "docs/examples/monitoring/dashboard.json",
      "docs/examples/monitoring/prometheus.yml",
    ];
    expect(examples.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("has every document that a message names", () => {
    const documents = documentsInMessages();
    expect(documents.length).toBeGreaterThan(3);
    expect(documents.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("has the program of each of its scripts", () => {
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const programs = Object.values<string>(scripts).map(
      (line) => /^node .*?(\S+\.js)$/.exec(line)?.[1] ?? line,
    );
    expect(programs.length).toBeGreaterThan(10);
    expect(programs.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("has one version of PDF.js, that of the lock file", () => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    expect(readdirSync(join(folder, "public/pdfjs"))).toEqual([packages["node_modules/pdfjs-dist"].version]);
  });

  it("runs the doctor, which says what to fix", () => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "doctor", "--", "--json"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...deploymentEnv(stack, stack.postgresUrl), HOME: process.env.HOME, CLOUD_REGION: "us-east-1" },
    });
    expect(stderr).not.toMatch(/Cannot find/);
    expect(status).toBe(1);
    const findings: { status: string }[] = JSON.parse(stdout);
    const wrong = findings.filter((finding) => finding.status === "error");
    expect(wrong).toEqual([
      expect.objectContaining({ remedy: "Set CLOUD_REGION to ca-central-1, the region of the store." }),
    ]);
  });

  it("migrates, responds, shows the explorer, renders Markdown and sends traces on its own", async () => {
    const run = (command: string, ...args: string[]) =>
      spawnSync("npm", ["run", "--silent", command, "--", ...args], {
        cwd: folder,
        encoding: "utf8",
        env: {
          NODE_ENV: "production",
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          POSTGRES_URL: stack.postgresUrl,
        },
      });
    expect(run("migrate", "--status").stdout).toContain("up to date");
    expect(run("client", "list", "--json").status).toBe(0);

    const app = await startBuiltApp(
      stack,
      {
        CLOUD_S3_FORCE_PATH_STYLE: "true",
        METRICS_TOKEN: "a-token-for-the-metrics",
        // Nothing listens there. The test checks that every module that tracing loads is in the folder.
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      },
      folder,
    );
    try {
      const client = await makeEmbedClient(stack);
      const embed = await issueEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client);
      const page = await fetch(embed.url, { headers: { Referer: `${stack.demoClient.origin}/` } });
      expect(page.status).toBe(200);
      const [, script = ""] = /(\/build\/entry\.client-\w+\.js)/.exec(await page.text()) ?? [];
      for (const path of [script, "/platform-embed.js"]) {
        expect((await fetch(app.ownUrl + path)).status).toBe(200);
      }
      const preview = await fetch(`${app.apiBaseUrl}/api/preview-simple-email`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ to: "ada@example.com", title: "Hello", description: "Some **Markdown**" }),
      });
      expect(await preview.text()).toContain("<strong>Markdown</strong>");
      expect(app.output()).not.toMatch(/There are no (metrics|traces)|Cannot find/);
    } finally {
      await app.close();
    }
  });
});

function sizeOf(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const inside = join(path, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(inside) : entry.isFile() ? statSync(inside).size : 0);
  }, 0);
}
