import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, textOf } from "./files";

/** Checks that what the `Containerfile` copies and starts exists, because no test builds the image. */
const lines = textOf("Containerfile").split("\n");
const { workspaces, scripts } = JSON.parse(textOf("package.json"));

it("copies the manifest of every workspace before npm ci, which would skip the packages of a missing one", () => {
  const before = lines.slice(0, lines.indexOf("RUN npm ci"));
  for (const workspace of workspaces) {
    expect(before).toContain(`COPY ${workspace}/package.json ${workspace}/`);
  }
});

it("only copies files and runs scripts that exist", () => {
  const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? []);
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const run = lines.flatMap((line) => [...line.matchAll(/npm run (\S+)/g)].map(([, name]) => name ?? ""));
  expect(run).toEqual(["build", "assemble"]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(run));
});

it("excludes secrets and build output in .dockerignore, the only name that Docker reads", () => {
  const ignored = textOf(".dockerignore").split("\n");
  expect(ignored).toEqual(expect.arrayContaining([".env", ".env.*", ".local", "**/node_modules", "build"]));
  // `npm run assemble` copies it.
  expect(ignored.slice(ignored.indexOf(".env.*"))).toContain("!.env.example");
});

it("starts the server as npm start does, also by systemd", () => {
  const command = lines.find((line) => line.startsWith("CMD "))?.slice("CMD ".length) ?? "";
  expect(JSON.parse(command).join(" ")).toBe(scripts.start);
  expect(textOf(join("docs/examples", "platform-embed@.service"))).toMatch(
    `\nExecStart=/usr/bin/${scripts.start}\n`,
  );
});

it.each([
  ["nginx.conf", "replicas"],
  ["platform-embed@.service", "replicas"],
  ["nginx-store.conf", "other-stores"],
])("%s is shown whole in the guide %s", (name, guide) => {
  expect(textOf(`docs/guide/${guide}.md`)).toContain(
    `\n\`\`\`\n${textOf(join("docs/examples", name))}\`\`\`\n`,
  );
});
