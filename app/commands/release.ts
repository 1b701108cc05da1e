/**
 * `npm run release`: makes the files of a release, the same bytes in every folder and at every time. docs/guide/check-a-release.md says
 * what they are. Archives are made by `npm pack`, and by tar with `portable` and `mtime`, which its documentation names for this purpose. Only
 * other versions of Node and npm make other bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { create } from "tar";
import checkout from "../../package.json" with { type: "json" };
import { describeLicenses, describeMaterials, findReleasedPackages } from "./released-packages";
import { type CommandDefinition, runAsProcess } from "./run-command";

/** The time of every file in the archive. npm uses the same in packages. */
const MODIFIED = new Date("1985-10-26T08:15:00Z");

const define: CommandDefinition = (program) =>
  program
    .description("Makes the files of a release. Needs `npm run build` and the npm registry.")
    .option("--out <folder>", "the folder, which is emptied first", "release")
    .action(({ out }: { out: string }) => release(resolve(out)));

async function release(out: string): Promise<void> {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, "SHA256SUMS")))
    throw new Error(`${out} is not empty, and this command did not make it. Name another folder.`);
  try {
    await fill(out);
  } catch (error) {
    // Without its sums, the next run would not recognize the folder.
    rmSync(out, { recursive: true, force: true });
    throw error;
  }
}

async function fill(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const packages = findReleasedPackages();
  writeFileSync(join(out, "THIRD-PARTY-LICENSES.txt"), describeLicenses(packages));
  writeFileSync(join(out, "sbom.cdx.json"), describeMaterials(packages, checkout.name));
  npm("pack", "--workspace=platform-embed-element", `--pack-destination=${out}`);
  await packServer(out);
  const sums = readdirSync(out)
    .sort()
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(out, file)))
          .digest("hex")}  ${file}\n`,
    );
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  console.log(`${out} is ready:\n${sums.join("")}`);
}

/** Packs what `npm run assemble` makes. */
async function packServer(out: string): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "platform-embed-release-"));
  try {
    await packAssembled(out, parent);
  } finally {
    rmSync(parent, { recursive: true });
  }
}

async function packAssembled(out: string, parent: string): Promise<void> {
  const name = `platform-embed-server-${checkout.version}`;
  npm("run", "assemble", "--", `--out=${join(parent, name)}`);
  const files = readdirSync(join(parent, name), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(parent.length + 1))
    .sort();
  // `portable` leaves out owners, and times other than `mtime`.
  const options = { cwd: parent, portable: true, mtime: MODIFIED, gzip: { portable: true, level: 9 } };
  await create({ ...options, file: join(out, `${name}.tgz`) }, files);
}

function npm(...args: string[]): void {
  execFileSync("npm", args, { stdio: ["ignore", "inherit", "inherit"] });
}

await runAsProcess(import.meta.url, "release", define);
