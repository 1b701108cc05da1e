/** What a drill consists of: a run that records, and a checker that judges the record. */
import type { StackInfo } from "../../local/stack-info";
import type { Choose } from "./seed";

export interface DrillOptions {
  seed: number;
  /** chooses by the seed; the drill's own, so that it chooses the same in a run of its own */
  choose: Choose;
  /** e-mails per second that the campaign's mail provider accepts */
  rate: number;
  /** of the bucket that has a catalogue */
  changes: number;
}

export type Timed<Operation> = Operation & {
  /** milliseconds since the drill began to record */
  at: number;
};

/** Everything that a checker may look at. It can be written as JSON. */
export interface History<Operation = unknown, Found = unknown> {
  /** what was done, one line */
  title: string;
  /** what was asked, injected and seen, in order */
  operations: Timed<Operation>[];
  /** the state that was found in the end */
  found: Found;
}

/** A checker's verdict on a history: one row of the table. */
export interface Verdict {
  figures: string;
  /** broken promises and exceeded limits */
  failures: string[];
  /** The drill was not done, because a program is not installed. */
  isSkipped?: boolean;
}

export interface Drill<Operation = unknown, Found = unknown> {
  run(stack: StackInfo, options: DrillOptions): AsyncIterable<History<Operation, Found>>;
  /** Judges a history by what is in it, and by nothing else. */
  check(history: History<Operation, Found>): Verdict;
}

/** Records operations with their times. */
export class Recorder<Operation> {
  readonly operations: Timed<Operation>[] = [];
  readonly #startedAt = performance.now();

  add(operation: Operation): void {
    this.operations.push({ at: this.milliseconds(), ...operation });
  }

  /** since the beginning */
  milliseconds = () => Math.round(performance.now() - this.#startedAt);
}
