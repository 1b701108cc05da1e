/**
 * `npm run test:node -- 22 24`: runs the tests on other versions of Node, which npm installs into a folder outside the
 * repository. Options after the versions are passed to `npm test`; the default is `--only unit,integration`:
 *
 *   npm run test:node -- 22 24
 *   npm run test:node -- 24.1.0 --only types,unit
 *
 * Needs `npm run build`, as those steps do. The last line of the output counts the tests of all versions.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith("-"));
const versions = firstOption === -1 ? args : args.slice(0, firstOption);
const options = firstOption === -1 ? ["--only", "unit,integration"] : args.slice(firstOption);
if (versions.length === 0) {
  console.error("Pass at least one version: npm run test:node -- 22 24");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "platform-embed-node-"));
const count = { passed: 0, failed: 0 };
const failedVersions: string[] = [];
for (const version of versions) if (!(await passesOn(version))) failedVersions.push(version);
rmSync(folder, { recursive: true, force: true });

if (failedVersions.length > 0) console.error(`\nFailed on Node ${failedVersions.join(", ")}.`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(failedVersions.length > 0 ? 1 : 0);

/** Runs the tests on one version and adds their counts to the total. */
async function passesOn(version: string): Promise<boolean> {
  const programs = installNode(version);
  if (programs === null) return false;
  const env = { ...process.env, PATH: [programs, process.env.PATH].join(delimiter) };
  console.log(`\n==== Node ${spawnSync("node", ["--version"], { env, encoding: "utf8" }).stdout.trim()}`);
  const tests = spawn("npm", ["test", "--", ...options], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  tests.stdout.on("data", (chunk: Buffer) => {
    process.stdout.write(chunk);
    output += chunk;
  });
  const [status] = await once(tests, "close");
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
  count.passed += Number(passed ?? 0);
  count.failed += Number(failed ?? 0);
  return status === 0;
}

/** Returns the folder with the `node` program, or null when it cannot be installed. */
function installNode(version: string): string | null {
  const { platform, arch } = process;
  // npm's `node` package installs this one with a script. Installing it directly needs no script.
  const name = `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
  const prefix = join(folder, version);
  const words = ["install", "--prefix", prefix, `${name}@${version}`, "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", words, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return status === 0 ? join(prefix, "node_modules", name, "bin") : null;
}
