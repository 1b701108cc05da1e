import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { choicesOf, wholeNumber } from "../drills/seed";
import { formats } from "./formats";
import { mutate } from "./mutate";
import type { ReadOutcome, ReadRequest } from "./reader";

/** The page ends a worker after as long, or later. */
const MAX_READ_MS = 30_000;
/** Of JavaScript objects. A tab has four times of it. */
const MAX_HEAP_MB = 1_024;

export interface FuzzResult {
  format: string;
  shown: number;
  refused: number;
  slowestMs: number;
  failures: { round: number; failure: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/**
 * Reads `rounds` changed files of a format, one after the other. Each has to be shown or refused, within time and memory, and nothing that
 * is shown may be a number that is none.
 */
export async function fuzz(
  format: string,
  rounds: number,
  seed: number,
  reader: Reader,
): Promise<FuzzResult> {
  const samples = formats[format]?.samples ?? [];
  const result: FuzzResult = { format, shown: 0, refused: 0, slowestMs: 0, failures: [] };
  const choose = choicesOf(seed);
  for (let round = 0; round < rounds; round++) {
    const pick = (what: string) =>
      samples[wholeNumber(choose(format, round, what), 0, samples.length)] as Uint8Array;
    const bytes = mutate(pick("file"), pick("other"), (...words) => choose(format, round, ...words));
    const started = performance.now();
    const outcome = await reader.read({ format, bytes });
    result.slowestMs = Math.max(result.slowestMs, performance.now() - started);
    if (typeof outcome === "object") result.failures.push({ round, failure: outcome.failure, bytes });
    else result[outcome]++;
  }
  return result;
}

/** A thread that reads one file after the other. It takes seconds to start. */
export class Reader {
  #worker: Worker | undefined;

  async read(request: ReadRequest): Promise<ReadOutcome> {
    this.#worker ??= new Worker(new URL("./start-reader.mjs", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#worker.postMessage(request);
    let outcome: ReadOutcome;
    try {
      [outcome] = await once(this.#worker, "message", { signal: AbortSignal.timeout(MAX_READ_MS) });
    } catch (error) {
      // It takes too long, or the thread has ended: without memory, for one.
      outcome = { failure: String(error) };
    }
    // After a failure, another thread reads the next file.
    if (typeof outcome === "object") await this.end();
    return outcome;
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }
}
