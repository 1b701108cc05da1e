import { spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { works } from "../support/machine/installed";

export const isInstalled = works("soffice", "--version") && works("pdftotext", "-v");
export const packages = "libreoffice-calc-nogui libreoffice-writer-nogui poppler-utils";

const TIMEOUT_MS = 240_000;

/** Has LibreOffice convert files. @param filter the output format, as `--convert-to` takes it */
export async function convert(files: string[], filter: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const profile = `-env:UserInstallation=file://${join(folder, "..", "profile")}`;
  const words = [profile, "--headless", "--convert-to", filter, "--outdir", folder, ...files];
  const { status, stderr } = spawnSync("soffice", words, { timeout: TIMEOUT_MS, encoding: "utf8" });
  if (status !== 0) throw new Error(`LibreOffice failed: ${stderr}`);
}

/** Tabs between cells, UTF-8, cells as they are shown, all sheets. */
const CSV_FILTER = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,true,false,false,-1";

/** Writes `<name>-<sheet>.csv` for each sheet. */
export const convertToCsv = (files: string[], folder: string) => convert(files, CSV_FILTER, folder);

export async function readCsv(path: string): Promise<string[][]> {
  const text = await readFile(path);
  return parse(text, { bom: true, delimiter: "\t", relax_column_count: true, skip_empty_lines: false });
}

/** The text of a PDF, line by line. */
export function pdfText(path: string): string {
  const { status, stdout } = spawnSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`pdftotext failed for ${path}.`);
  return stdout;
}
