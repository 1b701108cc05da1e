import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, textOf } from "./files";

/** Checks that what the `Containerfile` copies and starts exists, because no test builds the image. */
const lines = textOf("Containerfile").split("\n");
const { workspaces, scripts } = JSON.parse(textOf("package.json"));

it("has the manifest of every workspace before it installs: npm leaves out what an absent one needs", () => {
  const before = lines.slice(0, lines.indexOf("RUN npm ci"));
  for (const workspace of workspaces) {
    expect(before).toContain(`COPY ${workspace}/package.json ${workspace}/`);
  }
});

it("copies only what there is, and runs scripts that there are", () => {
  const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? []);
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const run = lines.flatMap((line) => [...line.matchAll(/npm run (\S+)/g)].map(([, name]) => name ?? ""));
  expect(run).toEqual(["build", "assemble"]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(run));
});

it("takes no secret, and nothing built elsewhere, along: Docker reads no file of another name", () => {
  const ignored = textOf(".dockerignore").split("\n");
  expect(ignored).toEqual(expect.arrayContaining([".env", ".env.*", ".local", "**/node_modules", "build"]));
});
