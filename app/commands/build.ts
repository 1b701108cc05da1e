/**
 * The last step of `npm run build`: makes each command one plain JavaScript file in `build/commands/`, so that where the server
 * runs there is no need of TypeScript, nor of what builds.
 */
import { readdirSync } from "node:fs";
import { build } from "esbuild";

/** What is no command itself, or none for where the server runs. */
const others = new Set(["assemble.ts", "build.ts", "read-expiry.ts", "run-command.ts"]);

const commands = readdirSync("app/commands").filter(
  (name) => !others.has(name) && !name.endsWith(".test.ts"),
);
await build({
  entryPoints: [...commands.map((name) => `app/commands/${name}`), "prisma/migrate.ts"],
  entryNames: "[name]",
  outdir: "build/commands",
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20.19",
  logLevel: "warning",
});
