import type { BeforeUploadMessage, UploadDecision, UploadDecisionsMessage } from "../protocol.js";
import type { Emit } from "./events.js";

/**
 * Dispatches the event `platform-embed-before-upload` for each file, and posts the listeners' decisions: at once, or when
 * the promises that a listener waits for have settled.
 */
export function askBeforeUpload(
  { id, service, files }: BeforeUploadMessage,
  emit: Emit,
  post: (message: UploadDecisionsMessage) => void,
): void {
  const decide = (decisions: UploadDecision[]) =>
    post({ type: "platform.embed.upload-decisions", id, decisions });
  decide(
    files.map((file, index) => {
      const decision: UploadDecision = { index, outcome: "accepted" };
      const waits: Promise<unknown>[] = [];
      const refuse = (reason?: unknown) => {
        decision.outcome = "refused";
        // As text: a value that cannot be cloned would make postMessage throw, and the frame would get no decision.
        if (reason) decision.reason = `${reason}`;
      };
      const isAllowed = emit("platform-embed-before-upload", {
        service,
        ...file,
        rename(name) {
          decision.name = `${name}`;
        },
        refuse,
        waitUntil: (promise) => void waits.push(promise),
      });
      if (!isAllowed) refuse();
      if (waits.length === 0 || decision.outcome === "refused") return decision;
      Promise.all(waits)
        .catch(() => refuse())
        .then(() => decide([decision]));
      return { index, outcome: "waiting" };
    }),
  );
}
