/**
 * The last step of `npm run build`: makes each command one plain JavaScript file in `build/commands/`, so that where the server
 * runs there is no need of TypeScript, nor of what builds.
 */
import { rmSync } from "node:fs";
import { build } from "esbuild";
import { scripts } from "../../package.json" with { type: "json" };
import { productionCommands } from "./production-commands";

const outdir = "build/commands";
// Parts of an earlier build have other names.
rmSync(outdir, { recursive: true, force: true });
// Left by `npm run dev`: remix-serve would read the lines of this build's errors by it, and name files that they are not in.
rmSync("build/index.js.map", { force: true });
await build({
  entryPoints: ["app/commands/start.ts", ...productionCommands(scripts).map(({ source }) => source)],
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
