/**
 * `npm run assemble`: makes a folder with all that a running server needs: the build, the files it serves, the migrations, the packages it
 * loads, and examples for whoever operates it. Copy it to where the server runs, or into an image.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import checkout from "../../package.json" with { type: "json" };
import { productionCommands } from "./production-commands";
import { type CommandDefinition, runAsProcess } from "./run-command";

export const copied = [
  "build",
  "public",
  "prisma/migrations",
  "prisma/schema.prisma",
  "package-lock.json",
  "LICENSE",
  ".env.example",
  // Messages name these documents, which name each other.
  "docs/contract.md",
  "docs/decisions",
  "docs/examples",
  "docs/guide",
  "docs/how-to.md",
  "docs/images",
  "docs/reference",
];
/** Files of packages that are not loaded: type declarations, source maps and documentation. Licences stay. */
const unloaded = /\.(d\.[cm]?ts|map)$|^(readme|changelog|history|contributing)(\.md|\.markdown|\.txt)?$/i;
/** What Remix's compiler tells about a build. It contains the paths of the checkout, and nothing loads it. */
const buildReports = /\bbuild[\\/]metafile\.\w+\.json$/;
/** Prisma's query compilers for other databases than PostgreSQL; each has several megabytes. */
const otherDatabases = /^query_compiler_\w+\.(mysql|sqlite|sqlserver|cockroachdb)\./;

const define: CommandDefinition = (program) =>
  program
    .description(
      "Copies all that a running server needs into one folder. Needs `npm run build` and the npm registry.",
    )
    .option("--out <folder>", "the folder, which is emptied first", "production")
    .action(({ out }: { out: string }) => assemble(resolve(out)));

function assemble(out: string): void {
  if (!existsSync("build/commands/start.js"))
    throw new Error("The app is not built. Run `npm run build` first.");
  const isOurs = existsSync(join(out, "build", "commands", "start.js"));
  if (existsSync(out) && readdirSync(out).length > 0 && !isOurs) {
    throw new Error(`${out} is not empty, and this command did not make it. Name another folder.`);
  }
  try {
    fill(out);
  } catch (error) {
    // Half a server would look like a whole one.
    rmSync(out, { recursive: true, force: true });
    throw error;
  }
}

function fill(out: string): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const path of copied)
    cpSync(path, join(out, path), { recursive: true, filter: (from) => !buildReports.test(from) });
  // Unchanged while npm installs, because npm compares it with the lock file.
  cpSync("package.json", join(out, "package.json"));
  install(out);
  writeFileSync(join(out, "package.json"), `${JSON.stringify(productionManifest(checkout), null, 2)}\n`);
  const kept = prune(join(out, "node_modules"));
  console.log(`${out} is ready. Its node_modules has ${Math.round(kept / 1e6)} MB.`);
  console.log("Run `npm run migrate` there, then `npm start`. Both need only Node.");
}

/** Without peer dependencies: Prisma's are its command line, TypeScript and another database driver, and none of them is loaded. */
function install(folder: string): void {
  const args = [
    "ci",
    "--omit=dev",
    "--omit=peer",
    "--omit=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error("npm could not install the packages; its output is above.");
}

function productionManifest(manifest: typeof checkout): object {
  const commands = productionCommands(manifest.scripts).map(({ script, built }) => [
    script,
    `node build/commands/${built}`,
  ]);
  const { name, version, type, license, engines, dependencies } = manifest;
  return {
    name,
    version,
    private: true,
    type,
    license,
    engines,
    scripts: {
      start: manifest.scripts.start,
      ...Object.fromEntries(commands),
    },
    dependencies,
  };
}

/** Removes files that nothing loads. @returns the bytes that are left */
function prune(folder: string): number {
  let kept = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // Type declarations.
      if (folder.endsWith("node_modules") && entry.name === "@types") rmSync(path, { recursive: true });
      else kept += prune(path);
    } else if (unloaded.test(entry.name) || otherDatabases.test(entry.name)) {
      rmSync(path);
    } else if (entry.isFile()) {
      kept += statSync(path).size;
    }
  }
  return kept;
}

await runAsProcess(import.meta.url, "assemble", define);
