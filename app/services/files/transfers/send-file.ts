import { asProblem, isAbort, type StorageClient, StorageProblem } from "../storage-client";
import type { PutFile } from "./put-file";
import { type RetryTiming, retryDelay } from "./retry";

/** A presigned URL that is refused is replaced so often before we believe the refusal. */
const MOST_RENEWALS = 2;

export interface SendTools {
  client: Pick<StorageClient, "presignUpload" | "list" | "diagnose">;
  put: PutFile;
  timing: RetryTiming;
}

/** What the store has shown it cannot do; shared by all uploads, and learned once. */
export interface StoreTraits {
  /** it knows `If-None-Match`; false once it has responded 501: then we look before we send */
  conditional: boolean;
}

export interface FileToSend {
  file: Blob;
  folderPath: string;
  name: string;
  contentType: string;
  overwrite: boolean;
}

export interface SendEvents {
  /** bytes so far; 0 at the start of each attempt */
  onProgress(sent: number): void;
  /** `retrying`: it was interrupted, and is tried again after a pause */
  onStatus(status: "retrying" | "sending"): void;
}

/**
 * Sends one file, again and again where the failure is one that passes, each time with a new presigned URL.
 * @returns the key of the file in the store, or null when its name is taken
 * Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
 */
export async function sendFile(
  what: FileToSend,
  tools: SendTools,
  traits: StoreTraits,
  events: SendEvents,
  signal: AbortSignal,
): Promise<string | null> {
  const { timing } = tools;
  for (let retry = 0; ; retry++) {
    try {
      return await attempt(what, tools, traits, events, signal);
    } catch (error) {
      if (isAbort(error) || signal.aborted) throw error;
      const problem = asProblem(error);
      const delay = retryDelay(retry, problem, timing.random);
      if (delay === null) throw problem;
      events.onStatus("retrying");
      await timing.wait(delay, signal);
      events.onStatus("sending");
    }
  }
}

async function attempt(
  what: FileToSend,
  { client, put }: SendTools,
  traits: StoreTraits,
  { onProgress }: SendEvents,
  signal: AbortSignal,
): Promise<string | null> {
  const { file, folderPath, name, contentType, overwrite } = what;
  for (let renewals = 0; ; ) {
    if (!overwrite && !traits.conditional && (await isThere(client, folderPath, name, signal))) return null;
    const ifNoneMatch = !overwrite && traits.conditional;
    const target = await client.presignUpload(
      { folderPath, fileName: name, contentType, size: file.size, ifNoneMatch },
      signal,
    );
    const outcome = await put(target, file, onProgress, signal);
    switch (outcome) {
      case "done":
        return target.key;
      case "exists":
        return null;
      case "unconditional":
        if (!ifNoneMatch) throw new StorageProblem("failed");
        traits.conditional = false;
        break;
      case "unexplained":
        throw await client.diagnose("upload", signal);
      case "stale":
        // It ran out while the file was waiting or being sent. A refusal of fresh ones has another reason.
        if (++renewals > MOST_RENEWALS) throw await whyRefused(client, signal);
        break;
      default:
        outcome satisfies never;
    }
  }
}

async function whyRefused(client: SendTools["client"], signal: AbortSignal): Promise<StorageProblem> {
  const problem = await client.diagnose("upload", signal);
  return problem.code === "unreachable" ? new StorageProblem("denied", problem.details) : problem;
}

async function isThere(
  client: SendTools["client"],
  folderPath: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page = await client.list(folderPath, cursor, signal);
    if (page.files.some((file) => file.name === name)) return true;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return false;
}
