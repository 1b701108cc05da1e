import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { version } from "./standalone";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** what the build has made of this version */
const BUILT = at("dist/standalone");
/** the files of every released version, as they were */
const RELEASED = at("released");
const PUBLIC = at("../public");
const VERSIONED = /^platform-embed@(.+?)\.(js|js\.map|languages\.js|choose\.js|css)$/;

/**
 * Copies to `public/` the files of this version and of every released one, and describes them in `platform-embed.json`: the
 * hash that a page names in `integrity`, and whether a version is released. Only released files may be cached forever; the
 * next build may change the others.
 * @throws when this version was released with another content
 */
export function publishScripts(): void {
  const released = listVersioned(RELEASED);
  const files = new Map(released.map((name) => [name, readFileSync(`${RELEASED}/${name}`)]));
  for (const name of readdirSync(BUILT)) {
    const content = readFileSync(`${BUILT}/${name}`);
    if (files.get(name)?.equals(content) === false)
      throw new Error(`${name} was released with another content. Raise the version in package.json.`);
    files.set(name, content);
  }
  const versions = describeVersions(files, released);
  files.set("platform-embed.json", Buffer.from(`${JSON.stringify({ version, versions }, null, 2)}\n`));

  mkdirSync(PUBLIC, { recursive: true });
  for (const name of listVersioned(PUBLIC)) if (!files.has(name)) rmSync(`${PUBLIC}/${name}`);
  for (const [name, content] of files) {
    // Renamed into place, because a running app may be serving the file.
    writeFileSync(`${PUBLIC}/${name}.new`, content);
    renameSync(`${PUBLIC}/${name}.new`, `${PUBLIC}/${name}`);
  }
  const note = versions[version]?.released ? "" : " (not released: another build may change it)";
  console.log(`platform-embed@${version}.js: ${versions[version]?.js?.integrity}${note}`);
}

/** Copies the files of this version to `released/`. A release is never changed: files that are there stay as they are. */
export function keepRelease(): void {
  for (const name of listVersioned(BUILT))
    cpSync(`${BUILT}/${name}`, `${RELEASED}/${name}`, { force: false });
}

function listVersioned(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => VERSIONED.test(name)) : [];
}

interface TagFile {
  path: string;
  /** https://www.w3.org/TR/SRI/ */
  integrity: string;
}

/** Each version with the files that a page names in its tags. */
function describeVersions(
  files: ReadonlyMap<string, Buffer>,
  released: readonly string[],
): Record<string, { released: boolean; js?: TagFile; css?: TagFile }> {
  const versions: ReturnType<typeof describeVersions> = {};
  for (const [name, content] of files) {
    const [, version = "", extension] = VERSIONED.exec(name) ?? [];
    if (extension !== "js" && extension !== "css") continue;
    const hash = createHash("sha384").update(content).digest("base64");
    versions[version] ??= { released: released.includes(name) };
    versions[version][extension] = { path: `/${name}`, integrity: `sha384-${hash}` };
  }
  return versions;
}
