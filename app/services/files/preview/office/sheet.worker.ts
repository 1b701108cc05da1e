/** A worker that reads spreadsheets. `npm run build:assets` makes `/embed-workers/sheet.js` of it. */

import type { Refusal } from "../../browse/run-worker";
import type { SheetForm } from "../preview-plan";
import { readSheets, type SheetBook } from "./read-sheets";
import { asOfficeProblem } from "./unpack";

export interface SheetRequest {
  bytes: Uint8Array<ArrayBuffer>;
  form: SheetForm;
  /** of dates and numbers, a BCP 47 tag */
  language: string;
}
export type SheetResponse = { book: SheetBook } | { refusal: Refusal };

const post = postMessage as (message: SheetResponse) => void;

addEventListener("message", async ({ data }: MessageEvent<SheetRequest>) => {
  try {
    post({ book: await readSheets(data.bytes, data.form, data.language) });
  } catch (error) {
    post({ refusal: asOfficeProblem(error).refusal });
  }
});
