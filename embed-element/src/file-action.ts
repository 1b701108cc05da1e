import type { FileActionMessage, FileActionProgressMessage } from "../protocol.js";
import type { Emit } from "./events.js";

/** Dispatches the event `platform-embed-file-action`, and posts what the listeners say of their work. */
export function runFileAction(
  { id, service, action, items }: FileActionMessage,
  emit: Emit,
  post: (message: FileActionProgressMessage) => void,
): void {
  const waits: Promise<unknown>[] = [];
  let failure: string | undefined;
  let hasEnded = false;
  const tell = (message: Pick<FileActionProgressMessage, "state" | "progress" | "text">) => {
    if (hasEnded) return;
    hasEnded = message.state !== "running";
    post({ type: "platform.embed.file-action-progress", id, ...message });
  };
  emit("platform-embed-file-action", {
    service,
    action,
    items,
    waitUntil: (promise) => void waits.push(promise),
    // As text and number: a value that cannot be cloned would make postMessage throw.
    progress: (fraction, text) =>
      tell({ state: "running", progress: Number(fraction), ...(text && { text: `${text}` }) }),
    fail(reason) {
      failure = `${reason}`;
    },
  });
  if (waits.length === 0) {
    if (failure !== undefined) tell({ state: "failed", text: failure });
    return;
  }
  tell({ state: "running" });
  Promise.all(waits).then(
    () => tell(failure === undefined ? { state: "done" } : { state: "failed", text: failure }),
    () => tell({ state: "failed", ...(failure && { text: failure }) }),
  );
}
