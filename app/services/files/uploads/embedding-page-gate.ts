import type { Upload, UploadApproval, Uploads } from "platform-embed-element/client";
import type { UploadDecision } from "../../../../embed-element/protocol";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { SERVICE } from "../place/props";

/** If a page that announced decisions does not respond in this time, the files are uploaded unchanged. */
export const RESPONSE_TIMEOUT_MS = 5_000;
/** If a page responds `waiting` and does not decide in this time, the files fail. */
export const DECISION_TIMEOUT_MS = 30_000;
/** Files in one question. */
const MAX_ASKED_FILES = 500;
/** Longer reasons of the page are cut. */
const MAX_REASON_LENGTH = 200;

/** `unanswered`: not decided in time. */
type Answer = Omit<UploadDecision, "outcome"> & { outcome: UploadDecision["outcome"] | "unanswered" };

interface GateOptions {
  uploads: Pick<Uploads, "getState" | "subscribe" | "answer">;
  embeddingPage: EmbeddingPage;
}

/** Asks the embedding page, with `platform.embed.before-upload`, about uploads that wait for approval. @returns a function that stops it */
export function askEmbeddingPage({ uploads, embeddingPage }: GateOptions): () => void {
  /** ids of the uploads that wait and were asked about */
  let asked = new Set<number>();
  /** of the open questions, by id */
  const takers = new Map<number, (answers: readonly Answer[]) => void>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let nextId = 1;

  const after = (milliseconds: number, act: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, milliseconds);
    timers.add(timer);
    return timer;
  };

  const ask = (files: readonly Upload[]) => {
    const id = nextId++;
    /** undecided files by index, and what the page has said of them */
    const undecided = new Map<number, "nothing" | "waiting">(files.map((_, index) => [index, "nothing"]));
    const take = (answers: readonly Answer[]) => {
      for (const answer of answers) {
        const { index, outcome } = answer;
        const upload = files[index];
        if (!upload || !undecided.has(index)) continue;
        if (outcome === "waiting") undecided.set(index, "waiting");
        else if (undecided.delete(index)) uploads.answer(upload.id, approvalOf(answer));
      }
      if (undecided.size > 0) return;
      for (const timer of ownTimers) {
        clearTimeout(timer);
        timers.delete(timer);
      }
      takers.delete(id);
    };
    /** Decides for the page. @param said on the files of which it has said this */
    const giveUp = (said: "nothing" | "waiting", outcome: Answer["outcome"]) =>
      take([...undecided].filter(([, what]) => what === said).map(([index]) => ({ index, outcome })));
    const ownTimers = [
      after(RESPONSE_TIMEOUT_MS, () => giveUp("nothing", "accepted")),
      after(DECISION_TIMEOUT_MS, () => giveUp("waiting", "unanswered")),
    ];
    takers.set(id, take);
    const described = files.map(({ name, size, folderPath, question }) => {
      const type = question?.about === "approval" ? question.contentType : "";
      return { name, size, type, folderPath };
    });
    embeddingPage.post({ type: "platform.embed.before-upload", service: SERVICE, id, files: described });
  };

  const look = () => {
    const waiting = uploads.getState().uploads.filter(({ question }) => question?.about === "approval");
    const fresh = waiting.filter(({ id }) => !asked.has(id));
    asked = new Set(waiting.map(({ id }) => id));
    for (let at = 0; at < fresh.length; at += MAX_ASKED_FILES) ask(fresh.slice(at, at + MAX_ASKED_FILES));
  };

  const stopListening = embeddingPage.listen((message) => {
    if (message.type === "platform.embed.upload-decisions") takers.get(message.id)?.(message.decisions);
  });
  const stopLooking = uploads.subscribe(look);
  look();
  return () => {
    stopListening();
    stopLooking();
    for (const timer of timers) clearTimeout(timer);
  };
}

function approvalOf({ outcome, name, reason }: Answer): UploadApproval {
  if (outcome === "accepted") return { approved: true, name };
  if (outcome === "unanswered") return { approved: false, code: outcome };
  const words = reason?.trim() && [...reason.trim()].slice(0, MAX_REASON_LENGTH).join("");
  return { approved: false, code: "refused", ...(words ? { reason: words } : {}) };
}
