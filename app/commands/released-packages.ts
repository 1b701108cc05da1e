/**
 * The packages of others that are inside a release: their licences, and the bill of materials. They are what the server loads, and what is
 * bundled into scripts for browsers: `devDependencies` that code in `app/` imports. A package that got into a bundle in another way would be
 * missing. The bill is npm's own, without the members that differ in each run.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A package of package-lock.json. */
interface LockedPackage {
  /** if it is installed under another name */
  name?: string;
  version?: string;
  license?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Released {
  /** its folder, such as node_modules/lit */
  path: string;
  name: string;
  version: string;
  license: string;
}

interface Bom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components: { "bom-ref": string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Returns what the server loads, and what is bundled into scripts for browsers. The latter are `devDependencies` that our code imports.
 * All that they depend on is included.
 */
export function findReleasedPackages(): Released[] {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync("package-lock.json", "utf8"),
  );
  const found = new Map<string, Released>();
  function add(name: string, from: string): void {
    const path = findPackage(name, from);
    const {
      name: realName = name,
      version,
      license = "see below",
      link,
      dependencies = {},
    } = packages[path] ?? {};
    // A link is a workspace of ours.
    if (found.has(path) || link || !version) return;
    found.set(path, { path, name: realName, version, license });
    for (const dependency of Object.keys(dependencies)) add(dependency, path);
  }
  /** Node's way of finding a package: in the folder itself, then in each folder above. */
  function findPackage(name: string, from: string): string {
    const path = posix.join(from, "node_modules", name);
    if (packages[path]) return path;
    if (from === "") throw new Error(`package-lock.json has no ${name}.`);
    return findPackage(name, from.slice(0, Math.max(from.lastIndexOf("node_modules/") - 1, 0)));
  }
  const { dependencies = {}, devDependencies = {} } = packages[""] ?? {};
  const code = ourCode();
  const bundled = Object.keys(devDependencies).filter(
    (name) =>
      // The server imports its own build under this name.
      name !== "@remix-run/dev" &&
      code.some((text) => text.includes(`"${name}"`) || text.includes(`"${name}/`)),
  );
  for (const name of [...Object.keys(dependencies), ...bundled]) add(name, "");
  for (const name of Object.keys(packages["embed-element"]?.dependencies ?? {})) add(name, "embed-element");
  // `npm run assemble` removes types.
  const released = [...found.values()].filter(({ name }) => !name.startsWith("@types/"));
  return released.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The sources of what is served and bundled: no tests, and no commands, which bundle nothing. */
function ourCode(): string[] {
  return ["app", "embed-element/src", "embed-element/client"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.startsWith("commands/"))
      .map((path) => readFileSync(join(folder, path), "utf8").replace(/^import type .*$/gm, "")),
  );
}

/** All licences in one text. */
export function describeLicenses(packages: Released[]): string {
  const sections = packages.map(({ path, name, version, license }) => {
    const files = readdirSync(path).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const texts = files.sort().map((file) => readFileSync(join(path, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
  });
  return `${sections.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/**
 * The CycloneDX bill of materials that npm makes of package-lock.json, with these packages only. Two members are left out, because they
 * differ in each run: the optional `serialNumber` and `metadata.timestamp`.
 */
export function describeMaterials(packages: Released[], name: string): string {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const bom: Bom = JSON.parse(execFileSync("npm", args, { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 }));
  delete bom.serialNumber;
  delete bom.metadata.timestamp;
  // npm takes the name of the checkout's folder.
  bom.metadata.component.name = name;
  const released = new Set(packages.map((entry) => `${entry.name}@${entry.version}`));
  bom.components = bom.components.filter((component) => released.has(component["bom-ref"]));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => released.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => released.has(other)) }));
  const missing = [...released].filter((ref) => !bom.components.some((one) => one["bom-ref"] === ref));
  if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(", ")}.`);
  return `${JSON.stringify(bom, null, 2)}\n`;
}
