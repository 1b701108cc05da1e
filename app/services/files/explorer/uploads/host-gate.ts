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

/** Files that the page has not decided on by then are not sent. */
type Answer = Omit<UploadDecision, "outcome"> & { outcome: UploadDecision["outcome"] | "unanswered" };

/** Asks the page around about files, by `platform.embed.before-upload`. */
export class HostGate implements UploadGate {
  /** what takes the answers to each question that is open */
  #questions = new Map<number, (answers: readonly Answer[]) => void>();
  #nextId = 1;
  readonly #host: HostPage;
  readonly #isAnswered: () => boolean;

  /** @param isAnswered whether the page has said that it responds */
  constructor(host: HostPage, isAnswered: () => boolean) {
    this.#host = host;
    this.#isAnswered = isAnswered;
    host.listen((message) => {
      if (message.type === "platform.embed.upload-decisions") {
        this.#questions.get(message.id)?.(message.decisions);
      }
    });
  }

  ask(files: FileToUpload[], decide: (decisions: GateDecision[]) => void): boolean {
    if (!this.#isAnswered()) return false;
    const id = this.#nextId++;
    /** those without a decision, and whether the page is still finding out about them */
    const open = new Map(files.map((_, index) => [index, false]));
    const take = (answers: readonly Answer[]) => {
      const decided: GateDecision[] = [];
      for (const answer of answers) {
        const { index, outcome } = answer;
        if (!open.has(index)) continue;
        if (outcome === "waiting") open.set(index, true);
        else if (open.delete(index)) decided.push(decisionOf(answer));
      }
      if (open.size === 0) {
        for (const timer of timers) clearTimeout(timer);
        this.#questions.delete(id);
      }
      if (decided.length > 0) decide(decided);
    };
    /** Answers in the page's place for those that are `waiting`, or not. */
    const giveUp = (waiting: boolean, outcome: Answer["outcome"]) => () =>
      take([...open].filter(([, isWaiting]) => isWaiting === waiting).map(([index]) => ({ index, outcome })));
    const timers = [
      setTimeout(giveUp(false, "accepted"), RESPONSE_LIMIT),
      setTimeout(giveUp(true, "unanswered"), DECISION_LIMIT),
    ];
    this.#questions.set(id, take);
    this.#host.post({ type: "platform.embed.before-upload", service: SERVICE, id, files });
    return true;
  }
}

function decisionOf({ index, outcome, name, reason }: Answer): GateDecision {
  if (outcome === "accepted") return { index, name };
  if (outcome === "unanswered") return { index, problem: new StorageProblem(outcome) };
  const words = reason?.trim() && [...reason.trim()].slice(0, LONGEST_REASON).join("");
  return { index, problem: new StorageProblem("refused", words ? { reason: words } : {}) };
}
