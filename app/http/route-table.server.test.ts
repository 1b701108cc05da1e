import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { routeOfFile } from "../../tests/support/app/route-files";
import { declareRoute, isFile, routeOf } from "./route-table.server";

const files = readdirSync(fileURLToPath(new URL("../routes", import.meta.url))).filter(
  (name) => name !== "$.ts" && name !== "_index.ts",
);
for (const file of files) declareRoute(routeOfFile(file));

it.each(files.filter((name) => name.endsWith(".ts")))(
  "%s declares the route that it is named after",
  async (name) => {
    const { contract } = await import(`../routes/${name.replace(/\.ts$/, "")}.ts`);
    expect(contract.route).toBe(routeOfFile(name));
  },
);

describe("a path", () => {
  it.each([
    ["/healthz", "/healthz"],
    ["/embed/files", "/embed/:service"],
    ["/api/cluster/databases/ckx-1", "/api/cluster/databases/:resourceId"],
    ["/api/cluster/databases/%F0%9F%98%80", "/api/cluster/databases/:resourceId"],
  ])("%s matches %s", (path, route) => expect(routeOf(path)).toBe(route));

  it.each([
    "/API/EMBED/URL",
    "/api/embed/url/",
    "/api/embed/%75rl",
    "//api/embed/url",
    "/api//embed/url",
    "/api/embed/./url",
    "/api/embed/url;a=b",
    "/embed/files/",
    "/embed/files.data",
    "/embed/%66iles",
    "/embed/TOKEN%zz",
    "/api/cluster/databases/",
    "/api/cluster/databases/%zz",
    "/api/cluster/databases/a/b",
    "/",
    "",
    "*",
  ])("matches no route in another spelling: %s", (path) => expect(routeOf(path)).toBeUndefined());
});

describe("a file", () => {
  it.each([
    "/build/_shared/chunk-ABC.js",
    "/build/routes/embed.$service-ABC.js",
    "/pdfjs/5.6.205/pdf.min.mjs",
    // Remix names a route's script after its file.
    "/build/routes/embed.$service-7VUJ26SJ.js",
    "/platform-embed.js",
    "/platform-embed@1.0.0.js",
    "/platform-embed@1.0.0.js.map",
    "/platform-embed@1.0.0.languages.js",
    "/platform-embed.json",
    "/platform-embed.css",
    "/embed-downloads/worker.js",
    "/embed-workers/markdown.js",
    "/icon.svg",
    "/robots.txt",
  ])("is at %s", (path) => expect(isFile(path)).toBe(true));
  it.each([
    "/build/../package.json",
    "/build/%2e%2e/x",
    "/build//x",
    "/BUILD/x",
    "/platform-embed.js/",
    "/other.js",
    "/robots.txt/",
    "/embed-downloads/9c1f",
    "/a/icon.svg",
  ])("is not at %s", (path) => expect(isFile(path)).toBe(false));
});
