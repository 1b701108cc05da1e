/** What keeps defects out of reach that Remix 2 and its packages will always have. `tests/repository/advisories.json` lists them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";

const stack = inject("stack");
let app: BuiltApp;

beforeAll(async () => {
  app = await startBuiltApp(stack, {});
});
afterAll(() => app?.close());

describe("CVE-2026-34077: nothing of a request is encoded or matched for React Router's own requests", () => {
  it.each([
    "GET /embed/files.data",
    "GET /embed/files.data?_routes=root",
    "POST /embed/files.data",
    "GET /_root.data",
    "GET /api/embed/url.data",
    "GET /__manifest?p=/embed/files&version=1",
    `GET /__manifest?${"p=/a/b/c/d/e/f/g&".repeat(500)}`,
    "GET /embed/files?_data=root",
  ])("%s", async (line) => {
    const [method, path] = line.split(" ");
    const response = await fetch(`${app.ownUrl}${path}`, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  });
});

it("GHSA-337j-9hxr-rhxg, GHSA-49rj-9fvp-4h2h: a page has no state of React Router that a browser would read", async () => {
  const client = await makeEmbedClient(stack);
  const { url } = await issueEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client);
  const shown = await fetch(url, { headers: { Referer: `${stack.demoClient.origin}/` } });
  const refused = await fetch(`${app.ownUrl}/embed/files?t=none`);
  for (const page of [shown, refused]) {
    const html = await page.text();
    expect(html).toContain("<html");
    expect(html).not.toMatch(/__remixContext|__remixManifest|streamController|__reactRouterContext/);
  }
});

it("GHSA-wrjc-x8rr-h8h6: no file imports a link, a form or navigation of React Router", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const imported = files.flatMap((path) => {
    const [, names = ""] =
      /import \{([^}]*)\} from "(?:@remix-run\/react|react-router(?:-dom)?)"/.exec(
        readFileSync(join("app", path), "utf8"),
      ) ?? [];
    return names.split(",").flatMap((name) => name.trim() || []);
  });
  expect([...new Set(imported)].sort()).toEqual(["LiveReload", "RemixServer", "useMatches"]);
});
