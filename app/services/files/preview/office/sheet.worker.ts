/** A worker that reads spreadsheets. `npm run build:assets` makes `/embed-workers/sheet.js` of it. */

import { answerMessages } from "../../browse/answer-messages";
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

answerMessages<SheetRequest, SheetResponse>(
  async ({ bytes, form, language }) => ({ book: await readSheets(bytes, form, language) }),
  (error) => ({ refusal: asOfficeProblem(error).refusal }),
);
