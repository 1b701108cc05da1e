import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { SharedCalls } from "../shared/shared-calls";

const compressors = {
  /** Node's default takes seconds for a large file, and makes it a tenth smaller than this. */
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

export type Encoding = keyof typeof compressors;
/** The better one first. */
export const encodings: readonly Encoding[] = ["br", "gzip"];

export interface CompressedFile {
  bytes: Buffer;
  etag: string;
}

/**
 * Compresses files, each once for each encoding: without that, a few requests a second would take a whole processor.
 * @param folder what it contains must not change
 * @returns what reads `path`, which must be one of a limited number of names. It throws what reading the file throws
 */
export function compressedFiles(folder: string) {
  const files = new SharedCalls<string, CompressedFile>(true);
  return (path: string, encoding: Encoding): Promise<CompressedFile> =>
    files.get(encoding + path, () => compress(folder + path, encoding));
}

async function compress(path: string, encoding: Encoding): Promise<CompressedFile> {
  const bytes = await compressors[encoding](await readFile(path));
  return { bytes, etag: `"${hash("sha256", bytes, "base64url")}"` };
}
