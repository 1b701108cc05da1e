import { basename, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

const files = "app/services/files";
/** What is loaded when it is first needed, without the panels that show it. */
const parts: Record<string, string> = {
  uploads: `export { createUploadQueue, droppedFiles, chosenFiles } from "./${files}/explorer/uploads/upload-engine"`,
  checksums: `export * from "./${files}/transfers/checksum.worker"`,
  archives: `export { ArchiveDownloads } from "./${files}/transfers/zip/archive-downloads"`,
};
const settings = { bundle: true, minify: true, target: "es2022", format: "esm", outdir: "out" } as const;

/**
 * What uploads and archives cost beyond the first screen, bytes of gzip: the scripts of the page and of its worker for checksums, and the
 * service worker.
 */
export async function measureTransfers(): Promise<{ name: string; bytes: number }[]> {
  const loaded = await modulesOfFirstScreen();
  const page = await buildInMemory({
    entryPoints: Object.keys(parts).map((part) => `part:${part}`),
    splitting: true,
    plugins: [partsPlugin(loaded)],
  });
  const statically = entryClosure(page.metafile, (entry) => entry.startsWith("part:"));
  const ofPage = page.outputFiles
    .map(({ path, contents }) => ({ name: relative(".", path), bytes: sizeOf(contents) }))
    .filter(({ name }) => statically.has(name));
  const worker = await buildInMemory({ entryPoints: [`${files}/transfers/zip/worker.ts`], format: "iife" });
  return [
    ...ofPage,
    ...worker.outputFiles.map(({ contents }) => ({ name: "service worker", bytes: sizeOf(contents) })),
  ];
}

const sizeOf = (contents: Uint8Array) => gzipSync(contents, { level: 9 }).length;

const buildInMemory = (options: BuildOptions) =>
  build({ ...settings, ...options, write: false, metafile: true });

/** Their paths from the repository's root. */
async function modulesOfFirstScreen(): Promise<Set<string>> {
  const entry = `${files}/explorer/explorer.tsx`;
  const { metafile } = await buildInMemory({ entryPoints: [entry], splitting: true });
  const first = entryClosure(metafile, (entryPoint) => entryPoint === entry);
  return new Set([...first].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {})));
}

/** Some entries with all that they import before they run. */
function entryClosure({ outputs }: Metafile, isWanted: (entryPoint: string) => boolean): Set<string> {
  const found = new Set<string>();
  const add = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const { kind, path } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement" && path in outputs) add(path);
    }
  };
  for (const [file, { entryPoint = "" }] of Object.entries(outputs)) if (isWanted(entryPoint)) add(file);
  return found;
}

/** Makes the modules of `parts`, and leaves out what is loaded already. */
const partsPlugin = (loaded: Set<string>): Plugin => ({
  name: "parts",
  setup(build) {
    build.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: "part" }));
    build.onLoad({ filter: /.*/, namespace: "part" }, ({ path }) => ({
      contents: parts[path],
      resolveDir: resolve("."),
    }));
    build.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === "resolved" || path.startsWith("part:")) return undefined;
      const found = await build.resolve(path, { ...where, pluginData: "resolved" });
      return loaded.has(relative(".", found.path))
        ? { path: `/build/_shared/${basename(found.path)}`, external: true }
        : found;
    });
  },
});
