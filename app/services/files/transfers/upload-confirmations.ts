import { MAX_CONFIRMED_UPLOADS } from "../storage-limits";
import { withRetries } from "./retry";
import type { SendTools } from "./send-blob";

/**
 * Tells the server which files the store has taken, so that it records them. Keys that are added during one request go into the next.
 * Uploads do not wait for it. If it fails, the server learns of the file from the bucket's notification, or by `npm run cleanup`.
 */
export class UploadConfirmations {
  #keys: string[] = [];
  #isSending = false;

  constructor(private readonly tools: Pick<SendTools, "client" | "timing">) {}

  add(key: string): void {
    this.#keys.push(key);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const { client, timing } = this.tools;
    this.#isSending = true;
    while (this.#keys.length > 0) {
      const keys = this.#keys.splice(0, MAX_CONFIRMED_UPLOADS);
      const confirm = () => client.call("uploaded", { keys });
      await withRetries(confirm, timing, () => {}).catch(() => {});
    }
    this.#isSending = false;
  }
}
