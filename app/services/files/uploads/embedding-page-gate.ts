import type { FileToUpload, UploadDecision } from "../../../../embed-element/protocol";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { StorageProblem } from "../place/contract/storage-problem";
import { SERVICE } from "../place/props";
import type { GateDecision, UploadGate } from "./transfers/upload-queue";

/** If a page that announced decisions does not respond in this time, the files are uploaded unchanged. */
export const RESPONSE_TIMEOUT_MS = 5_000;
/** If a page responds `waiting` and does not decide in this time, the files fail. */
export const DECISION_TIMEOUT_MS = 30_000;
/** Longer reasons of the page are cut. */
const MAX_REASON_LENGTH = 200;

/** `unanswered`: not decided in time. */
type Answer = Omit<UploadDecision, "outcome"> & { outcome: UploadDecision["outcome"] | "unanswered" };

/** Asks the embedding page about files, with `platform.embed.before-upload`. */
export class EmbeddingPageGate implements UploadGate {
  /** callbacks of the open questions, by id */
  #questions = new Map<number, (answers: readonly Answer[]) => void>();
  #nextId = 1;
  readonly #embeddingPage: EmbeddingPage;
  readonly #answersBeforeUpload: () => boolean;

  /** @param answersBeforeUpload whether the page has announced that it decides on uploads */
  constructor(embeddingPage: EmbeddingPage, answersBeforeUpload: () => boolean) {
    this.#embeddingPage = embeddingPage;
    this.#answersBeforeUpload = answersBeforeUpload;
    embeddingPage.listen((message) => {
      if (message.type === "platform.embed.upload-decisions") {
        this.#questions.get(message.id)?.(message.decisions);
      }
    });
  }

  ask(files: FileToUpload[], decide: (decisions: GateDecision[]) => void): boolean {
    if (!this.#answersBeforeUpload()) return false;
    const id = this.#nextId++;
    /** undecided files by index, and what the page has said of them */
    const undecided = new Map<number, "nothing" | "waiting">(files.map((_, index) => [index, "nothing"]));
    const timers: ReturnType<typeof setTimeout>[] = [];
    const take = (answers: readonly Answer[]) => {
      const decided: GateDecision[] = [];
      for (const answer of answers) {
        const { index, outcome } = answer;
        if (!undecided.has(index)) continue;
        if (outcome === "waiting") undecided.set(index, "waiting");
        else if (undecided.delete(index)) decided.push(decisionOf(answer));
      }
      if (undecided.size === 0) {
        for (const timer of timers) clearTimeout(timer);
        this.#questions.delete(id);
      }
      if (decided.length > 0) decide(decided);
    };
    /** Decides for the page. @param said on the files of which it has said this */
    const giveUp = (said: "nothing" | "waiting", outcome: Answer["outcome"]) =>
      take([...undecided].filter(([, what]) => what === said).map(([index]) => ({ index, outcome })));
    timers.push(
      setTimeout(() => giveUp("nothing", "accepted"), RESPONSE_TIMEOUT_MS),
      setTimeout(() => giveUp("waiting", "unanswered"), DECISION_TIMEOUT_MS),
    );
    this.#questions.set(id, take);
    this.#embeddingPage.post({ type: "platform.embed.before-upload", service: SERVICE, id, files });
    return true;
  }
}

function decisionOf({ index, outcome, name, reason }: Answer): GateDecision {
  if (outcome === "accepted") return { index, name };
  if (outcome === "unanswered") return { index, problem: new StorageProblem(outcome) };
  const words = reason?.trim() && [...reason.trim()].slice(0, MAX_REASON_LENGTH).join("");
  return { index, problem: new StorageProblem("refused", words ? { reason: words } : {}) };
}
