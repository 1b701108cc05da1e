/** A thread that reads files for `fuzz.ts`, which ends it when it takes too long or too much memory. */
import { parentPort } from "node:worker_threads";
import { formats, Refused } from "./formats";

export interface ReadRequest {
  format: string;
  bytes: Uint8Array<ArrayBuffer>;
}
export type ReadOutcome = "shown" | "refused" | { failure: string };

parentPort?.on("message", async ({ format, bytes }: ReadRequest) => {
  parentPort?.postMessage(await outcomeOf(format, bytes));
});

async function outcomeOf(format: string, bytes: Uint8Array<ArrayBuffer>): Promise<ReadOutcome> {
  try {
    const shown = structuredClone(await formats[format]?.read(bytes));
    const wrong = nonsenseIn(shown);
    return wrong === null ? "shown" : { failure: `It shows ${wrong}.` };
  } catch (error) {
    if (error instanceof Refused) return "refused";
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** A number that is none, where a person or a style sheet gets a number. */
function nonsenseIn(value: unknown): string | null {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "number" && Number.isNaN(next)) return "a number that is none";
    if (next instanceof ArrayBuffer || ArrayBuffer.isView(next)) continue;
    if (typeof next === "object" && next !== null) for (const each of Object.values(next)) open.push(each);
  }
  return null;
}
