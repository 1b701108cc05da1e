/** `npm run release` in two folders, each with an installation and a build of its own. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extract } from "tar";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listFiles, root } from "../repository/files";

const parent = mkdtempSync(join(tmpdir(), "release-"));
const checkouts = ["first", "another-name"].map((name) => join(parent, name));
const [first = "", second = ""] = checkouts.map((checkout) => join(checkout, "release"));

beforeAll(() => {
  for (const checkout of checkouts) {
    for (const path of listFiles()) cpSync(join(root, path), join(checkout, path));
    for (const words of [
      ["ci", "--prefer-offline", "--no-audit", "--no-fund"],
      ["run", "build"],
      ["run", "release"],
    ])
      execFileSync("npm", words, { cwd: checkout, stdio: "pipe" });
  }
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const read = (folder: string, ending: string) => {
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(ending));
  return readFileSync(join(folder, file), "utf8");
};

it("makes the same bytes in both", () => {
  expect(read(first, "SHA256SUMS").split("\n")).toHaveLength(5);
  expect(read(second, "SHA256SUMS")).toBe(read(first, "SHA256SUMS"));
  for (const file of readdirSync(first))
    expect(readFileSync(join(second, file)).equals(readFileSync(join(first, file))), file).toBe(true);
});

it("has checksums that sha256sum accepts", () => {
  const checked = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: first, encoding: "utf8" });
  expect(checked.match(/: OK$/gm)).toHaveLength(4);
});

it("lists all packages of the server's folder, with their licences", () => {
  const { components } = JSON.parse(read(first, "sbom.cdx.json")) as { components: { "bom-ref": string }[] };
  const refs = new Set(components.map((component) => component["bom-ref"]));
  const licenses = read(first, "THIRD-PARTY-LICENSES.txt");
  const [archive = ""] = readdirSync(first).filter((name) => name.startsWith("platform-embed-server"));
  extract({ sync: true, file: join(first, archive), cwd: parent });
  const server = join(parent, archive.replace(/\.tgz$/, ""));
  // npm writes which packages it has installed.
  const lock = JSON.parse(readFileSync(join(server, "node_modules/.package-lock.json"), "utf8")) as {
    packages: Record<string, { name?: string; version: string }>;
  };
  const installed = Object.entries(lock.packages).filter(([path]) => !path.includes("@types/"));
  expect(installed.length).toBeGreaterThan(200);
  for (const [path, { name = path.split("node_modules/").at(-1), version }] of installed) {
    expect(refs).toContain(`${name}@${version}`);
    expect(licenses).toContain(`${name} ${version} (`);
  }
  // Those in scripts for browsers, of which the server's folder has no copy.
  for (const name of ["lit", "libheif-js", "pdfjs-dist"])
    expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
});
