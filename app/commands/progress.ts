import type { Writable } from "node:stream";

const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 5_000;

/** Shows progress: on a terminal in one line that is overwritten, elsewhere in a new line every few seconds. */
export class Progress {
  readonly #startedAt = performance.now();
  #shownAt = Number.NEGATIVE_INFINITY;
  #width = 0;
  #latest: (() => string) | null = null;

  constructor(private readonly stream: Writable & { isTTY?: boolean }) {
    if (!stream.isTTY) this.#shownAt = this.#startedAt;
  }

  /**
   * @param line called only when a line is shown, with the rate so far
   * @param count how much is done, to calculate the rate
   */
  show(line: (perSecond: number) => string, count = 0): void {
    const now = performance.now();
    this.#latest = () => line((count * 1_000) / Math.max(1, now - this.#startedAt));
    if (now - this.#shownAt < (this.stream.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS)) return;
    this.#shownAt = now;
    this.#write("");
  }

  /** Shows the last state and ends the line. */
  end(): void {
    if (this.#latest) this.#write(this.stream.isTTY ? "\n" : "");
  }

  #write(ending: string): void {
    const line = this.#latest?.() ?? "";
    if (this.stream.isTTY) this.stream.write(`\r${line.padEnd(this.#width)}${ending}`);
    else this.stream.write(`${line}\n`);
    this.#width = line.length;
  }
}
