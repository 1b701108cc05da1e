import type { SendEvents, SendTools } from "./send-blob";
import {
  beginUpload,
  bytesArrived,
  type MultipartUpload,
  reopenUpload,
  sendParts,
  UploadLostError,
} from "./send-parts";
import { type FileToSend, type SentFile, type StoreTraits, sendSingle } from "./send-single";

/** Files from this size on are multipart uploads. */
export const MIN_MULTIPART_BYTES = 16 * 1024 ** 2;
/** How often an upload that the store has lost is started again. */
const MAX_RESTARTS = 2;

/** State of a file's upload between two calls of `sendFile`. */
export interface SendMemory {
  parted: MultipartUpload | null;
  /** `parted` is from an earlier visit: the stored parts must be compared with the file */
  isReopened: boolean;
}

export interface FileEvents extends SendEvents {
  onChecking(): void;
  /** a multipart upload has been created */
  onBegun(parted: MultipartUpload): void;
}

/**
 * Sends a file to the store, in one request or in parts. A later call with the same `memory` continues where the last one ended.
 * @returns null when the name is taken
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
  if (what.file.size < MIN_MULTIPART_BYTES) return sendSingle(what, traits, tools, events, signal);
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
      // Not awaited: the parts that are left in the store are of no use.
      tools.client.abortUpload(memory.parted.handle).catch(() => {});
      memory.parted = null;
      memory.isReopened = false;
      events.onProgress(0);
      if (restarts >= MAX_RESTARTS) throw error;
    }
  }
}
