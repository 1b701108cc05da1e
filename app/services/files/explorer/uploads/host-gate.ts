import type { FileToUpload, UploadDecision } from "../../../../../embed-element/protocol";
import type { HostPage } from "../../../../embed/frame/host-page";
import { StorageProblem } from "../../storage-problem";
import type { GateDecision, UploadGate } from "../../transfers/upload-gate";
import { SERVICE } from "../props";

/** A page that said it responds, and does not, is waited for so long: then files go up as they are. Milliseconds. */
export const RESPONSE_LIMIT = 5_000;
/** And one that says it is still finding out, so long: what it does not decide on then has failed. Milliseconds. */
export const DECISION_LIMIT = 30_000;
/** Of what the page says to a person, so much is shown, characters. */
const LONGEST_REASON = 200;

interface Question {
  decide(decisions: GateDecision[]): void;
  /** those without a decision, and whether the page is still finding out about them */
  open: Map<number, { isWaiting: boolean }>;
  timers: ReturnType<typeof setTimeout>[];
}

/** Asks the page around about files, by `platform.embed.before-upload`. */
export class HostGate implements UploadGate {
  #questions = new Map<number, Question>();
  #nextId = 1;

  /** @param isAnswered whether the page has said that it responds */
  constructor(
    private readonly host: HostPage,
    private readonly isAnswered: () => boolean,
  ) {
    host.listen((message) => {
      if (message.type === "platform.embed.upload-decisions") this.#receive(message.id, message.decisions);
    });
  }

  ask(files: FileToUpload[], decide: Question["decide"]): boolean {
    if (!this.isAnswered()) return false;
    const id = this.#nextId++;
    const open = new Map(files.map((_, index) => [index, { isWaiting: false }]));
    const timers = [
      setTimeout(() => this.#giveUp(id, false), RESPONSE_LIMIT),
      setTimeout(() => this.#giveUp(id, true), DECISION_LIMIT),
    ];
    this.#questions.set(id, { decide, open, timers });
    this.host.post({ type: "platform.embed.before-upload", service: SERVICE, id, files });
    return true;
  }

  #receive(id: number, decisions: readonly UploadDecision[]): void {
    const question = this.#questions.get(id);
    if (!question) return;
    const decided: GateDecision[] = [];
    for (const decision of decisions) {
      const file = question.open.get(decision.index);
      if (!file) continue;
      if (decision.outcome === "waiting") {
        file.isWaiting = true;
        continue;
      }
      question.open.delete(decision.index);
      decided.push(decisionOf(decision));
    }
    this.#decide(id, question, decided);
  }

  /** @param isWaiting those that the page is still finding out about, or those of which it has said nothing */
  #giveUp(id: number, isWaiting: boolean): void {
    const question = this.#questions.get(id);
    if (!question) return;
    const decided: GateDecision[] = [];
    for (const [index, file] of question.open) {
      if (file.isWaiting !== isWaiting) continue;
      question.open.delete(index);
      decided.push(isWaiting ? { index, problem: new StorageProblem("unanswered") } : { index });
    }
    this.#decide(id, question, decided);
  }

  #decide(id: number, { decide, open, timers }: Question, decided: GateDecision[]): void {
    if (open.size === 0) {
      for (const timer of timers) clearTimeout(timer);
      this.#questions.delete(id);
    }
    if (decided.length > 0) decide(decided);
  }
}

function decisionOf({ index, outcome, name, reason }: UploadDecision): GateDecision {
  if (outcome === "accepted") return { index, name };
  const words = reason?.trim() && [...reason.trim()].slice(0, LONGEST_REASON).join("");
  return { index, problem: new StorageProblem("refused", words ? { reason: words } : {}) };
}
