import type { BeforeUploadMessage, UploadDecision, UploadDecisionsMessage } from "../protocol";
import type { Emit } from "./events";

/** Asks the page's listeners about each file, and posts what they say: at once, or when what they wait for has ended. */
export function answerBeforeUpload(
  { id, service, files }: BeforeUploadMessage,
  emit: Emit,
  post: (answer: UploadDecisionsMessage) => void,
): void {
  const answer = (decisions: UploadDecision[]) =>
    post({ type: "platform.embed.upload-decisions", id, decisions });
  answer(
    files.map((file, index) => {
      const decision: UploadDecision = { index, outcome: "accepted" };
      const waits: Promise<unknown>[] = [];
      const refuse = (reason?: unknown) => {
        decision.outcome = "refused";
        // Whatever was passed, an error for example: what cannot be posted would leave the frame without a decision.
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
        .then(() => answer([decision]));
      return { index, outcome: "waiting" };
    }),
  );
}
