import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { checkTag } from "../../embed-element/doctor/check-tag";
import { readPage } from "../../embed-element/doctor/read-page";
import { PlatformEmbed } from "../../embed-element/src/react";
import { listFiles, root, textOf } from "./files";

/** The guide for each framework shows files of the app that `npm run test:bundlers` builds and opens, so that readers copy tested code. */
const apps: Record<string, string> = {
  angular: "angular",
  astro: "astro",
  next: "next",
  svelte: "sveltekit",
  vue: "nuxt",
};

it.each(Object.entries(apps))("the guide for %s has the files of an app as they are", (name, app) => {
  const page = textOf(`docs/guide/frameworks/${name}.md`);
  const shown = [...page.matchAll(/^`([^`]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)];
  expect(shown.length).toBeGreaterThan(1);
  for (const [, path = "", code] of shown)
    expect(code, path).toBe(textOf(`lab/bundlers/frameworks/${app}/${path}`));
});

it.each(["react", ...Object.keys(apps)])(
  "the guide for %s shows a folder of the demo that has files",
  (name) => {
    const page = textOf(`docs/guide/frameworks/${name}.md`);
    const folders = [...page.matchAll(/path: "\/([^"]+)"/g)].map(([, folder = ""]) => folder);
    expect(folders).not.toEqual([]);
    for (const folder of folders) expect(readdirSync(join(root, "local/demo-files", folder))).not.toEqual([]);
  },
);

it("every sample in a template language is one of the tested files", () => {
  const files = listFiles().filter((path) => existsSync(join(root, path)));
  const run = files
    .filter((path) => /^lab\/bundlers\/frameworks\/.+\.(vue|svelte|astro)$/.test(path))
    .map(textOf);
  const documents = files.filter((path) => /^(README|embed-element\/README|docs\/guide\/.+)\.md$/.test(path));
  const samples = documents.flatMap((path) =>
    [...textOf(path).matchAll(/^```(?:vue|svelte|astro)\n([\s\S]*?)^```$/gm)].map(([, code]) => code),
  );
  expect(samples.length).toBeGreaterThan(2);
  for (const code of samples) expect(run).toContain(code);
});

// Without this line, phones show a page at the width of a desktop, and the frame in it.
it("every page with a head lets phones show it at their own width", () => {
  const pages = listFiles().filter((path) =>
    /^(README|embed-element\/README|docs\/guide\/.+)\.md$|^(tests\/bundlers|examples)\/.+\.(html|php|astro|vue|tsx|ts)$/.test(
      path,
    ),
  );
  const heads = pages
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) =>
      [...textOf(path).matchAll(/<head>[\s\S]*?<\/head>/g)].map(([head]) => ({ path, head })),
    );
  expect(heads.length).toBeGreaterThan(5);
  for (const { path, head } of heads)
    expect(head, path).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />');
});

// `npm run test:bundlers` runs the whole doctor on the pages that each framework's server renders.
it("the doctor accepts the page of the guide for HTML", () => {
  const [, html = ""] =
    /^```html\n(<!doctype html>[\s\S]*?)^```$/m.exec(textOf("docs/guide/frameworks/html.md")) ?? [];
  const page = readPage(html);
  expect(page.embed?.get("token-endpoint")).toBe("/embed-url");
  expect(page.script?.get("src")).toMatch(/platform-embed\.js$/);
  expect(checkTag(page).map(({ status }) => status)).toEqual(["ok"]);
});

it.each(["react", "next"])("the doctor accepts what React's server makes of the guide for %s", (name) => {
  const [, written = ""] = /<PlatformEmbed(.*?)\/>/s.exec(textOf(`docs/guide/frameworks/${name}.md`)) ?? [];
  expect(written).toContain('tokenEndpoint="/embed-url"');
  const texts = Object.fromEntries(
    [...written.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );
  const props = { ...texts, style: { height: 600 }, onReady() {}, onError() {} };
  // In Node the component leaves its properties to the browser. Elsewhere it hands them to React, which writes them.
  for (const component of [PlatformEmbed, "platform-embed"] as const) {
    const page = readPage(renderToString(createElement<object>(component, props)));
    expect(checkTag(page).map(({ status }) => status)).toEqual(["ok"]);
  }
});
