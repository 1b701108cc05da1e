import { Semaphore } from "../../../shared/semaphore";
import { createBlobReader } from "./blob-reader";
import { putFile } from "./put-file";
import { realTiming } from "./retry";
import { expectedTraits, type SendTools } from "./send-context";
import { MAX_CONCURRENT_REQUESTS, UploadConcurrency } from "./upload-concurrency";

/** Parts in memory besides those being sent: read and signed in advance. */
const PARTS_AHEAD = 2;

/** What the uploads of one page share. */
export function createSendTools(client: SendTools["client"]): SendTools {
  return {
    client,
    put: putFile,
    timing: realTiming,
    read: createBlobReader(),
    concurrency: new UploadConcurrency(),
    partSlots: new Semaphore(MAX_CONCURRENT_REQUESTS + PARTS_AHEAD),
    traits: expectedTraits(),
  };
}
