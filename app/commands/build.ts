/**
 * The last step of `npm run build`: makes each command one plain JavaScript file in `build/commands/`, so that where the server
 * runs there is no need of TypeScript, nor of what builds.
 */
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

/** What is no command itself, or none for where the server runs. */
const others = new Set(["assemble.ts", "build.ts", "read-expiry.ts", "run-command.ts"]);

const commands = readdirSync("app/commands").filter(
  (name) => !others.has(name) && !name.endsWith(".test.ts"),
);
const outdir = "build/commands";
// Parts of an earlier build have other names.
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [...commands.map((name) => `app/commands/${name}`), "prisma/migrate.ts"],
  entryNames: "[name]",
  outdir,
  bundle: true,
  // What a command loads only when it needs it stays a file of its own: in one file its packages would be loaded at once.
  splitting: true,
  chunkNames: "part-[hash]",
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20.19",
  logLevel: "warning",
});
