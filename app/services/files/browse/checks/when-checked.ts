import {
  asFilesError,
  type FilesClient,
  FilesError,
  realWorld,
  retryTimingOf,
} from "platform-embed-element/client";
import type { ContentName } from "../../place/content-of";

/** Where tokens require a tag, a new file cannot be read until the malware scanner has set it. This is how the explorer waits for that. */

const timing = retryTimingOf(realWorld);

/** The pause before the second question, milliseconds; each further one is half as long again. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 20_000;
/** About ten minutes. A scanner that needs longer may be broken, and the person is asked to try again later. */
const MAX_QUESTIONS = 40;

/**
 * Resolves when it is time to ask again about a file that is being checked. While nobody sees the page, it does not ask.
 * @param asked how many times it has been asked
 * @returns false if it has been asked often enough
 * @throws the signal's reason
 */
export async function pauseWhileChecked(asked: number, signal: AbortSignal): Promise<boolean> {
  if (asked >= MAX_QUESTIONS) return false;
  await timing.wait(Math.min(FIRST_PAUSE_MS * 1.5 ** asked, MAX_PAUSE_MS), signal);
  await untilVisible(signal);
  return true;
}

/**
 * Repeats `ask` as long as the file is being checked.
 * @throws what `ask` throws: the problem `being_checked` only after the last question; the signal's reason
 */
export async function whenChecked<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (let asked = 1; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (asFilesError(error).code !== "being_checked" || !(await pauseWhileChecked(asked, signal)))
        throw error;
    }
  }
}

/** Resolves when a file, or an older version of it, may be read. @throws as `whenChecked` */
export function untilChecked(client: FilesClient, file: ContentName, signal: AbortSignal): Promise<void> {
  return whenChecked(async () => {
    const { downloads } = await client.downloads.urls([file], { check: true, signal });
    for (const { error } of downloads) if (error !== undefined) throw new FilesError(error);
  }, signal);
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    const look = () => {
      if (document.visibilityState === "hidden") return;
      stop.abort();
      resolve();
    };
    const give = () => {
      stop.abort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", give, { signal: stop.signal });
    document.addEventListener("visibilitychange", look, { signal: stop.signal });
    look();
  });
}
