import type { SendCallbacks, SendTools } from "./send-blob";
import {
  createMultipartUpload,
  type MultipartUpload,
  resumeUpload,
  sendParts,
  storedBytesOf,
  UploadLostError,
} from "./send-parts";
import { type FileToSend, type SentFile, type StoreTraits, sendSingle } from "./send-single";

/** Files from this size on are multipart uploads. */
export const MIN_MULTIPART_BYTES = 16 * 1024 ** 2;
/** Maximum number of times to restart an upload that the store has lost. */
const MAX_RESTARTS = 2;

/** State of a file's upload between two calls of `sendFile`. */
export interface SendState {
  multipart: MultipartUpload | null;
  /** `multipart` is from an earlier visit: the stored parts must be compared with the file */
  needsCheck: boolean;
}

export interface FileCallbacks extends SendCallbacks {
  onChecking(): void;
  /** a multipart upload has been created */
  onCreated(multipart: MultipartUpload): void;
}

/**
 * Sends a file to the store, in one request or in parts. A later call with the same `state` continues where the last one ended.
 * @returns null when the name is taken
 * @throws DifferentFileError, a StorageProblem or the signal's reason
 */
export async function sendFile(
  toSend: FileToSend,
  state: SendState,
  traits: StoreTraits,
  tools: SendTools,
  callbacks: FileCallbacks,
  signal: AbortSignal,
): Promise<SentFile | null> {
  if (toSend.file.size < MIN_MULTIPART_BYTES) return sendSingle(toSend, traits, tools, callbacks, signal);
  for (let restarts = 0; ; restarts++) {
    if (state.multipart === null) {
      state.multipart = await createMultipartUpload(toSend, traits, tools, callbacks, signal);
      if (state.multipart === null) return null;
      callbacks.onCreated(state.multipart);
    }
    try {
      if (state.needsCheck) {
        callbacks.onChecking();
        await resumeUpload(state.multipart, toSend.file, tools, callbacks, signal);
        state.needsCheck = false;
      }
      callbacks.onProgress(storedBytesOf(state.multipart));
      callbacks.onSending();
      return await sendParts(state.multipart, toSend, traits, tools, callbacks, signal);
    } catch (error) {
      if (!(error instanceof UploadLostError)) throw error;
      // Not awaited: the parts that are left in the store are of no use.
      tools.client.call("multipart/abort", { upload: state.multipart.handle }).catch(() => {});
      state.multipart = null;
      state.needsCheck = false;
      callbacks.onProgress(0);
      if (restarts >= MAX_RESTARTS) throw error;
    }
  }
}
