import type { FileActionMessage, FileActionProgressMessage } from "../protocol.js";
import type { Emit } from "./events.js";

/** Dispatches the event `platform-embed-file-action`, and posts what the listeners say of their work. For the frame, the first end counts. */
export function runFileAction(
  { type: _, id, ...detail }: FileActionMessage,
  emit: Emit,
  post: (message: FileActionProgressMessage) => void,
): void {
  const tell = (state: FileActionProgressMessage["state"], text?: string, progress?: number) =>
    post({
      type: "platform.embed.file-action-progress",
      id,
      state,
      progress,
      text,
    } as FileActionProgressMessage);
  emit("platform-embed-file-action", {
    ...detail,
    waitUntil(promise) {
      tell("running");
      promise.then(
        () => tell("done"),
        () => tell("failed"),
      );
    },
    progress: (progress, text) => tell("running", text, progress),
    fail: (reason) => tell("failed", reason),
  });
}
