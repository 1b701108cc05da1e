/**
 * `npm run assemble`: puts into one folder what a running server needs and nothing else: the build, the files it serves, the
 * migrations, and the packages it loads. Copy that folder to where it runs, or into an image.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import checkout from "../../package.json" with { type: "json" };
import { productionCommands } from "./production-commands";
import { type CommandDefinition, runAsProcess } from "./run-command";

/** What is copied as it is. */
const parts = ["build", "public", "prisma/migrations", "prisma/schema.prisma", "package-lock.json"];
/** Files of packages that only tools read: type declarations, source maps and prose. Licences stay. */
const forTools = /\.(d\.[cm]?ts|map)$|^(readme|changelog|history|contributing)(\.md|\.markdown|\.txt)?$/i;
/** What Prisma ships for every database beside PostgreSQL; each is several megabytes. */
const otherDatabases = /^query_compiler_\w+\.(mysql|sqlite|sqlserver|cockroachdb)\./;

const define: CommandDefinition = (program) =>
  program
    .description(
      "Puts what a running server needs into one folder. Needs `npm run build`, and the npm registry.",
    )
    .option("--out <folder>", "where to; made anew", "production")
    .action(({ out }: { out: string }) => assemble(resolve(out)));

function assemble(out: string): void {
  if (!existsSync("build/commands/start.js"))
    throw new Error("There is no build yet. Run `npm run build` first.");
  const isOurs = existsSync(join(out, "build", "commands", "start.js"));
  if (existsSync(out) && readdirSync(out).length > 0 && !isOurs) {
    throw new Error(`${out} holds something else. Name a folder that is empty, or that this command made.`);
  }
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const part of parts) cpSync(part, join(out, part), { recursive: true });
  // As it stands, or npm would say that it and the lock do not agree.
  cpSync("package.json", join(out, "package.json"));
  install(out);
  writeFileSync(join(out, "package.json"), `${JSON.stringify(productionManifest(checkout), null, 2)}\n`);
  const kept = prune(join(out, "node_modules"));
  console.log(`${out}: node_modules has ${Math.round(kept / 1e6)} MB.`);
  console.log("Start it there with `npm start`, after `npm run migrate`. It needs Node, and nothing else.");
}

/** No peers: Prisma's would bring its command line, TypeScript and a second database, none of which is loaded. */
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
  if (status !== 0) throw new Error("npm could not install the packages; what it said stands above.");
}

function productionManifest(manifest: typeof checkout): object {
  const commands = productionCommands(manifest.scripts).map(({ script, built, flags }) => [
    script,
    `node ${flags}build/commands/${built}`,
  ]);
  const { name, version, type, license, engines, dependencies } = manifest;
  return {
    name,
    version,
    private: true,
    type,
    license,
    engines,
    scripts: { start: manifest.scripts.start, ...Object.fromEntries(commands) },
    dependencies,
  };
}

/** Removes what nothing loads; returns the bytes that are left. */
function prune(folder: string): number {
  let kept = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // Declarations only.
      if (folder.endsWith("node_modules") && entry.name === "@types") rmSync(path, { recursive: true });
      else kept += prune(path);
    } else if (forTools.test(entry.name) || otherDatabases.test(entry.name)) {
      rmSync(path);
    } else if (entry.isFile()) {
      kept += statSync(path).size;
    }
  }
  return kept;
}

await runAsProcess(import.meta.url, "assemble", define);
