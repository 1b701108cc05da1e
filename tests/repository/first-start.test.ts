import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("`npm run dev` loads nothing that imports the Prisma client before it is generated", async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["local/dev.ts"],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    loader: { ".css": "text", ".svg": "text", ".html": "text" },
  });
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: imported, kind } of metafile.inputs[path]?.imports ?? []) {
      if (kind === "import-statement") load(imported);
    }
  };
  load("local/dev.ts");
  expect(loaded).toContain("local/app-server.ts");
  expect([...loaded].filter((path) => path.startsWith("prisma/generated/"))).toEqual([]);
});
