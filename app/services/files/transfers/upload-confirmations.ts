import { Batches } from "../../../shared/batches";
import { MAX_CONFIRMED_UPLOADS } from "../storage-limits";
import { withRetries } from "./retry";
import type { SendTools } from "./send-blob";

/**
 * Tells the server which files the store has taken, so that it records them. Uploads do not wait for it. If it fails, the server learns of
 * the file from the bucket's notification, or by `npm run cleanup`.
 */
export class UploadConfirmations {
  readonly #batches: Batches<string, void>;

  constructor({ client, timing }: Pick<SendTools, "client" | "timing">) {
    this.#batches = new Batches(async (keys) => {
      const confirm = () => client.call("uploaded", { keys });
      await withRetries(confirm, timing, () => {}).catch(() => {});
      return [];
    }, MAX_CONFIRMED_UPLOADS);
  }

  add(key: string): void {
    void this.#batches.add(key);
  }
}
