/**
 * `npm run build:commands`, the last step of `npm run build`: bundles each command into one JavaScript file in `build/commands/`, so that
 * production needs neither TypeScript nor tsx.
 */
import { rmSync } from "node:fs";
import { build } from "esbuild";
import { scripts } from "../../package.json" with { type: "json" };
import { productionCommands } from "./production-commands";

const outdir = "build/commands";
rmSync(outdir, { recursive: true, force: true });
// `npm run dev` leaves it behind, and `remix-serve` would look up this build's errors in it.
rmSync("build/index.js.map", { force: true });
await build({
  entryPoints: ["app/commands/start.ts", ...productionCommands(scripts).map(({ source }) => source)],
  entryNames: "[name]",
  outdir,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20.19",
  logLevel: "warning",
});
