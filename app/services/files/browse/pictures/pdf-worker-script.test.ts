import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { afterEach, expect, test, vi } from "vitest";
import { unpacksTooFar } from "./pdf-streams";
import { pdfWorkerScript } from "./pdf-worker-script";

const published = "node_modules/pdfjs-dist/legacy/build";

/** As it is, without the compiler of the tests. */
const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(path).href);

afterEach(() => vi.unstubAllGlobals());

/** A page with a picture of ten pixels in its content. */
function pdfWithPicture(packed: Uint8Array): Uint8Array {
  const content = Buffer.concat([
    Buffer.from("q 9 0 0 9 0 0 cm\nBI /W 10 /H 1 /BPC 8 /CS /G /F /Fl\nID "),
    packed,
    Buffer.from("\nEI\nQ\n"),
  ]);
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>",
  ].map((text, index) => Buffer.from(`${index + 1} 0 obj\n${text}\nendobj\n`));
  const head = Buffer.from(`4 0 obj\n<</Length ${content.length}>>\nstream\n`);
  const end = Buffer.from("\nendstream\nendobj\ntrailer\n<</Size 5/Root 1 0 R>>\n%%EOF");
  return new Uint8Array(Buffer.concat([Buffer.from("%PDF-1.7\n"), ...objects, head, content, end]));
}

test("the browser unpacks nothing for PDF.js, also where nobody has counted it", async () => {
  // Node 20 has it not.
  if (!("withResolvers" in Promise)) Object.assign(Promise, { withResolvers });
  const used = vi.fn();
  vi.stubGlobal(
    "DecompressionStream",
    class extends DecompressionStream {
      constructor(format: CompressionFormat) {
        super(format);
        used();
      }
    },
  );
  const folder = await mkdtemp(join(tmpdir(), "pdf-worker-"));
  try {
    await cp(join(published, "pdf.worker.min.mjs"), join(folder, "pdf.worker.min.mjs"));
    await writeFile(join(folder, "worker.mjs"), pdfWorkerScript);
    // Without a browser, PDF.js works in this thread, by the worker that was loaded.
    await load(join(folder, "worker.mjs"));
    const { getDocument }: typeof import("pdfjs-dist") = await load(join(published, "pdf.min.mjs"));
    const data = pdfWithPicture(deflateSync(Buffer.alloc(3_000_000)));
    expect(unpacksTooFar(data)).toBe(false);
    const document = await getDocument({ data, verbosity: 0 }).promise;
    const { fnArray } = await (await document.getPage(1)).getOperatorList();
    expect(fnArray.length).toBeGreaterThan(2);
    expect(used).not.toHaveBeenCalled();
  } finally {
    await rm(folder, { recursive: true });
  }
});

function withResolvers() {
  let resolve = (_: unknown) => {};
  let reject = (_: unknown) => {};
  const promise = new Promise((onResolved, onRejected) => {
    resolve = onResolved;
    reject = onRejected;
  });
  return { promise, resolve, reject };
}
