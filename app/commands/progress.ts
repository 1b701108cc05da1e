import type { Writable } from "node:stream";

/** milliseconds between two lines of progress, on a terminal and where they cannot overwrite each other */
const SHOWN_EVERY_MS = 100;
const WRITTEN_EVERY_MS = 5_000;

/** Overwrites one line on a terminal; writes a line now and then into anything else. */
export class Progress {
  readonly #startedAt = performance.now();
  #shownAt = Number.NEGATIVE_INFINITY;
  #width = 0;
  #latest: (() => string) | null = null;

  constructor(private readonly stream: Writable & { isTTY?: boolean }) {
    if (!stream.isTTY) this.#shownAt = this.#startedAt;
  }

  /** @param line made only when it is shown @param count of what is done so far, for its rate a second */
  show(line: (perSecond: number) => string, count = 0): void {
    const now = performance.now();
    this.#latest = () => line((count * 1_000) / Math.max(1, now - this.#startedAt));
    if (now - this.#shownAt < (this.stream.isTTY ? SHOWN_EVERY_MS : WRITTEN_EVERY_MS)) return;
    this.#shownAt = now;
    this.#write("");
  }

  /** Shows where it ended, and ends the line. */
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
