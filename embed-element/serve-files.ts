import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The files of a script tag, by the end of their name. */
type ElementFiles = Record<"js" | "css" | "languages.json", string>;

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PUBLIC = at("../public");
/** The files of every version that was released, as they were. */
const RELEASED = at("released");
const VERSIONED = /^platform-embed@(.+?)\.(js|css|languages\.json)$/;

/**
 * Puts into `public/` the files under their plain names, which are the newest, and under the names of their version, beside those of every
 * released version. A page names their hash: `platform-embed.json` and the build's output have it, and the former says which are released:
 * those may be kept for ever, while the next build may change the others.
 */
export async function serveFiles(files: ElementFiles): Promise<void> {
  const version = await readVersion();
  const served = new Map<string, Buffer>();
  const released = await listReleased();
  for (const name of released) served.set(name, await readFile(`${RELEASED}/${name}`));
  for (const [end, path] of Object.entries(files)) {
    const content = await readFile(path);
    const name = `platform-embed@${version}.${end}`;
    const kept = served.get(name);
    if (kept && !kept.equals(content))
      throw new Error(`${name} was released with another content. Raise the version in package.json.`);
    served.set(name, content).set(`platform-embed.${end}`, content);
  }
  const description = { version, versions: describeVersions(served, released) };
  served.set("platform-embed.json", Buffer.from(`${JSON.stringify(description, null, 2)}\n`));

  await mkdir(PUBLIC, { recursive: true });
  for (const [name, content] of served) await write(`${PUBLIC}/${name}`, content);
  for (const name of await readdir(PUBLIC))
    if (VERSIONED.test(name) && !served.has(name)) await rm(`${PUBLIC}/${name}`);
  const name = `platform-embed@${version}.js`;
  const note = released.includes(name) ? "" : " (not released: another build may change it)";
  console.log(`${name}: ${integrityOf(served.get(name))}${note}`);
}

/** Keeps the files of this version as those of its release. */
export async function keepRelease(files: ElementFiles): Promise<void> {
  const version = await readVersion();
  await mkdir(RELEASED, { recursive: true });
  for (const [end, path] of Object.entries(files)) {
    // A release is never changed: serving it fails where the content differs.
    const target = `${RELEASED}/platform-embed@${version}.${end}`;
    await writeFile(target, await readFile(path), { flag: "wx" }).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

async function readVersion(): Promise<string> {
  return JSON.parse(await readFile(at("package.json"), "utf8")).version;
}

function listReleased(): Promise<string[]> {
  return readdir(RELEASED).then(
    (names) => names.filter((name) => VERSIONED.test(name)),
    () => [],
  );
}

/** By version, whether it was released, and the address and hash of what a page names in its tags. */
function describeVersions(
  served: ReadonlyMap<string, Buffer>,
  released: readonly string[],
): Record<string, object> {
  const versions: Record<string, Record<string, unknown>> = {};
  for (const [name, content] of served) {
    const [, version = "", end = ""] = VERSIONED.exec(name) ?? [];
    if (end !== "js" && end !== "css") continue;
    versions[version] ??= { released: released.includes(name) };
    versions[version][end] = { path: `/${name}`, integrity: integrityOf(content) };
  }
  return versions;
}

/** https://www.w3.org/TR/SRI/ */
function integrityOf(content: Buffer = Buffer.alloc(0)): string {
  return `sha384-${createHash("sha384").update(content).digest("base64")}`;
}

/** In one step, for a running app serves the file. */
async function write(path: string, content: Buffer): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
