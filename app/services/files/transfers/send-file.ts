import {
  beginUpload,
  bytesArrived,
  type PartedUpload,
  reopenUpload,
  sendParts,
  UploadLostError,
} from "./send-parts";
import type { SendEvents, SendTools } from "./send-slice";
import { type FileToSend, type SentFile, type StoreTraits, sendWhole } from "./send-whole";

/** bytes; files from here on go up in parts */
export const PARTS_FROM = 16 * 1024 ** 2;
/** An upload that the store has lost is begun anew so often. */
const MOST_RESTARTS = 2;

/** What is kept of a file's upload between two calls of `sendFile`. */
export interface SendMemory {
  parted: PartedUpload | null;
  /** `parted` is from an earlier visit: what has arrived is to be compared with the file */
  isReopened: boolean;
}

export interface FileEvents extends SendEvents {
  onChecking(): void;
  /** an upload in parts has begun */
  onBegun(parted: PartedUpload): void;
}

/**
 * Sends a file to the store, in one request or in parts. A later call with the same `memory` goes on where the last one ended.
 * @returns null when its name is taken
 * Rejects with DifferentFileError, a StorageProblem or the signal's reason.
 */
export async function sendFile(
  what: FileToSend,
  memory: SendMemory,
  traits: StoreTraits,
  tools: SendTools,
  events: FileEvents,
  signal: AbortSignal,
): Promise<SentFile | null> {
  if (what.file.size < PARTS_FROM) return sendWhole(what, traits, tools, events, signal);
  for (let restarts = 0; ; restarts++) {
    if (memory.parted === null) {
      memory.parted = await beginUpload(what, tools, events, signal);
      if (memory.parted === null) return null;
      events.onBegun(memory.parted);
    }
    try {
      if (memory.isReopened) {
        events.onChecking();
        await reopenUpload(memory.parted, what.file, tools, events, signal);
        memory.isReopened = false;
      }
      events.onProgress(bytesArrived(memory.parted));
      events.onSending();
      return await sendParts(memory.parted, what, tools, events, signal);
    } catch (error) {
      if (!(error instanceof UploadLostError)) throw error;
      // What is left of it in the store is of no use; nobody waits for it to go.
      tools.client.abortUpload(memory.parted.handle).catch(() => {});
      memory.parted = null;
      memory.isReopened = false;
      events.onProgress(0);
      if (restarts >= MOST_RESTARTS) throw error;
    }
  }
}
