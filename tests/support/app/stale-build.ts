import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What `npm run build` makes, and the folder of its sources. */
const outputs = {
  "build/index.js": "app",
  "build/commands/start.js": "app",
  "public/platform-embed.js": "embed-element",
};

/** Tests, texts and what a build has made are no sources. */
const isSource = (path: string) =>
  /\.(tsx?|css|json)$/.test(path) &&
  !/\.test\.|\.d\.json\.ts$|(^|\/)(dist|node_modules|released)\//.test(path);

/** Tests against an older build than the sources would judge code that is no more. @throws Error that says what to run */
export function refuseStaleBuild(): void {
  for (const [output, folder] of Object.entries(outputs)) {
    if (!existsSync(join(root, output))) throw new Error(`${output} is missing. Run npm run build.`);
    const builtAt = statSync(join(root, output)).mtimeMs;
    const changed = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(isSource)
      .find((path) => statSync(join(root, folder, path)).mtimeMs > builtAt);
    if (changed !== undefined)
      throw new Error(`${folder}/${changed} is newer than ${output}. Run npm run build.`);
  }
}
