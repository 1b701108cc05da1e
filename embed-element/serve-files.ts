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
 * released version. A page may keep the latter for ever, and names their hash: `platform-embed.json` and the build's output have it.
 */
export async function serveFiles(files: ElementFiles): Promise<void> {
  const version = await readVersion();
  const served = new Map<string, Buffer>();
  for (const name of await listReleased()) served.set(name, await readFile(`${RELEASED}/${name}`));
  for (const [end, path] of Object.entries(files)) {
    const content = await readFile(path);
    const name = `platform-embed@${version}.${end}`;
    const released = served.get(name);
    if (released && !released.equals(content))
      throw new Error(`${name} was released with another content. Raise the version in package.json.`);
    served.set(name, content).set(`platform-embed.${end}`, content);
  }
  const description = { version, versions: describeVersions(served) };
  served.set("platform-embed.json", Buffer.from(`${JSON.stringify(description, null, 2)}\n`));

  await mkdir(PUBLIC, { recursive: true });
  for (const [name, content] of served) await write(`${PUBLIC}/${name}`, content);
  for (const name of await readdir(PUBLIC))
    if (VERSIONED.test(name) && !served.has(name)) await rm(`${PUBLIC}/${name}`);
  console.log(`platform-embed@${version}.js: ${integrityOf(served.get(`platform-embed@${version}.js`))}`);
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

/** By version, the address and hash of what a page names in its tags. */
function describeVersions(served: ReadonlyMap<string, Buffer>): Record<string, object> {
  const versions: Record<string, Record<string, object>> = {};
  for (const [name, content] of served) {
    const [, version = "", end = ""] = VERSIONED.exec(name) ?? [];
    if (end !== "js" && end !== "css") continue;
    versions[version] ??= {};
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
